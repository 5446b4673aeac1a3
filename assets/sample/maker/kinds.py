"""One drawing per kind of product. Each takes a canvas, the main and the second colour."""

from .draw import dark, light, mirror, mix

STEEL = "#b9c0c8"
WOOD = "#c08f5c"
INK = "#2b3340"


def sock(c, col, acc):
    for dx, dy, tone in ((13, -3, dark(col, 0.16)), (0, 0, col)):
        pts = [(38, 14), (50, 13), (62, 14), (62.5, 32), (62, 50), (65, 62), (62, 73), (50, 79),
               (36, 85), (24, 87), (16, 81), (19, 72), (31, 66), (38, 56), (39, 36)]
        m = c.blob([(x + dx, y + dy) for x, y in pts])
        c.shadow(m)
        c.fill(m, tone)
        c.seams(m, [[(x + dx, 8), (x + dx, 30)] for x in range(37, 66, 2)], dark(tone, 0.5), 0.4, 0.3)
        for y in (31, 36, 41):
            band = c.line([(33 + dx, y + dy + 1), (50 + dx, y + dy + 2), (67 + dx, y + dy + 1)], 2.1)
            c.paint(c.clip(m, band), acc, 0.9)
        c.fill(c.clip(m, c.oval(66 + dx, 72 + dy, 13, 12)), acc, 0.22)
        c.fill(c.clip(m, c.oval(13 + dx, 83 + dy, 14, 14)), acc, 0.22)


def baselayer(c, col, acc):
    left = [(42, 17), (34, 19), (24, 25), (17, 45), (12, 74), (20, 77), (28, 52), (31, 46), (32, 70), (31, 91)]
    m = c.poly(mirror(left), 2.4)
    c.shadow(m)
    c.fill(m, col)
    c.seams(m, [[(34, 19), (30, 34), (31, 47)], [(66, 19), (70, 34), (69, 47)]], dark(col, 0.6), 0.5, 0.5)
    c.seams(m, [[(30, y), (50, y + 1.5), (70, y)] for y in range(56, 90, 6)], dark(col, 0.5), 0.35, 0.18)
    yoke = c.cut(c.clip(m, c.oval(50, 15, 20, 24)), c.oval(50, 13, 11, 9))
    c.fill(yoke, acc, 0.15)
    for y in (27, 31, 35):
        for x in range(34, 68, 4):
            c.paint(c.clip(yoke, c.poly([(x, y - 1.3), (x + 1.3, y), (x, y + 1.3), (x - 1.3, y)], 0)), light(col, 0.7))
    neck = c.oval(50, 17, 8.4, 4.6)
    c.fill(neck, dark(col, 0.45), 0.2)
    c.paint(c.cut(c.oval(50, 17, 9.4, 5.6), neck), acc)
    for x0, x1 in ((11, 22), (78, 89)):
        c.fill(c.clip(m, c.box(x0, 70, x1, 80, 0)), acc, 0.15)


def jacket(c, col, acc):
    left = [(44, 16), (36, 26), (24, 32), (17, 52), (12, 86), (22, 89), (28, 62), (30, 56), (30, 80), (28, 108)]
    m = c.poly(mirror(left), 2.6)
    hood = c.blob([(50, 9), (38, 13), (34, 24), (39, 33), (50, 36), (61, 33), (66, 24), (62, 13)])
    c.shadow(c.both(m, hood))
    c.fill(m, col, 0.34)
    c.seams(m, [[(36, 26), (30, 42), (30, 58)], [(64, 26), (70, 42), (70, 58)],
                [(29, 88), (50, 90), (71, 88)]], dark(col, 0.6), 0.45, 0.55)
    c.fill(c.clip(m, c.poly([(20, 24), (80, 24), (80, 45), (50, 50), (20, 45)], 0)), acc, 0.2)
    c.fill(hood, col, 0.36)
    inside = c.blob([(50, 14), (42, 17), (40, 25), (44, 31), (50, 33), (56, 31), (60, 25), (58, 17)])
    c.fill(inside, dark(col, 0.5), 0.2)
    c.paint(c.line([(50, 33), (50, 107)], 1.5), dark(col, 0.55))
    c.paint(c.line([(50, 34), (50, 107)], 0.5), light(acc, 0.5))
    for x0, x1 in ((35, 41), (65, 59)):
        c.paint(c.line([(x0, 72), (x1, 84)], 1.3), dark(col, 0.5))
    for x in (11, 78):
        c.fill(c.clip(m, c.box(x, 81, x + 12, 92, 0)), dark(col, 0.35), 0.1)
    c.paint(c.box(58, 52, 65, 55, 0.8), light(acc, 0.75))


def puffer(c, col, acc):
    left = [(41, 15), (32, 22), (22, 30), (14, 54), (11, 86), (23, 89), (28, 64), (29, 80), (28, 104)]
    m = c.poly(mirror(left), 4)
    c.shadow(m)
    c.fill(m, col, 0.3)
    for y in range(34, 106, 10):
        roll = c.clip(m, c.box(4, y - 10, 96, y, 3))
        c.fill(roll, col, 0.32, soft=2)
    c.seams(m, [[(29, 46), (29, 92)], [(71, 46), (71, 92)]], dark(col, 0.7), 0.8, 0.5)
    collar = c.poly([(39, 11), (61, 11), (64, 23), (36, 23)], 3)
    c.fill(collar, acc, 0.3)
    c.paint(c.line([(50, 12), (50, 103)], 1.3), dark(col, 0.55))
    c.paint(c.line([(50, 12), (50, 103)], 0.45), light(acc, 0.6))
    c.paint(c.box(59, 42, 66, 45, 0.8), light(acc, 0.8))


def trousers(c, col, acc):
    left = [(33, 15), (30, 40), (27, 74), (26, 110), (43, 111), (46, 78), (49.5, 47)]
    m = c.poly(mirror(left), 1.6)
    c.shadow(m)
    c.fill(m, col, 0.34)
    for cx in (35, 65):
        c.fill(c.clip(m, c.blob([(cx - 6, 64), (cx + 6, 63), (cx + 7, 82), (cx - 6, 83)])), acc, 0.2)
    c.fill(c.clip(m, c.box(20, 12, 80, 20, 0)), dark(col, 0.28), 0.2)
    for x in (36, 44, 56, 64):
        c.paint(c.box(x - 0.8, 14, x + 0.8, 21, 0.4), dark(col, 0.5))
    c.paint(c.oval(50, 17.5, 1.3), STEEL)
    c.seams(m, [[(50, 20), (50, 46)], [(35, 21), (31, 36)], [(65, 21), (69, 36)]], dark(col, 0.7), 0.5, 0.6)
    for a, b in (((25, 50), (30, 58)), ((70, 50), (75, 58))):
        c.seams(m, [[a, (a[0] + 6, a[1]), (b[0] + 1, b[1])]], dark(col, 0.7), 0.5, 0.4)


def onepiece(c, col, acc):
    left = [(41, 20), (31, 25), (20, 46), (16, 66), (24, 69), (31, 52), (32, 70), (30, 100), (31, 111), (44, 111), (48, 86), (49.5, 82)]
    m = c.poly(mirror(left), 3)
    hood = c.oval(50, 19, 13, 12)
    for x in (39, 61):
        ear = c.oval(x, 9, 4.5)
        c.shadow(ear)
        c.fill(ear, acc, 0.3)
    c.shadow(c.both(m, hood))
    c.fill(m, col, 0.3)
    c.fill(hood, col, 0.34)
    c.fill(c.oval(50, 21, 8.5, 8), light(acc, 0.55), 0.25)
    c.paint(c.line([(50, 32), (50, 80)], 1.1), dark(col, 0.5))
    for y in (40, 50, 60, 70):
        c.paint(c.oval(50, y, 1.2), light(acc, 0.7))
    for box in ((13, 62, 28, 72), (72, 62, 87, 72), (27, 104, 47, 115), (53, 104, 73, 115)):
        c.fill(c.clip(m, c.box(*box, 0)), acc, 0.2)


def tent(c, col, acc):
    c.ground(50, 83, 42, 3)
    body = c.blob([(8, 82), (17, 60), (33, 40), (50, 33), (67, 40), (83, 60), (92, 82), (70, 84), (50, 84.5), (30, 84)])
    c.fill(body, col, 0.36)
    c.fill(c.clip(body, c.poly([(50, 20), (92, 84), (62, 90)], 0)), dark(col, 0.2), 0.2)
    c.seams(body, [[(8, 83), (24, 50), (50, 33)], [(50, 33), (60, 58), (63, 85)], [(50, 33), (40, 58), (37, 85)]],
            dark(col, 0.6), 0.7, 0.6)
    door = c.clip(body, c.blob([(50, 40), (43, 60), (40, 84), (50, 86), (60, 84), (57, 60)]))
    c.fill(door, dark(acc, 0.62), 0.25)
    flap = c.clip(body, c.poly([(50, 40), (60, 86), (53.5, 86)], 0.5))
    c.fill(flap, acc, 0.2)
    c.glow(50, 74, 6, "#ffd98a", 0.75)
    band = c.clip(body, c.line([(14, 66), (32, 45), (50, 37)], 2.4))
    c.paint(band, acc, 0.85)
    for a, b in (((14, 66), (2, 84)), ((86, 66), (98, 84)), ((50, 33), (50, 33.1))):
        c.paint(c.line([a, b], 0.4), light(INK, 0.3))
    for x in (2, 98):
        c.paint(c.line([(x, 82), (x, 86)], 1), INK)


def stove(c, col, acc):
    c.ground(50, 88, 24)
    can = c.box(34, 62, 66, 88, 4)
    c.fill(can, col, 0.42)
    c.paint(c.clip(can, c.box(30, 70, 70, 80, 0)), acc)
    c.text(50, 75, "FYR", 6, light(acc, 0.85))
    c.fill(c.box(44, 57, 56, 63, 1), STEEL, 0.5)
    c.fill(c.box(47, 46, 53, 58, 1), dark(STEEL, 0.3), 0.5)
    c.paint(c.line([(53, 53), (68, 55)], 1.4), STEEL)
    c.fill(c.oval(70, 55, 3.2, 2.4), acc, 0.3)
    for x in (40, 44, 48, 52, 56, 60):
        h = 7 if x in (48, 52) else 5
        c.fill(c.blob([(x, 40 - h), (x - 1.8, 40), (x, 42.5), (x + 1.8, 40)]), "#5b9df0", 0.1)
        c.paint(c.oval(x, 40.5, 0.8, 1.6), "#eaf6ff", 0.9)
    c.fill(c.poly([(38, 42), (62, 42), (57, 47), (43, 47)], 0.6), dark(STEEL, 0.15), 0.5)
    for p in ([(47, 50), (31, 40), (31, 31)], [(53, 50), (69, 40), (69, 31)]):
        c.paint(c.line(p, 1.5, smooth=False), dark(STEEL, 0.35))
    pot = c.box(27, 12, 73, 31, 3)
    c.fill(pot, STEEL, 0.45)
    c.fill(c.box(25, 10.5, 75, 14, 1.6), dark(STEEL, 0.12), 0.4)
    c.fill(c.oval(50, 9, 3.4, 2.2), col, 0.3)
    c.paint(c.line([(73, 19), (90, 17)], 2.2), dark(col, 0.2))


def boot(c, col, acc):
    c.ground(46, 87, 38)
    upper = c.blob([(43, 15), (56, 13), (68, 15), (70, 30), (69, 46), (73, 62), (73, 79), (50, 81), (24, 80),
                    (12, 77), (13, 67), (23, 60), (35, 55), (42, 44), (43, 28)])
    c.fill(upper, col, 0.36)
    c.fill(c.clip(upper, c.oval(12, 80, 17, 18)), dark(col, 0.32), 0.25)
    c.fill(c.clip(upper, c.poly([(66, 46), (80, 46), (80, 84), (56, 84)], 3)), dark(col, 0.26), 0.25)
    c.fill(c.clip(upper, c.poly([(38, 8), (80, 8), (80, 21), (38, 23)], 0)), acc, 0.3)
    tongue = c.clip(upper, c.poly([(36, 14), (47, 14), (46, 46), (36, 58), (26, 62), (28, 55), (39, 46)], 1))
    c.fill(tongue, dark(acc, 0.18), 0.2)
    for x, y in ((47, 28), (47, 35), (46.5, 42), (43, 49), (37, 55)):
        c.paint(c.line([(x, y), (x - 8, y - 2)], 1.2), light(acc, 0.72))
        c.fill(c.oval(x + 1.5, y, 1.6), "#d9b35c", 0.3)
    c.seams(upper, [[(50, 24), (53, 46), (45, 60), (28, 66)], [(60, 46), (56, 62), (55, 80)]], light(col, 0.5), 0.4, 0.5)
    sole = c.blob([(10, 76), (22, 79.5), (50, 80), (75, 77.5), (77, 82), (75, 87), (56, 87), (52, 85), (44, 87.5), (16, 87.5), (9, 83)])
    c.fill(sole, INK, 0.4)
    c.seams(sole, [[(x, 83), (x, 90)] for x in range(14, 76, 4)], "#000000", 0.9, 0.5)
    c.paint(c.clip(sole, c.line([(10, 79), (40, 82), (76, 80)], 1)), acc, 0.9)


def backpack(c, col, acc):
    c.ground(50, 113, 26)
    for x in (27, 73):
        c.fill(c.line([(x, 48), (x + (50 - x) * -0.12, 76), (x, 102)], 5), dark(col, 0.4), 0.3)
    body = c.poly(mirror([(38, 26), (29, 40), (26, 84), (29, 110), (40, 113)]), 5)
    c.shadow(body)
    c.fill(body, col, 0.36)
    pocket = c.box(33, 70, 67, 106, 6)
    c.shadow(pocket, 0, 0.8, 1.4, 0.35)
    c.fill(pocket, acc, 0.3)
    c.paint(c.line([(36, 78), (50, 79.5), (64, 78)], 0.9), dark(acc, 0.55))
    lid = c.poly(mirror([(40, 15), (29, 20), (26, 36), (30, 48), (50, 51)]), 5)
    c.shadow(lid, 0, 1.2, 1.6, 0.4)
    c.fill(lid, mix(col, acc, 0.18), 0.34)
    c.paint(c.cut(c.oval(50, 14, 6, 5), c.oval(50, 14.5, 4.2, 3.4)), dark(col, 0.5))
    for x in (40, 60):
        c.paint(c.box(x - 1.3, 38, x + 1.3, 76, 0.6), dark(col, 0.5))
        c.fill(c.box(x - 2.6, 56, x + 2.6, 61, 1), STEEL, 0.4)
    c.paint(c.box(45, 28, 55, 33, 1), light(acc, 0.75))


def headlamp(c, col, acc):
    band = c.cut(c.oval(50, 44, 40, 27), c.oval(50, 40, 34, 23))
    c.shadow(band)
    c.fill(band, col, 0.3)
    c.paint(c.clip(band, c.cut(c.oval(50, 42.6, 38, 25.6), c.oval(50, 41.6, 36, 24.6))), acc, 0.9)
    body = c.poly([(33, 54), (67, 54), (70, 62), (68, 79), (32, 79), (30, 62)], 4)
    c.shadow(body)
    c.fill(body, INK, 0.4, top=0.3)
    c.fill(c.oval(43, 67, 9.4), STEEL, 0.5)
    c.glow(43, 67, 15, "#fff3c4", 0.6)
    c.fill(c.oval(43, 67, 7.2), "#fff6d8", 0.15)
    c.paint(c.oval(43, 67, 2.4), "#ffd35e")
    c.fill(c.oval(60, 66, 4.6), STEEL, 0.4)
    c.paint(c.oval(60, 66, 3), "#ff7d6b")
    c.fill(c.box(46, 51, 56, 54.5, 1), acc, 0.3)


def mug(c, col, acc):
    c.ground(47, 85, 27)
    handle = c.cut(c.oval(72, 54, 15, 17), c.oval(72, 54, 9, 11))
    c.fill(handle, col, 0.4)
    body = c.poly([(22, 27), (72, 27), (70, 80), (64, 86), (30, 86), (24, 80)], 3)
    c.fill(body, col, 0.42)
    peaks = c.clip(body, c.poly([(18, 74), (32, 52), (39, 61), (49, 44), (61, 64), (66, 58), (78, 74)], 1))
    c.paint(peaks, acc, 0.92)
    c.paint(c.clip(peaks, c.poly([(49, 42), (44, 53), (47, 52), (50, 55), (53, 51), (56, 54)], 0)), light(col, 0.8))
    c.paint(c.clip(body, c.box(10, 74, 80, 76, 0)), acc, 0.9)
    c.fill(c.oval(47, 27, 25.5, 6), light(col, 0.35), 0.2)
    c.fill(c.oval(47, 27.6, 23, 4.8), "#4a3123", 0.3)
    for x in (39, 48, 57):
        steam = c.line([(x, 20), (x + 2, 15), (x - 2, 10), (x + 1, 5)], 1.4)
        c.paint(steam, "#ffffff", 0.5)


def beanie(c, col, acc):
    for k, (x, y) in enumerate(((50, 14), (44, 15), (56, 15), (47, 10), (53, 10), (50, 18), (45, 19), (55, 19))):
        c.fill(c.oval(x, y, 5.2), mix(acc, "#ffffff", 0.08 * (k % 3)), 0.25, soft=1.5)
    m = c.blob([(50, 20), (34, 24), (23, 38), (19, 58), (20, 74), (50, 78), (80, 74), (81, 58), (77, 38), (66, 24)])
    c.shadow(m)
    c.fill(m, col, 0.36)
    c.seams(m, [[(50 + (x - 50) * 0.25, 21), (50 + (x - 50) * 0.8, 40), (x, 76)] for x in range(17, 87, 4)],
            dark(col, 0.6), 0.45, 0.3)
    for y, n in ((46, 7), (54, 8)):
        for i in range(n):
            x = 24 + i * 52 / (n - 1)
            c.paint(c.clip(m, c.poly([(x, y - 2.6), (x + 2.6, y), (x, y + 2.6), (x - 2.6, y)], 0)), acc, 0.95)
    cuff = c.poly([(18, 62), (50, 66), (82, 62), (83, 80), (50, 85), (17, 80)], 3)
    c.shadow(cuff, 0, 0.8, 1.2, 0.3)
    c.fill(cuff, mix(col, acc, 0.12), 0.32)
    c.seams(cuff, [[(x, 60), (x, 88)] for x in range(18, 84, 3)], dark(col, 0.6), 0.5, 0.35)


def mitten(c, col, acc):
    hand = [(24, 84), (22, 62), (21, 42), (27, 24), (38, 18), (49, 25), (53, 42), (52, 52), (59, 43), (66, 44),
            (66, 53), (58, 66), (53, 74), (52, 84), (38, 86)]
    for side, cx, dy in ((1, 66, 2), (-1, 33, -2)):
        def at(x, y):
            return cx + side * (x - 38) * 0.92, y * 0.92 + 4 + dy
        m = c.blob([at(x, y) for x, y in hand])
        c.shadow(m)
        c.fill(m, col, 0.36)
        for y in (32, 42, 52, 62):
            for x in (29.5, 38, 46.5):
                px, py = at(x, y)
                star = c.poly([(px, py - 3), (px + 1, py - 1), (px + 3, py), (px + 1, py + 1), (px, py + 3),
                               (px - 1, py + 1), (px - 3, py), (px - 1, py - 1)], 0)
                c.paint(c.clip(m, star), acc, 0.9)
        (x0, y0), (x1, y1) = at(21, 76), at(55, 91)
        x0, x1 = min(x0, x1), max(x0, x1)
        cuff = c.box(x0, y0, x1, y1, 3)
        c.shadow(cuff, 0, 0.8, 1.2, 0.3)
        c.fill(cuff, acc, 0.34)
        c.seams(cuff, [[(x0 + k * 2, y0 - 1), (x0 + k * 2, y1 + 1)] for k in range(1, 16)], dark(acc, 0.6), 0.45, 0.35)


def sleepingbag(c, col, acc):
    m = c.blob([(50, 7), (36, 10), (28, 22), (26, 40), (29, 70), (34, 100), (40, 115), (50, 117), (60, 115), (66, 100),
                (71, 70), (74, 40), (72, 22), (64, 10)])
    c.shadow(m)
    c.fill(m, col, 0.38)
    for y in range(40, 112, 9):
        c.fill(c.clip(m, c.blob([(20, y), (50, y + 4), (80, y), (80, y - 8), (50, y - 4.5), (20, y - 8)])), col, 0.3, soft=2)
    hole = c.blob([(50, 13), (40, 16), (36, 25), (41, 33), (50, 35), (59, 33), (64, 25), (60, 16)])
    c.fill(hole, acc, 0.34)
    c.fill(c.blob([(50, 18), (43, 20), (41, 26), (45, 31), (50, 32), (55, 31), (59, 26), (57, 20)]), dark(acc, 0.45), 0.2)
    c.paint(c.line([(58, 34), (61, 60), (60, 104)], 1), acc)
    c.paint(c.box(36, 96, 44, 100, 1), light(acc, 0.7))


def chair(c, col, acc):
    c.ground(50, 88, 34)
    for a, b in (((28, 60), (22, 88)), ((70, 60), (78, 88)), ((34, 58), (38, 83)), ((64, 58), (62, 83))):
        c.fill(c.line([a, b], 3.2), dark(WOOD, 0.15), 0.4, soft=1)
    for x in (31, 69):
        c.fill(c.line([(x + (50 - x) * 0.05, 60), (x, 12)], 3.4), WOOD, 0.4, soft=1)
    back = c.box(33, 15, 67, 46, 4)
    c.shadow(back)
    c.fill(back, col, 0.34)
    c.seams(back, [[(x, 12), (x, 50)] for x in range(36, 67, 3)], dark(col, 0.5), 0.4, 0.28)
    for y in (22, 39):
        c.paint(c.clip(back, c.box(30, y, 70, y + 2, 0)), acc, 0.9)
    seat = c.poly([(27, 55), (73, 55), (80, 65), (20, 65)], 2.4)
    c.shadow(seat, 0, 1, 1.4, 0.3)
    c.fill(seat, col, 0.32)
    c.fill(c.box(20, 64, 80, 67.5, 1.4), WOOD, 0.4)
    for x, y in ((20, 44), (80, 44)):
        c.fill(c.line([(x, y), (x + (50 - x) * 0.35, y)], 3.2), WOOD, 0.4, soft=1)
        c.fill(c.line([(x + (50 - x) * 0.06, y), (x + (50 - x) * 0.1, 66)], 2.4), dark(WOOD, 0.1), 0.3, soft=1)


def lantern(c, col, acc):
    c.ground(50, 90, 22)
    c.paint(c.cut(c.oval(50, 24, 17, 19), c.oval(50, 24, 15.4, 17.4)), dark(STEEL, 0.35))
    c.fill(c.poly([(40, 19), (60, 19), (66, 31), (34, 31)], 2), col, 0.4)
    c.fill(c.box(44, 13, 56, 20, 2), col, 0.4)
    glass = c.blob([(38, 31), (50, 30), (62, 31), (67, 48), (63, 68), (50, 70), (37, 68), (33, 48)])
    c.fill(glass, "#f6e7c1", 0.2)
    c.glow(50, 52, 20, "#ffd27a", 0.9)
    c.fill(c.blob([(50, 38), (45, 50), (46, 60), (50, 63), (54, 60), (55, 50)]), "#ffb13d", 0.1)
    c.fill(c.blob([(50, 47), (47.5, 55), (50, 61), (52.5, 55)]), "#fff4cf", 0)
    c.seams(glass, [[(41, 31), (37, 50), (41, 70)], [(59, 31), (63, 50), (59, 70)]], dark(col, 0.3), 0.9, 0.6)
    base = c.poly([(36, 68), (64, 68), (69, 82), (69, 90), (31, 90), (31, 82)], 2.4)
    c.fill(base, col, 0.42)
    c.paint(c.clip(base, c.box(25, 81, 75, 83.5, 0)), acc)
    c.fill(c.oval(72, 79, 3.4), STEEL, 0.4)


def book(c, col, acc):
    c.ground(50, 92, 30)
    c.fill(c.poly([(76, 15), (80, 18), (80, 92), (76, 93)], 0.6), "#f2ead9", 0.2)
    c.fill(c.poly([(24, 88), (77, 88), (80, 92), (28, 93)], 0.6), "#e6dcc6", 0.2)
    cover = c.box(22, 12, 77, 90, 1.5)
    c.shadow(cover)
    c.fill(cover, col, 0.26)
    c.fill(c.clip(cover, c.box(20, 10, 28, 92, 0)), dark(col, 0.28), 0.2)
    sky = c.box(33, 36, 71, 80, 1)
    c.fill(sky, light(acc, 0.45), 0, top=0.3, bottom=0)
    c.paint(c.clip(sky, c.oval(60, 47, 5)), "#fff3cf")
    c.paint(c.clip(sky, c.poly([(28, 82), (41, 54), (49, 66), (57, 52), (76, 82)], 0.8)), acc)
    c.paint(c.clip(sky, c.poly([(28, 82), (38, 68), (50, 77), (64, 66), (76, 82)], 0.8)), dark(acc, 0.35))
    for y, w, h in ((20, 30, 3.4), (27, 22, 2.4)):
        c.paint(c.box(52 - w / 2, y, 52 + w / 2, y + h, 1), light(col, 0.82))


def balm(c, col, acc):
    c.ground(50, 87, 34)
    tube = c.poly([(20, 15), (42, 15), (40, 74), (22, 74)], 2)
    c.shadow(tube)
    c.fill(tube, light(col, 0.35), 0.4)
    c.fill(c.box(22.5, 73, 39.5, 86, 2), acc, 0.42)
    c.fill(c.box(19, 12, 43, 18, 1), light(col, 0.2), 0.3)
    c.paint(c.clip(tube, c.box(18, 32, 44, 56, 0)), "#ffffff", 0.8)
    c.fill(c.blob([(31, 36), (26, 44), (31, 52), (36, 44)]), acc, 0.2)
    jar = c.box(48, 54, 84, 87, 4)
    c.shadow(jar)
    c.fill(jar, col, 0.42)
    c.paint(c.clip(jar, c.box(40, 64, 90, 80, 0)), "#ffffff", 0.85)
    for x in (58, 66, 74):
        c.fill(c.blob([(x, 66), (x - 3, 72), (x, 78), (x + 3, 72)]), acc, 0.2)
    lid = c.box(46, 42, 86, 56, 2.5)
    c.fill(lid, acc, 0.42)
    c.seams(lid, [[(x, 44), (x, 56)] for x in range(48, 86, 2)], dark(acc, 0.7), 0.3, 0.3)


def pendant(c, col, acc):
    chain = c.line([(22, 10), (26, 30), (38, 47), (50, 54), (62, 47), (74, 30), (78, 10)], 0.9)
    c.shadow(chain, 1, 1.6, 1.2, 0.3)
    c.paint(chain, dark(acc, 0.12))
    ring = c.cut(c.oval(50, 55.5, 3.4), c.oval(50, 55.5, 2.1))
    c.paint(ring, acc)
    outer = c.oval(50, 73, 16.5)
    c.shadow(outer)
    c.fill(outer, acc, 0.5, top=0.3)
    stone = c.oval(50, 73, 12.6)
    c.fill(stone, col, 0.45)
    c.paint(c.clip(stone, c.poly([(36, 84), (46, 68), (51, 75), (57, 66), (66, 84)], 0.8)), light(col, 0.65), 0.9)
    c.glow(45, 67, 5, "#ffffff", 0.55)
    for x, s in ((12, 1), (88, -1)):
        drop = c.blob([(x, 60), (x - 4.5, 70), (x, 76), (x + 4.5, 70)])
        c.shadow(drop)
        c.fill(drop, col, 0.45)
        c.paint(c.line([(x, 60), (x + s, 55), (x + 2 * s, 58)], 0.7), acc)


def toybear(c, col, acc):
    c.ground(50, 90, 28)
    for x in (35, 65):
        c.fill(c.oval(x, 20, 8), col, 0.3)
        c.fill(c.oval(x, 20.5, 4.4), light(acc, 0.4), 0.2)
    for x, y in ((33, 82), (67, 82)):
        c.fill(c.oval(x, y, 11, 8.5), col, 0.32)
        c.fill(c.oval(x, y + 1, 6.6, 5), light(acc, 0.4), 0.2)
    c.fill(c.oval(50, 67, 20, 22), col, 0.34)
    c.fill(c.oval(50, 70, 12, 14), light(acc, 0.5), 0.2)
    for pts in ([(34, 56), (27, 62), (26, 70)], [(66, 56), (73, 62), (74, 70)]):
        c.fill(c.line(pts, 9.5), col, 0.3)
    head = c.oval(50, 34, 20, 18.5)
    c.shadow(head, 0, 2, 1.8, 0.3)
    c.fill(head, col, 0.34)
    c.fill(c.oval(50, 40, 9, 7.4), light(acc, 0.55), 0.2)
    c.paint(c.oval(50, 37.2, 3.2, 2.3), INK)
    c.paint(c.line([(50, 39), (50, 42)], 0.8), INK)
    c.paint(c.line([(46, 42.6), (48, 44), (50, 42.4), (52, 44), (54, 42.6)], 0.8), INK)
    for x in (42, 58):
        c.paint(c.oval(x, 31, 2.1), INK)
        c.paint(c.oval(x - 0.7, 30.2, 0.7), "#ffffff")
    scarf = c.line([(33, 50), (50, 54), (67, 50)], 5.4)
    c.fill(scarf, acc, 0.3, soft=1.5)
    c.fill(c.poly([(57, 52), (63, 51), (66, 68), (59, 69)], 1), acc, 0.3, soft=1.5)


def gps(c, col, acc):
    c.ground(50, 91, 20)
    c.fill(c.line([(62, 24), (62, 7)], 5), INK, 0.45)
    body = c.poly(mirror([(35, 16), (31, 24), (31, 74), (35, 90), (44, 92)]), 4)
    c.shadow(body)
    c.fill(body, col, 0.42)
    c.fill(c.box(35, 24, 65, 63, 2), INK, 0.3)
    screen = c.box(37, 26, 63, 61, 1)
    c.fill(screen, "#cfe3d2", 0.05)
    for k in range(4):
        c.seams(screen, [[(34, 34 + k * 8), (45, 30 + k * 7), (54, 38 + k * 7), (66, 31 + k * 8)]], "#6d9a78", 0.5, 0.8)
    c.paint(c.clip(screen, c.line([(40, 58), (45, 48), (52, 46), (57, 33)], 1)), acc)
    c.paint(c.oval(57, 33, 1.8), acc)
    c.fill(c.oval(50, 76, 8), dark(col, 0.4), 0.4)
    c.fill(c.oval(50, 76, 3.4), acc, 0.3)
    for x in (38.5, 61.5):
        c.fill(c.box(x - 2.4, 67, x + 2.4, 70, 1), STEEL, 0.3)


def axe(c, col, acc):
    shaft = c.blob([(26, 87), (35, 70), (50, 46), (64, 22), (68, 18), (72, 21), (69, 28), (55, 52), (40, 76), (33, 91), (28, 92)])
    c.shadow(shaft)
    c.fill(shaft, WOOD, 0.42)
    c.seams(shaft, [[(30, 88), (46, 62), (67, 24)], [(34, 86), (50, 58), (70, 24)]], dark(WOOD, 0.6), 0.3, 0.4)
    c.fill(c.clip(shaft, c.poly([(22, 80), (46, 66), (44, 96), (22, 96)], 0)), col, 0.3)
    head = c.blob([(58, 14), (70, 12), (78, 22), (72, 32), (62, 34), (52, 40), (38, 42), (30, 32), (31, 20), (44, 22)])
    c.shadow(head)
    c.fill(head, dark(STEEL, 0.2), 0.45)
    c.fill(c.clip(head, c.poly([(26, 14), (36, 18), (40, 44), (26, 46)], 2)), light(STEEL, 0.5), 0.2)
    c.fill(c.oval(66, 23, 3.4), acc, 0.3)


def bottle(c, col, acc):
    c.ground(50, 116, 19)
    body = c.poly(mirror([(41, 32), (36, 40), (33, 48), (33, 110), (37, 116)]), 3.4)
    c.fill(body, col, 0.44)
    c.fill(c.box(40, 12, 60, 33, 2.5), acc, 0.44)
    c.seams(c.box(40, 12, 60, 33, 2.5), [[(x, 14), (x, 31)] for x in range(41, 60, 2)], dark(acc, 0.6), 0.35, 0.35)
    c.fill(c.box(39, 31, 61, 35, 1), STEEL, 0.5)
    peaks = c.clip(body, c.poly([(28, 98), (39, 78), (44, 85), (51, 72), (59, 88), (63, 82), (72, 98)], 1))
    c.paint(peaks, light(acc, 0.25), 0.95)
    c.paint(c.clip(body, c.box(28, 98, 72, 100, 0)), light(acc, 0.25), 0.95)
    c.paint(c.clip(body, c.box(37, 44, 39, 106, 1)), "#ffffff", 0.35)
    c.fill(c.clip(body, c.box(28, 110, 72, 120, 0)), STEEL, 0.4)


def skis(c, col, acc):
    for x, tone in ((38, col), (58, mix(col, acc, 0.1))):
        ski = c.poly([(x, 16), (x + 2, 9), (x + 4.5, 6), (x + 7, 9), (x + 9, 16), (x + 7.4, 62), (x + 8.6, 116), (x + 0.4, 116), (x + 1.6, 62)], 2)
        c.shadow(ski, 2, 2)
        c.fill(ski, tone, 0.36)
        for y in (22, 27, 32, 96, 101):
            c.paint(c.clip(ski, c.poly([(x - 2, y), (x + 4.5, y - 4), (x + 11, y), (x + 11, y + 2), (x + 4.5, y - 2), (x - 2, y + 2)], 0)), acc)
        c.fill(c.box(x + 1.3, 58, x + 7.7, 76, 1.4), INK, 0.45)
        c.fill(c.box(x + 2, 56, x + 7, 62, 1), STEEL, 0.4)
    for x, s in ((22, 1), (81, -1)):
        pole = c.line([(x, 14), (x + 2 * s, 112)], 1.2)
        c.shadow(pole, 2, 2)
        c.paint(pole, dark(STEEL, 0.25))
        c.fill(c.line([(x, 12), (x + 0.4 * s, 26)], 3.2), acc, 0.4, soft=1)
        c.fill(c.oval(x + 1.9 * s, 107, 4.4, 1.4), INK, 0.3)


def blanket(c, col, acc):
    c.ground(50, 84, 38)
    for k, (x0, x1, y) in enumerate(((14, 86, 62), (15, 84, 44), (17, 83, 26))):
        tone = col if k != 1 else mix(col, acc, 0.2)
        fold = c.box(x0, y, x1, y + 22, 9)
        c.shadow(fold, 0, 1.4, 1.6, 0.35)
        c.fill(fold, tone, 0.38)
        for x in range(22, 82, 12):
            c.paint(c.clip(fold, c.box(x, y, x + 3, y + 24, 0)), acc, 0.55)
        for yy in (y + 6, y + 14):
            c.paint(c.clip(fold, c.box(10, yy, 90, yy + 1.8, 0)), light(acc, 0.4), 0.5)
        c.seams(fold, [[(16, y + 19), (50, y + 20), (84, y + 19)]], dark(tone, 0.7), 0.5, 0.4)
    for y in range(47, 64, 3):
        c.paint(c.line([(83.5, y), (91, y + 1.5)], 0.8), light(acc, 0.3))
    c.fill(c.box(43, 24, 57, 85, 1), WOOD, 0.3)
    c.fill(c.box(45.5, 50, 54.5, 58, 1), light(WOOD, 0.7), 0.1)


def compass(c, col, acc):
    strap = c.line([(50, 16), (38, 8), (26, 12), (20, 26)], 1.6)
    c.shadow(strap)
    c.paint(strap, acc)
    m = c.oval(50, 54, 35)
    c.shadow(m)
    c.fill(m, col, 0.46)
    c.fill(c.box(45, 13, 55, 21, 2), col, 0.4)
    c.fill(c.oval(50, 54, 28.6), dark(col, 0.4), 0.3)
    face = c.oval(50, 54, 27)
    c.fill(face, "#f6f0e2", 0.16)
    for x, y, ch in ((50, 34, "N"), (70, 54, "E"), (50, 74, "S"), (30, 54, "W")):
        c.text(x, y, ch, 6.5, INK)
    c.fill(c.poly([(59, 37), (53.5, 56), (46.5, 52)], 0.3), "#d6453d", 0.25, soft=1)
    c.fill(c.poly([(41, 71), (53.5, 56), (46.5, 52)], 0.3), "#eef1f4", 0.3, soft=1)
    c.fill(c.oval(50, 54, 2.6), "#d9b35c", 0.3)
    c.paint(c.clip(face, c.cut(c.oval(50, 54, 24), c.oval(48, 57, 25))), "#ffffff", 0.5)


def roofbox(c, col, acc):
    c.ground(50, 76, 42, 3)
    for x in (30, 70):
        c.fill(c.poly([(x - 3, 58), (x + 3, 58), (x + 5, 75), (x - 5, 75)], 1), INK, 0.4)
    c.fill(c.box(12, 69, 88, 73, 1.6), dark(STEEL, 0.2), 0.4)
    box = c.blob([(5, 56), (14, 44), (34, 36), (60, 34), (84, 37), (95, 46), (95, 56), (86, 62), (50, 63), (14, 62)])
    c.fill(box, col, 0.42)
    c.seams(box, [[(4, 54), (50, 55), (97, 53)]], dark(col, 0.8), 0.8, 0.7)
    c.paint(c.clip(box, c.poly([(36, 30), (48, 30), (40, 66), (28, 66)], 0)), acc, 0.9)
    c.paint(c.clip(box, c.poly([(51, 30), (54, 30), (46, 66), (43, 66)], 0)), acc, 0.9)
    c.fill(c.box(72, 53.4, 79, 57, 1), STEEL, 0.3)
    c.text(70, 46.5, "NORDLYS", 4.6, light(col, 0.85))


def sled(c, col, acc):
    c.ground(48, 86, 40)
    for y, tone in ((74, dark(WOOD, 0.3)), (82, WOOD)):
        c.fill(c.line([(10, y - 14), (14, y - 4), (24, y), (54, y + 1), (88, y)], 3.2), tone, 0.4, soft=1)
    for x in (32, 54, 76):
        c.fill(c.line([(x, 58), (x + 2, 80)], 2.6), dark(WOOD, 0.15), 0.4, soft=1)
        c.fill(c.line([(x - 2, 54), (x - 1, 73)], 2.6), dark(WOOD, 0.3), 0.4, soft=1)
    for k, y in enumerate((45, 50.5, 56)):
        slat = c.box(22 - k * 2, y, 86 + k * 1.5, y + 4.6, 1.8)
        c.shadow(slat, 0, 0.8, 1, 0.3)
        c.fill(slat, col if k % 2 == 0 else acc, 0.36, soft=1.5)
    rope = c.line([(12, 60), (4, 42), (10, 26), (24, 20), (38, 26)], 1.2)
    c.shadow(rope, 0.6, 1, 0.8)
    c.paint(rope, acc)


def candle(c, col, acc):
    c.ground(50, 88, 24)
    glass = c.box(29, 38, 71, 88, 4)
    c.fill(glass, light(col, 0.2), 0.4)
    c.fill(c.box(31, 50, 69, 86, 3), light(col, 0.45), 0.2)
    c.glow(50, 50, 17, "#ffdf9b", 0.8)
    c.paint(c.box(36, 60, 64, 80, 1), "#fffaf0")
    c.fill(c.poly([(50, 62), (45, 70), (47.5, 70), (43, 76), (57, 76), (52.5, 70), (55, 70)], 0.5), acc, 0.1)
    c.paint(c.oval(50, 38, 21, 4), light(col, 0.6), 0.8)
    c.paint(c.oval(50, 38.6, 19, 3.2), light(col, 0.3), 0.9)
    c.paint(c.line([(50, 42), (50, 34)], 0.8), INK)
    c.glow(50, 28, 12, "#ffcf70", 0.8)
    c.fill(c.blob([(50, 16), (45.6, 27), (47, 34), (50, 35.5), (53, 34), (54.4, 27)]), "#ffb23e", 0.1)
    c.fill(c.blob([(50, 24), (48, 30), (50, 34.5), (52, 30)]), "#fff6d6", 0)


# kind: (drawing, height in units, backdrop, [(main, second, tint, name) ...])
KINDS = {
    "sock": (sock, 100, "studio", [("#7a8794", "#d9573f", "#8fa3b3", "grey"), ("#2f4a6d", "#e9c46a", "#7d95b5", "blue"),
             ("#8c3b3b", "#f0d9b5", "#c08a84", "red"), ("#4f6f52", "#f2e3c6", "#92ad92", "moss"), ("#d8b87a", "#7c4a2d", "#d9c39a", "sand")]),
    "baselayer": (baselayer, 100, "wall", [("#33415c", "#c9d6df", "#93a4be", "navy"), ("#7b2d3b", "#f1dca7", "#c29aa0", "wine"),
                  ("#3d5a4c", "#e8e3d3", "#9bb5a6", "spruce"), ("#4a4e57", "#e07a5f", "#a9aeb8", "coal")]),
    "jacket": (jacket, 125, "studio", [("#d9a02f", "#3a4d63", "#d8c08d", "amber"), ("#2f6f8f", "#1f3b4d", "#8fb4c5", "fjord"),
               ("#b6423a", "#4a1f24", "#cf9a94", "rowan"), ("#556b4e", "#2f3d2e", "#a3b49b", "moss"), ("#3c4250", "#d66a4a", "#a1a8b8", "slate")]),
    "puffer": (puffer, 125, "wall", [("#e07a3f", "#7a3420", "#e0b797", "orange"), ("#27496d", "#0f2740", "#88a2be", "night"),
               ("#8fae9b", "#3f5a4c", "#bccdc0", "sage"), ("#5c3a58", "#2e1c2f", "#ad98ab", "plum")]),
    "trousers": (trousers, 125, "wall", [("#5b5f54", "#3c4038", "#b0b3a8", "stone"), ("#3a4a63", "#26324a", "#99a7bd", "navy"),
                 ("#8a6d4b", "#5e4830", "#c7b398", "bark"), ("#2e3136", "#c2593f", "#a5a8ae", "coal")]),
    "onepiece": (onepiece, 125, "studio", [("#7fa6b8", "#f0e4d0", "#a9c5d1", "sky"), ("#d98f6a", "#f7e7cf", "#e2b99f", "fox"),
                 ("#8d7fb0", "#f3d9e2", "#b9afd0", "heather"), ("#6d8c68", "#f0e6c8", "#aec4a8", "moss")]),
    "tent": (tent, 100, "valley", [("#d9652f", "#f2c14e", "#86a9c9", "orange"), ("#4d7a52", "#e9d8a6", "#93b0c2", "green"),
             ("#a8323e", "#f2d0a4", "#8c9fc0", "red"), ("#3f6f9f", "#e8eef2", "#c9a68c", "blue"), ("#c2b280", "#6b5b3e", "#9cb7b5", "sand")]),
    "stove": (stove, 100, "studio", [("#c8402f", "#2b3340", "#b9a99e", "red"), ("#2f6d8c", "#e0a030", "#9fb3bf", "blue"),
              ("#4b5a3c", "#d8c79b", "#aab39c", "green"), ("#d8a228", "#3a3a3a", "#cdbf98", "yellow")]),
    "boot": (boot, 100, "studio", [("#7a4f2e", "#c98b4f", "#c5ad97", "leather"), ("#3f4650", "#d1603d", "#a4abb5", "slate"),
             ("#5d6b45", "#c9b458", "#a9b395", "moss"), ("#2f4866", "#8fb8de", "#93a8c2", "blue"), ("#8a3d42", "#e0b9a0", "#c79ea0", "wine")]),
    "backpack": (backpack, 125, "studio", [("#2f6f6b", "#e0a030", "#93b8b5", "teal"), ("#b5452c", "#3a2c2a", "#cfa391", "rust"),
                 ("#44506b", "#8fa3c7", "#a2acc2", "slate"), ("#6b6a3a", "#c8b560", "#b5b492", "olive"), ("#23262e", "#d9573f", "#9da2ad", "black")]),
    "headlamp": (headlamp, 100, "wall", [("#d9573f", "#f2d0a4", "#a89c9c", "red"), ("#3a6ea5", "#f0f4f8", "#8ea4bb", "blue"),
                 ("#5b7f4a", "#e4e9c9", "#9db093", "green"), ("#4a4a52", "#f2b84b", "#a0a2ac", "black")]),
    "mug": (mug, 100, "studio", [("#e9e4d8", "#2f4a6d", "#b9b4a8", "cream"), ("#2f4a6d", "#e9dcc0", "#8ea1bc", "blue"),
            ("#b6423a", "#f2e3c6", "#cda09b", "red"), ("#4f6f52", "#eee6cf", "#9fb5a0", "green")]),
    "beanie": (beanie, 100, "wall", [("#b6423a", "#f2e9d8", "#cda09b", "red"), ("#33506f", "#f0d9a8", "#93a8bf", "blue"),
               ("#e0a030", "#6b3f1d", "#dcc595", "mustard"), ("#5a6b5d", "#e8e3d3", "#a6b5a9", "moss"), ("#d9d3c7", "#7a5c6e", "#b5afa6", "oat")]),
    "mitten": (mitten, 100, "studio", [("#2f4a6d", "#f0ece2", "#94a7c0", "blue"), ("#a23a3a", "#f4e6d0", "#cb9e9b", "red"),
               ("#4a4e57", "#e6e2d8", "#a8acb4", "grey"), ("#6b7f4f", "#f3edd2", "#b0bd9d", "lichen")]),
    "sleepingbag": (sleepingbag, 125, "wall", [("#2f5d8a", "#e07a3f", "#90abc6", "blue"), ("#8a2f3f", "#e9c46a", "#c69aa2", "red"),
                    ("#3f6b4f", "#d9c27a", "#9ab8a4", "green"), ("#4b4657", "#8fb8c9", "#a9a5b5", "graphite")]),
    "chair": (chair, 100, "studio", [("#c9b79a", "#7c4a2d", "#c9bda9", "linen"), ("#4f6f6a", "#e0b060", "#9db5b1", "teal"),
              ("#9a4b3c", "#f0d9b5", "#cba79d", "brick"), ("#5c6470", "#e6ded0", "#aeb4bd", "grey")]),
    "lantern": (lantern, 100, "wall", [("#2f4a6d", "#d9b35c", "#6f7f99", "blue"), ("#7a2f2f", "#e0b060", "#8f7272", "red"),
                ("#3c5245", "#d9b35c", "#74887b", "green"), ("#3a3a40", "#c98b4f", "#7b7b86", "black")]),
    "book": (book, 100, "studio", [("#2f4a6d", "#5d8aa8", "#a2b3c6", "blue"), ("#7a3b32", "#c97b4f", "#c7a79c", "brick"),
             ("#41584a", "#7fa387", "#a7b9ac", "green"), ("#d8c7a0", "#8a6d4b", "#cfc3a8", "sand")]),
    "balm": (balm, 100, "studio", [("#8fb3a0", "#3f6b58", "#bcd0c5", "mint"), ("#e0b9a0", "#9a5b46", "#e3ccbe", "rose"),
             ("#9fb6cf", "#41618a", "#c3d0de", "ice"), ("#d9c58f", "#8a6f2f", "#ddd2b3", "honey")]),
    "pendant": (pendant, 100, "wall", [("#3f7f8f", "#c9ccd2", "#b8c4c9", "silver"), ("#7a3f6b", "#d9b35c", "#c9b6c2", "gold"),
                ("#2f4a8a", "#d7dbe0", "#b3bccf", "night"), ("#a34a32", "#d6a35c", "#d3bcae", "bronze")]),
    "toybear": (toybear, 100, "studio", [("#a9794a", "#c8402f", "#d3bd9f", "brown"), ("#d8d3ca", "#3a6ea5", "#c5cbd2", "polar"),
                ("#5b5148", "#d9a02f", "#b3aba2", "dark"), ("#c98f7a", "#5b7f6a", "#ddc2b6", "fox")]),
    "gps": (gps, 100, "wall", [("#e0a030", "#d6453d", "#c9bfa5", "yellow"), ("#4a5a6b", "#e07a3f", "#a5afba", "slate"),
            ("#5b7f4a", "#d6453d", "#a9b8a0", "green"), ("#c8402f", "#2f5d8a", "#c7a7a0", "red")]),
    "axe": (axe, 100, "studio", [("#8a2f2f", "#d9b35c", "#c1b3a4", "red"), ("#2f4a6d", "#d9b35c", "#a9b5c3", "blue"),
            ("#3a3a3a", "#c8402f", "#b5b3b0", "black"), ("#4f6f52", "#e0b060", "#afbcab", "green")]),
    "bottle": (bottle, 125, "studio", [("#2f6f8f", "#24303c", "#9dbbc9", "fjord"), ("#c8553d", "#33302e", "#d6ab9f", "rust"),
               ("#e6e1d6", "#4a5a4c", "#bdbab1", "birch"), ("#3f5a4c", "#c9b48a", "#a2b5aa", "spruce")]),
    "skis": (skis, 125, "wall", [("#c8402f", "#f2e9d8", "#b9c6d3", "red"), ("#2f4a8a", "#f0c34e", "#b0bfd6", "blue"),
             ("#e9e6df", "#2f6f6b", "#a9bcc9", "white"), ("#2c2f36", "#8fd0c0", "#b3bcc4", "black")]),
    "blanket": (blanket, 100, "studio", [("#8a8f98", "#e9e4d8", "#b5b9bf", "grey"), ("#9a3f3a", "#f0d9b5", "#cda49d", "red"),
                ("#3f5f7a", "#dfe6ea", "#9fb2c1", "blue"), ("#6b7a52", "#efe6c9", "#b1ba9f", "moss")]),
    "compass": (compass, 100, "studio", [("#b8873f", "#8a2f2f", "#c9b79a", "brass"), ("#3a4250", "#d9a02f", "#a3abb8", "steel"),
                ("#5d6b45", "#c8402f", "#aab39a", "olive")]),
    "roofbox": (roofbox, 100, "valley", [("#2c2f36", "#d9573f", "#8fa9c2", "black"), ("#dfe2e4", "#2f6f8f", "#a9b8a3", "white"),
                ("#5a6470", "#e0a030", "#c0a58f", "grey")]),
    "sled": (sled, 100, "valley", [("#c8402f", "#e9dcc0", "#9fb6d0", "red"), ("#2f6d8c", "#f0d9a8", "#a3b9cc", "blue"),
             ("#5b7f4a", "#efe3c2", "#b3bfcc", "green")]),
    "candle": (candle, 100, "wall", [("#d9b08c", "#9a5b2f", "#a3948a", "amber"), ("#8fae9b", "#3f6b4f", "#8a9a92", "pine"),
               ("#b39ab5", "#5c3a6b", "#968b9b", "heather")]),
}


def backdrop(c, style, tint, seed):
    if style == "valley":
        c.valley(tint, seed)
    elif style == "wall":
        c.wall(tint)
    else:
        c.studio(tint)
