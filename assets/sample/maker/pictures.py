"""The product pictures: every kind in its colourways, and a few flat PNG cards."""

from concurrent.futures import ProcessPoolExecutor

from PIL import Image

from .draw import Canvas, dark, light, rgb
from .kinds import KINDS, backdrop

CHARTS = {
    "size-chart-tops": (("Size", "Chest", "Waist", "Sleeve"),
                        [("XS", "84-88", "70-74", "79"), ("S", "90-94", "76-80", "81"), ("M", "96-100", "82-86", "83"),
                         ("L", "102-106", "88-92", "85"), ("XL", "108-112", "94-98", "87")]),
    "size-chart-feet": (("EU", "UK", "US", "cm"),
                        [("36", "3.5", "5.5", "23.0"), ("38", "5", "7", "24.2"), ("40", "6.5", "8.5", "25.5"),
                         ("42", "8", "10", "26.8"), ("44", "9.5", "11.5", "28.1")]),
    "care-wool": (("Care", "Wool"),
                  [("Wash", "30, gentle"), ("Dry", "flat, shade"), ("Iron", "low, damp"), ("Bleach", "never"), ("Air", "often")]),
}


def product(job):
    kind, index, path = job
    draw, height, style, ways = KINDS[kind]
    col, acc, tint, _ = ways[index]
    canvas = Canvas(height)
    backdrop(canvas, style, tint, index * 7 + len(kind))
    draw(canvas, col, acc)
    canvas.done().save(path, quality=72, optimize=True, progressive=True)


def chart(job):
    name, path = job
    head, rows = CHARTS[name]
    c = Canvas(100)
    c.image.paste(rgb("#f7f4ee"), (0, 0) + c.size)
    c.paint(c.box(0, 0, 100, 16, 0), "#2f4a6d")
    c.text(7, 8, "Nordlys Outdoor", 5.4, "#f7f4ee", "lm")
    step, top = 86 / len(head), 26
    for i, word in enumerate(head):
        c.text(9 + i * step, top, word, 4.6, "#b6423a", "lm")
    for r, row in enumerate(rows):
        y = top + 12.5 * (r + 1)
        if r % 2 == 0:
            c.paint(c.box(5, y - 5.6, 95, y + 5.6, 2), "#e8e3d7")
        for i, word in enumerate(row):
            c.text(9 + i * step, y, word, 4.8, "#2b3340", "lm")
    # Few flat colours: a palette keeps the file small.
    c.done().quantize(32, dither=Image.Dither.NONE).save(path, optimize=True)


def swatch(job):
    name, a, b, path = job
    c = Canvas(100)
    c.image.paste(rgb(a), (0, 0) + c.size)
    for y in range(-2, 104, 5):
        for x in range(-2, 104, 5):
            c.paint(c.oval(x + (2.5 if y % 2 else 0), y, 1.9, 2.6), b if (x // 5 + y // 5) % 3 else dark(a, 0.25))
    c.done().quantize(16, dither=Image.Dither.NONE).save(path, optimize=True)


def names():
    out = {}
    for kind, (_, height, _, ways) in KINDS.items():
        out[kind] = [(f"{kind}-{way[3]}.jpg", way[3], height) for way in ways]
    return out


def make(folder):
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    with ProcessPoolExecutor() as pool:
        waits = []
        for kind, files in names().items():
            waits += [pool.submit(product, (kind, i, str(folder / f[0]))) for i, f in enumerate(files)]
        waits += [pool.submit(chart, (n, str(folder / f"{n}.png"))) for n in CHARTS]
        for n, a, b in (("swatch-knit-blue", "#2f4a6d", light("#2f4a6d", 0.25)), ("swatch-knit-red", "#9a3f3a", light("#9a3f3a", 0.3))):
            waits.append(pool.submit(swatch, (n, a, b, str(folder / f"{n}.png"))))
        for wait in waits:
            wait.result()
