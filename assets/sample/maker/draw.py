"""A small drawing kit: soft, shaded shapes on a canvas measured in units.

Everything is drawn at three times its final size and scaled down once at the end,
because Pillow draws without antialiasing.
"""

import random

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

SCALE = 3
WIDTH = 480  # every picture is this wide, 100 units


def rgb(value):
    if isinstance(value, tuple):
        return value
    return tuple(int(value[i:i + 2], 16) for i in (1, 3, 5))


def mix(a, b, t):
    a, b = rgb(a), rgb(b)
    return tuple(round(x + (y - x) * t) for x, y in zip(a, b))


def light(colour, t):
    return mix(colour, (255, 255, 255), t)


def dark(colour, t):
    return mix(colour, (14, 18, 30), t)


def font(size):
    # The font inside Pillow: the same letters on every machine.
    return ImageFont.load_default(size=size)


def vertical(size, top, bottom):
    column = Image.new("RGB", (1, 256))
    column.putdata([mix(top, bottom, i / 255) for i in range(256)])
    return column.resize(size, Image.BILINEAR)


def mirror(left):
    """The whole outline from its left half, listed from top to bottom."""
    return list(left) + [(100 - x, y) for x, y in reversed(left)]


def spline(points, closed=True, steps=14):
    """A smooth curve through all points (Catmull-Rom)."""
    n = len(points)
    out = []
    for i in range(n if closed else n - 1):
        if closed:
            p0, p1, p2, p3 = (points[(i + k) % n] for k in (-1, 0, 1, 2))
        else:
            p0, p1 = points[max(i - 1, 0)], points[i]
            p2, p3 = points[i + 1], points[min(i + 2, n - 1)]
        for s in range(steps):
            t = s / steps
            out.append(tuple(
                0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t
                       + (3 * b - a - 3 * c + d) * t ** 3)
                for a, b, c, d in zip(p0, p1, p2, p3)))
    if not closed:
        out.append(points[-1])
    return out


class Canvas:
    """A picture 100 units wide. Shapes are masks; `fill` gives them body."""

    def __init__(self, height=100, width_px=WIDTH, transparent=False):
        self.u = width_px * SCALE / 100
        self.size = (width_px * SCALE, round(height * self.u))
        self.height = height
        self.transparent = transparent
        mode = "RGBA" if transparent else "RGB"
        self.image = Image.new(mode, self.size, (0, 0, 0, 0) if transparent else (255, 255, 255))

    # --- masks -----------------------------------------------------------

    def _mask(self):
        mask = Image.new("L", self.size, 0)
        return mask, ImageDraw.Draw(mask)

    def _px(self, points):
        return [(x * self.u, y * self.u) for x, y in points]

    def poly(self, points, corner=1.2):
        mask, draw = self._mask()
        draw.polygon(self._px(points), fill=255)
        return self.soften(mask, corner)

    def soften(self, mask, corner):
        # Blurring and cutting at the half rounds every corner and leaves straight edges.
        if corner <= 0:
            return mask
        blurred = mask.filter(ImageFilter.GaussianBlur(corner * self.u * 0.6))
        return blurred.point([max(0, min(255, (v - 118) * 13)) for v in range(256)])

    def blob(self, points):
        mask, draw = self._mask()
        draw.polygon(self._px(spline(points)), fill=255)
        return mask

    def oval(self, cx, cy, rx, ry=None):
        ry = rx if ry is None else ry
        mask, draw = self._mask()
        draw.ellipse(self._px([(cx - rx, cy - ry), (cx + rx, cy + ry)]), fill=255)
        return mask

    def box(self, x0, y0, x1, y1, corner=2):
        mask, draw = self._mask()
        draw.rounded_rectangle(self._px([(x0, y0), (x1, y1)]), radius=corner * self.u, fill=255)
        return mask

    def line(self, points, width, smooth=True):
        mask, draw = self._mask()
        pts = spline(points, closed=False) if smooth and len(points) > 2 else points
        px = self._px(pts)
        w = max(1, round(width * self.u))
        draw.line(px, fill=255, width=w, joint="curve")
        for x, y in (px[0], px[-1]):
            draw.ellipse((x - w / 2, y - w / 2, x + w / 2, y + w / 2), fill=255)
        return mask

    @staticmethod
    def both(a, b):
        return ImageChops.lighter(a, b)

    @staticmethod
    def clip(a, b):
        return ImageChops.multiply(a, b)

    @staticmethod
    def cut(a, b):
        return ImageChops.subtract(a, b)

    # --- paint -----------------------------------------------------------

    def paint(self, mask, colour, alpha=1.0):
        if alpha < 1:
            mask = mask.point([round(v * alpha) for v in range(256)])
        if self.transparent:
            layer = Image.new("RGBA", self.size, rgb(colour) + (255,))
            layer.putalpha(mask)
            self.image.alpha_composite(layer)
        else:
            self.image.paste(rgb(colour), (0, 0), mask)

    def fill(self, mask, colour, depth=0.3, top=0.14, bottom=0.12, soft=3.0):
        """Paint a body: a vertical gradient, a lit upper left, a shaded lower right."""
        area = mask.getbbox()
        if not area:
            return
        pad = round(soft * self.u * 2)
        x0, y0 = max(0, area[0] - pad), max(0, area[1] - pad)
        x1, y1 = min(self.size[0], area[2] + pad), min(self.size[1], area[3] + pad)
        part = mask.crop((x0, y0, x1, y1))
        body = vertical((x1 - x0, area[3] - area[1]), light(colour, top), dark(colour, bottom))
        coat = Image.new("RGB", part.size, rgb(colour))
        coat.paste(body, (0, area[1] - y0))
        if depth:
            shift = round(soft * self.u * 0.6)
            for sign, tone, power in ((-1, dark(colour, 0.75), depth), (1, light(colour, 0.8), depth * 0.55)):
                edge = ImageChops.invert(part)
                moved = Image.new("L", part.size, 255)
                moved.paste(edge, (sign * shift, sign * shift))
                moved = moved.filter(ImageFilter.GaussianBlur(soft * self.u * 0.7))
                moved = moved.point([round(v * power) for v in range(256)])
                coat.paste(tone, (0, 0), moved)
        if self.transparent:
            coat = coat.convert("RGBA")
            coat.putalpha(part)
            self.image.alpha_composite(coat, (x0, y0))
        else:
            self.image.paste(coat, (x0, y0), part)

    def seams(self, mask, lines, colour, width=0.35, alpha=0.35):
        """Thin lines inside a shape: seams, knit ribs, quilting."""
        ink, draw = self._mask()
        w = max(1, round(width * self.u))
        for pts in lines:
            pts = spline(pts, closed=False) if len(pts) > 2 else pts
            draw.line(self._px(pts), fill=255, width=w, joint="curve")
        self.paint(ImageChops.multiply(ink, mask), colour, alpha)

    def shadow(self, mask, dx=1.2, dy=2.2, blur=2.4, alpha=0.28):
        moved = Image.new("L", self.size, 0)
        moved.paste(mask, (round(dx * self.u), round(dy * self.u)))
        self.paint(moved.filter(ImageFilter.GaussianBlur(blur * self.u)), (20, 26, 40), alpha)

    def ground(self, cx, y, rx, ry=2.6, alpha=0.4):
        mask = self.oval(cx, y, rx, ry).filter(ImageFilter.GaussianBlur(1.7 * self.u))
        self.paint(mask, (20, 26, 40), alpha)

    def glow(self, cx, cy, r, colour, alpha=0.6):
        mask = self.oval(cx, cy, r * 0.6).filter(ImageFilter.GaussianBlur(r * 0.4 * self.u))
        self.paint(mask, colour, alpha)

    def text(self, x, y, words, size, colour, anchor="mm"):
        draw = ImageDraw.Draw(self.image)
        draw.text((x * self.u, y * self.u), words, font=font(round(size * self.u)),
                  fill=rgb(colour), anchor=anchor)

    # --- backdrops ---------------------------------------------------------

    def studio(self, tint):
        """A soft wall and floor."""
        self.image.paste(vertical(self.size, light(tint, 0.72), light(tint, 0.5)))
        floor = self.box(-5, self.height * 0.76, 105, self.height + 5, 0)
        floor = floor.filter(ImageFilter.GaussianBlur(4 * self.u))
        self.paint(floor, light(tint, 0.62), 0.9)
        self.glow(42, self.height * 0.4, 56, light(tint, 0.94), 0.85)

    def wall(self, tint):
        """A plain wall with one pool of light."""
        self.image.paste(vertical(self.size, light(tint, 0.6), light(tint, 0.42)))
        self.glow(50, self.height * 0.48, 62, light(tint, 0.88), 0.9)

    def ridge(self, seed, base, rough, colour, alpha=1.0):
        rnd = random.Random(seed)
        points, x, y = [(-6, self.height + 6)], -6.0, base
        while x < 108:
            points.append((x, y))
            x += rnd.uniform(6, 15)
            y = base + rnd.uniform(-rough, rough * 0.6)
        points += [(108, base), (108, self.height + 6)]
        self.paint(self.poly(points, 0.6), colour, alpha)

    def valley(self, tint, seed):
        """Sky, three mountain ridges and a meadow."""
        h = self.height
        self.image.paste(vertical(self.size, light(tint, 0.45), light(tint, 0.9)))
        self.glow(70, h * 0.24, 26, (255, 247, 225), 0.8)
        self.ridge(seed, h * 0.46, 11, light(tint, 0.5), 0.9)
        self.ridge(seed + 1, h * 0.57, 8, light(tint, 0.3))
        self.ridge(seed + 2, h * 0.68, 5, mix(light(tint, 0.22), "#5d7a63", 0.45))
        self.paint(self.poly([(-5, h * 0.76), (40, h * 0.74), (105, h * 0.77), (105, h + 5), (-5, h + 5)], 2),
                   mix("#8fa886", light(tint, 0.6), 0.35))

    def done(self):
        w, h = self.size
        return self.image.resize((w // SCALE, h // SCALE), Image.LANCZOS)
