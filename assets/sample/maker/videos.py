"""The videos: a landscape that drifts, products that float by, a caption. Made with ffmpeg."""

import math
import random
import subprocess
from concurrent.futures import ProcessPoolExecutor

from PIL import Image, ImageDraw

from .draw import Canvas, font, mix, rgb, vertical
from .kinds import KINDS

W, H = 360, 640

# name, caption lines, sky (top, bottom), what falls, sprites, seconds, frames a second, tone in Hz (0: silent)
SCENES = [
    ("welcome", ["Welcome to Nordlys", "Who is it for?"], ("#1d2f52", "#e8b48a"), "aurora", [("backpack", 0), ("beanie", 0), ("mug", 0)], 6, 24, 220),
    ("for-her", ["For her", "What does she like?"], ("#5b4a7a", "#f2c9b0"), "", [("jacket", 2), ("pendant", 1), ("mitten", 1)], 5, 20, 0),
    ("for-him", ["For him", "What does he like?"], ("#24506b", "#cfe0d8"), "", [("axe", 0), ("boot", 0), ("stove", 1)], 5, 20, 0),
    ("warm-things", ["Our warmest things", "Down, wool and a flask"], ("#2c3f66", "#dfe6f0"), "snow", [("puffer", 0), ("mitten", 0), ("bottle", 1)], 6, 20, 196),
    ("being-outdoors", ["Being outdoors", "Sleep where it is quiet"], ("#3f7fa8", "#f4e2b8"), "", [("tent", 0), ("lantern", 0), ("sleepingbag", 0)], 6, 20, 0),
    ("tour-1", ["The tour: shells", "Three layers against rain"], ("#4a5a70", "#b9c6cf"), "rain", [("jacket", 1)], 4, 24, 0),
    ("tour-2", ["The tour: boots", "Resoled, not replaced"], ("#6b4a3a", "#f0d0a8"), "", [("boot", 2)], 4, 24, 0),
    ("tour-3", ["The tour: packs", "Half its weight"], ("#2f6f6b", "#dcebd8"), "", [("backpack", 1)], 4, 24, 0),
    ("tour-4", ["The tour: tents", "Up in four minutes"], ("#27365c", "#d98f6a"), "aurora", [("tent", 1)], 5, 24, 174),
    ("help-1", ["How to wash wool", "Cool, gentle, flat"], ("#5f86a8", "#eef3f6"), "", [("baselayer", 1), ("sock", 2)], 4, 15, 0),
    ("help-2", ["How to wax a boot", "Thin, warm, patient"], ("#7a6a4a", "#f2e6c8"), "", [("boot", 0), ("balm", 3)], 4, 15, 0),
    ("help-3", ["Return or repair?", "We mend for free"], ("#3f5a70", "#e6d9c8"), "snow", [("toybear", 0), ("jacket", 3)], 3, 12, 0),
]


def sprite(kind, way, width):
    draw, height, _, ways = KINDS[kind]
    canvas = Canvas(height, width_px=width, transparent=True)
    draw(canvas, ways[way][0], ways[way][1])
    return canvas.done()


def ridge(seed, base, rough, colour):
    """A mountain line half as wide again as the frame, so that it can drift."""
    wide, s = round(W * 1.5), 2
    rnd = random.Random(seed)
    image = Image.new("RGBA", (wide * s, H * s), (0, 0, 0, 0))
    points, x = [(-20, H + 20)], -20
    while x < wide + 60:
        points.append((x, base + rnd.uniform(-rough, rough * 0.5)))
        x += rnd.uniform(28, 74)
    points.append((wide + 60, H + 20))
    ImageDraw.Draw(image).polygon([(a * s, b * s) for a, b in points], fill=rgb(colour) + (255,))
    return image.resize((wide, H), Image.LANCZOS)


def caption(lines):
    s = 2
    image = Image.new("RGBA", (W * s, H * s), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((22 * s, 492 * s, (W - 22) * s, 592 * s), radius=18 * s, fill=(16, 24, 40, 190))
    draw.rectangle((40 * s, 512 * s, 44 * s, 572 * s), fill=(242, 184, 75, 255))
    draw.text((58 * s, 526 * s), lines[0], font=font(25 * s), fill=(255, 255, 255, 255), anchor="lm")
    draw.text((58 * s, 560 * s), lines[1], font=font(17 * s), fill=(214, 224, 236, 255), anchor="lm")
    draw.text((24 * s, 34 * s), "NORDLYS OUTDOOR", font=font(12 * s), fill=(255, 255, 255, 210), anchor="lm")
    return image.resize((W, H), Image.LANCZOS)


def shifted(layer, dx, dy=0.0):
    # Moving by parts of a pixel: whole pixels would make slow motion tremble.
    return layer.transform((W, H), Image.AFFINE, (1, 0, dx, 0, 1, dy), Image.BILINEAR)


def faded(image, t):
    if t >= 1:
        return image
    out = image.copy()
    out.putalpha(image.getchannel("A").point([round(v * max(0, t)) for v in range(256)]))
    return out


def ease(t):
    t = max(0.0, min(1.0, t))
    return t * t * (3 - 2 * t)


def frames(scene):
    name, lines, (top, bottom), weather, things, seconds, rate, _ = scene
    rnd = random.Random(name)
    sky = vertical((W, H), top, bottom)
    ridges = [(ridge(name + str(k), base, rough, mix(mix(bottom, top, 0.35 + 0.25 * k), "#1b2a33", 0.15 * k)), speed)
              for k, (base, rough, speed) in enumerate(((330, 70, 14), (390, 46, 30), (452, 24, 58)))]
    words = caption(lines)
    sprites = [sprite(k, w, 250 if len(things) == 1 else 190 if len(things) == 2 else 168) for k, w in things]
    drops = [(rnd.uniform(0, W), rnd.uniform(0, H), rnd.uniform(0.6, 1.4)) for _ in range(34 if weather == "snow" else 26)]
    spots = {1: [(180, 300)], 2: [(118, 250), (246, 352)], 3: [(108, 214), (256, 258), (170, 384)]}[len(things)]
    total = seconds * rate
    for n in range(total):
        t = n / rate
        frame = sky.convert("RGBA")
        if weather == "aurora":
            veil = Image.new("RGBA", (W // 4, H // 4), (0, 0, 0, 0))
            draw = ImageDraw.Draw(veil)
            for x in range(W // 4):
                y = 34 + 9 * math.sin(x / 13 + t * 0.9) + 5 * math.sin(x / 5.5 - t * 0.6)
                for k in range(-6, 26):
                    # Rises softly out of the sky, then fades upwards.
                    a = round(105 * min(1 - k / 26, (k + 7) / 8) * (0.65 + 0.35 * math.sin(x / 7 + t)))
                    draw.point((x, y - k), fill=(110, 240, min(200, 190 - 3 * k), a))
            frame.alpha_composite(veil.resize((W, H), Image.BICUBIC))
        for layer, speed in ridges:
            frame.alpha_composite(shifted(layer, 10 + speed * t / seconds * 1.6))
        for k, picture in enumerate(sprites):
            enter = ease((t - 0.25 * k) / 0.9)
            x, y = spots[k]
            y += 5 * math.sin(t * 1.5 + k * 2) + (1 - enter) * 46
            angle = 2.6 * math.sin(t * 1.1 + k * 1.7)
            turned = picture.rotate(angle, Image.BICUBIC)
            place = Image.new("RGBA", (W, H), (0, 0, 0, 0))
            place.paste(turned, (round(x - turned.width / 2), round(y - turned.height / 2)))
            frame.alpha_composite(faded(place, enter))
        if weather in ("snow", "rain"):
            draw = ImageDraw.Draw(frame, "RGBA")
            for x, y, s in drops:
                if weather == "snow":
                    px, py = (x + 12 * math.sin(t * s + x)) % W, (y + 46 * s * t) % H
                    draw.ellipse((px - 1.8 * s, py - 1.8 * s, px + 1.8 * s, py + 1.8 * s), fill=(255, 255, 255, 200))
                else:
                    py = (y + 330 * s * t) % H
                    draw.line((x, py, x - 3, py + 13), fill=(225, 235, 245, 110), width=1)
        frame.alpha_composite(faded(words, ease((t - 0.5) / 0.6)))
        yield frame.convert("RGB")


def encode(job):
    scene, folder = job
    name, seconds, rate, tone = scene[0], scene[5], scene[6], scene[7]
    sound = []
    if tone:
        chord = "+".join(f"0.05*sin({tone * k}*2*PI*t)" for k in (1, 1.5, 2))
        sound = ["-f", "lavfi", "-i", f"aevalsrc={chord}:s=44100:d={seconds},afade=in:d=1,afade=out:st={seconds - 1.2}:d=1.2"]
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{W}x{H}", "-r", str(rate), "-i", "-",
               *sound, "-c:v", "libx264", "-profile:v", "main", "-preset", "slow", "-crf", "34" if scene[3] == "snow" else "29", "-g", str(rate * 2), "-pix_fmt", "yuv420p",
               *(["-c:a", "aac", "-b:a", "40k", "-ac", "1", "-shortest"] if sound else []),
               # One thread and no encoder stamps: the same bytes every time.
               "-threads", "1", "-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact",
               "-movflags", "+faststart", str(folder / f"{name}.mp4")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    poster = round(seconds * rate * 0.6)
    for n, frame in enumerate(frames(scene)):
        process.stdin.write(frame.tobytes())
        if n == poster:
            frame.save(folder / f"{name}.jpg", quality=74, optimize=True, progressive=True)
    process.stdin.close()
    if process.wait():
        raise SystemExit(f"ffmpeg failed on {name}")


def make(folder):
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    with ProcessPoolExecutor() as pool:
        for _ in pool.map(encode, [(scene, folder) for scene in SCENES]):
            pass
