"""The interactive videos: folders, projects with their steps, webhooks, the video list."""

import json
import random
import string

from .videos import SCENES

STORE = "https://nordlys-outdoor.example"
# Products on steps: external ids, and from which second they show. The jacket of the quiz is sold out.
PRODUCTS = {
    "Sm4ll": [("8123456789012", None), ("8123463769235", 1)],
    "B1gGf": [("8123463670922", None), ("8123457444432", 1.5)],
    "cgEue": [("8123460623219", None)],
    "PFIwv": [("8123463408754", None)],
    "pM2P5": [("8123463474296", None)],
    "Dk9J6": [("8123461049242", None)],
    "OSFdQ": [("8123458853585", None), ("8123460787074", 1)],
}
# Made-up visits a day, for a month.
VISITS = {"Gift finder": 38, "Range tour": 12, "Help desk": 15, "Trip planner": 20}
SECONDS = {scene[0]: scene[5] for scene in SCENES}
MAIL = ["studio@nordlys-outdoor.example"]


def step(key, description, overlay, video, answers, time=None):
    if video and time is None:
        time = SECONDS[video] - 1.5
    made = {"key": key, "description": description, "overlayText": overlay, "video": f"{video}.mp4" if video else None,
            "answerTime": time or 0, "answers": [{"text": text, "next": to} for text, to in answers]}
    if key in PRODUCTS:
        made["products"] = [{"store": STORE, "productId": product} | ({"from": second} if second else {}) for product, second in PRODUCTS[key]]
    return made


def project(name, folder, steps, mail=MAIL):
    made = {"name": name, "folder": folder, "emailNotifications": mail, "steps": steps, "stepsOrder": [s["key"] for s in steps]}
    if name in VISITS:
        made["visitsADay"] = VISITS[name]
    return made


def gift_finder():
    """Branches twice, joins again."""
    return project("Gift finder", "Gift guides", [
        step("pHB58", "Welcome", "Who is it for?", "welcome", [("For her", "rqAvg"), ("For him", "7TzzA"), ("Not sure", "n0Tsr")], 4),
        step("rqAvg", "For her", "What does she like?", "for-her", [("Being outdoors", "0utDr"), ("Being warm", "k2LmQ")]),
        step("7TzzA", "For him", "What does he like?", "for-him", [("Being outdoors", "0utDr"), ("Being warm", "k2LmQ"), ("Old boots", "bT5wX")]),
        step("n0Tsr", "Not sure", "Nobody says no to wool", "help-1", [("Show me wool", "k2LmQ"), ("Something else", "0utDr")]),
        step("k2LmQ", "Warm things", "Our warmest", "warm-things", [("Under 500 kr", "Sm4ll"), ("The big present", "B1gGf"), ("Start again", "pHB58")], 4.5),
        step("0utDr", "Being outdoors", "Sleep where it is quiet", "being-outdoors", [("Under 500 kr", "Sm4ll"), ("The big present", "B1gGf")], 4),
        step("bT5wX", "Boot care", "A tin of wax says: keep them", "help-2", [("To the small presents", "Sm4ll")]),
        step("Sm4ll", "Small presents", "Socks, mugs, mittens", "tour-2", [("Wrap it", "")], 2),
        step("B1gGf", "Big presents", "Tents, packs, parkas", "tour-4", [("Wrap it", ""), ("Start again", "pHB58")], 3.5),
    ], MAIL + ["gifts@nordlys-outdoor.example"])


def tour():
    """One after the other; the last step has no answers and plays to its end."""
    keys = ["Tr001", "Tr0Sh", "Tr0Bo", "Tr0Pa", "Tr0Te", "TrEnd"]
    texts = [("The shop in five stops", "Five stops, half a minute", "welcome"), ("Shells", "Three layers against rain", "tour-1"),
             ("Boots", "Resoled, not replaced", "tour-2"), ("Packs", "Half its weight", "tour-3"),
             ("Tents", "Up in four minutes", "tour-4"), ("See you outside", "Which one was yours?", "being-outdoors")]
    steps = []
    for i, (key, (description, overlay, video)) in enumerate(zip(keys, texts)):
        last = i + 1 == len(keys)
        steps.append(step(key, description, overlay, video, [] if last else [("Next", keys[i + 1])]))
    return project("Range tour", "Gift guides", steps, [])


def help_desk():
    """A tree that comes back to its root; one of its steps has its answers from the start."""
    return project("Help desk", "Service", [
        step("H3lp0", "What can we do?", "What happened?", "help-3", [("Washing and care", "C4re1"), ("It broke", "Br0ke"), ("Wrong size", "S1zeX")], 1.5),
        step("C4re1", "Care", "Wool or leather?", "help-1", [("Wool", "W00l2"), ("Leather", "L3thr")]),
        step("W00l2", "Wool", "Cool, gentle, flat", "help-1", [("That helped", "D0neY"), ("Back to the start", "H3lp0")], 3),
        step("L3thr", "Leather", "Thin, warm, patient", "help-2", [("That helped", "D0neY"), ("Back to the start", "H3lp0")]),
        step("Br0ke", "It broke", "Return or repair?", "help-3", [("Repair", "F1xIt"), ("Return", "S1zeX"), ("Back to the start", "H3lp0")], 0),
        step("F1xIt", "Repair", "We mend for free", "tour-2", [("Print the label", "D0neY")], 2),
        step("S1zeX", "Size and return", "Thirty days, no questions", "tour-1", [("Print the label", "D0neY"), ("Back to the start", "H3lp0")], 2),
        step("D0neY", "Done", "Glad to help", "welcome", [("One more question", "H3lp0"), ("Close", "")], 4),
    ], MAIL + ["help@nordlys-outdoor.example"])


def broken():
    """Broken on purpose: an answer to nowhere, a step nobody reaches, one without a video."""
    return project("Spring campaign (unfinished)", "Service", [
        step("Spr1n", "Snow or flowers?", "Pick your spring", "being-outdoors", [("Snow", "Sn0wY"), ("Flowers", "Fl0wr"), ("Both", "Zq9X7")], 4),
        step("Sn0wY", "Still winter", "Skis out", "warm-things", [("Show me", "")], 4),
        step("Fl0wr", "Already green", "Film is not cut yet", None, [("Show me", ""), ("Back", "Spr1n")]),
        step("L0neY", "Old opening", "Last year's film", "tour-3", [("Go on", "Spr1n")], 2),
    ])


def planner():
    """A big one: 24 steps in eight rows, joined at the end."""
    rnd = random.Random("planner")
    rows = [
        [("Trip planner", "How long will you be out?", "welcome")],
        [("A day", "Which season?", "tour-3"), ("A weekend", "Which season?", "being-outdoors"), ("A week", "Which season?", "tour-4")],
        [("Spring", "Where to?", "for-her"), ("Summer", "Where to?", "being-outdoors"), ("Autumn", "Where to?", "tour-1"), ("Winter", "Where to?", "warm-things")],
        [("Forest", "Where do you sleep?", "for-him"), ("Fell", "Where do you sleep?", "tour-2"), ("Coast", "Where do you sleep?", "tour-1"), ("Glacier", "Where do you sleep?", "warm-things")],
        [("In a tent", "Who comes along?", "tour-4"), ("In a hut", "Who comes along?", "help-3"), ("Under the sky", "Who comes along?", "being-outdoors")],
        [("Alone", "Your list", "for-him"), ("As a pair", "Your list", "for-her"), ("With children", "Your list", "help-3")],
        [("The light list", "12 things, 7 kg", "tour-3"), ("The easy list", "18 things, 11 kg", "being-outdoors"), ("The family list", "31 things, 19 kg", "help-3"),
         ("The winter list", "24 things, 17 kg", "warm-things"), ("The long list", "40 things, a pulk", "tour-4")],
        [("Ready", "Put it in the basket?", "welcome")],
    ]
    links = [[(0, 1, 2)], [(1, 2), (0, 1, 2, 3), (1, 2, 3)], [(0, 1), (0, 1, 2), (0, 1, 2), (0, 1, 3)],
             [(0, 1, 2), (0, 1), (0, 2), (0,)], [(0, 1, 2), (0, 1, 2), (0, 1)], [(0, 1, 4), (1, 3), (2, 3)], [(0,)] * 5]
    letters, keys = string.ascii_letters + string.digits, []
    while len(keys) < 24:
        key = "".join(rnd.choice(letters) for _ in range(5))
        if key not in keys:
            keys.append(key)
    named, it = [[(next_key, *cell) for cell, next_key in zip(row, keys[sum(map(len, rows[:r])):])] for r, row in enumerate(rows)], []
    for r, row in enumerate(named):
        for c, (key, description, overlay, video) in enumerate(row):
            if r + 1 < len(named):
                answers = [(named[r + 1][n][1], named[r + 1][n][0]) for n in links[r][c]]
            else:
                answers = [("Yes, all of it", ""), ("Plan another trip", keys[0])]
            it.append(step(key, description, overlay, video, answers))
    return project("Trip planner", "Gift guides", it)


def window():
    return project("Shop window — vinduet på hjørnet", None, [
        step("W1nd0", "Good evening", "Psst, over here", "welcome", [("Come in", "W1nd1"), ("Walk on", "")], 4),
        step("W1nd1", "Tonight", "Warm things in the window", "warm-things", [("More", "W1nd2"), ("Good night", "")], 4),
        step("W1nd2", "Tomorrow", "Open from ten", "tour-4", [("From the start", "W1nd0")], 3),
    ], [])


def make(folder):
    hook = "https://hooks.nordlys-outdoor.example"
    out = {
        "folders": [{"name": "Gift guides"}, {"name": "Service"}],
        "projects": [gift_finder(), tour(), help_desk(), broken(), planner(), window()],
        "webhooks": [{"event": "response_summary", "url": f"{hook}/answers"}, {"event": "collected_info", "url": f"{hook}/contacts"},
                     {"event": "conversion", "url": f"{hook}/orders"}],
        "videos": [{"file": f"{scene[0]}.mp4", "name": f"{scene[1][0]}"} for scene in SCENES],
    }
    (folder / "projects.json").write_text(json.dumps(out, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
