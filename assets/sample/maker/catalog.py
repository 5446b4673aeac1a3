"""The catalogue: 274 products of one store, the same on every run."""

import json
import random
import re
import unicodedata
from datetime import datetime, timedelta, timezone
from html import unescape
from html.parser import HTMLParser

from PIL import Image

from . import words
from .kinds import KINDS as DRAWN
from .special import SPECIAL

APP = "https://nordlys-outdoor.example"
STORE = {"appUrl": APP, "name": "Nordlys Outdoor", "currencyCode": "NOK", "currencySymbol": "kr"}
END = datetime(2026, 10, 31, 18, tzinfo=timezone.utc)
COUNT = 274

COLOURS = {"grey": "Stone grey", "blue": "Fjord blue", "red": "Rowan red", "moss": "Moss", "sand": "Sand", "navy": "Navy",
           "wine": "Wine", "spruce": "Spruce", "coal": "Coal", "amber": "Amber", "fjord": "Fjord", "rowan": "Rowan",
           "slate": "Slate", "orange": "Cloudberry", "night": "Polar night", "sage": "Sage", "plum": "Plum",
           "stone": "Stone", "bark": "Bark", "sky": "Sky", "fox": "Fox", "heather": "Heather", "green": "Pine",
           "yellow": "Sun", "leather": "Natural leather", "teal": "Teal", "rust": "Rust", "olive": "Olive",
           "black": "Black", "cream": "Cream", "mustard": "Mustard", "oat": "Oat", "lichen": "Lichen",
           "graphite": "Graphite", "linen": "Linen", "brick": "Brick", "mint": "Mint", "rose": "Rose", "ice": "Ice",
           "honey": "Honey", "silver": "Silver", "gold": "Gold", "bronze": "Bronze", "brown": "Brown",
           "polar": "Polar white", "dark": "Dark brown", "birch": "Birch", "white": "White", "brass": "Brass",
           "steel": "Steel", "pine": "Pine"}

# A video fits the kinds it shows.
VIDEOS = {"puffer": "warm-things", "baselayer": "help-1", "jacket": "tour-1", "boot": "tour-2", "backpack": "tour-3",
          "tent": "tour-4", "mitten": "warm-things", "beanie": "for-her", "axe": "for-him", "stove": "being-outdoors"}


class Plain(HTMLParser):
    """The words of an HTML text, on one line."""

    def __init__(self):
        super().__init__()
        self.parts, self.skip = [], 0

    def handle_starttag(self, tag, attrs):
        self.skip += tag in ("script", "style")
        self.parts.append("" if tag in ("b", "i", "em", "strong", "a", "span") else " ")

    def handle_endtag(self, tag):
        self.skip -= tag in ("script", "style")
        self.parts.append("" if tag in ("b", "i", "em", "strong", "a", "span") else " ")

    def handle_data(self, data):
        if not self.skip:
            self.parts.append(data)


def plain(html):
    if html is None:
        return None
    parser = Plain()
    parser.feed(html)
    parser.close()
    return " ".join(unescape("".join(parser.parts)).split())


def slug(title):
    text = title.lower().replace("ø", "o").replace("æ", "ae").replace("å", "a")
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")


def stamp(when, millis=None):
    text = when.strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{millis:03d}Z" if millis is not None else f"{text}Z"


def gtin(front):
    """Twelve digits with the check digit behind them (GS1)."""
    return front + str(-sum(int(digit) * (3, 1)[at % 2] for at, digit in enumerate(reversed(front))) % 10)


def money(value):
    return f"{value:.2f}"


class Maker:
    def __init__(self, folder):
        self.folder = folder
        self.media_ids, self.variant_ids = 700_000, 900_000
        self.handles, self.titles = set(), set()
        self.sizes = {}

    def picture_size(self, path):
        if path not in self.sizes:
            with Image.open(self.folder / path) as picture:
                self.sizes[path] = picture.size
        return self.sizes[path]

    def title(self, rnd, kind):
        while True:
            line, name = rnd.choice(words.LINES), rnd.choice(words.NAMES[kind])
            if kind == "book":
                title = f"{name}: {line}" if rnd.random() < 0.7 else f"{name}, volume {rnd.randint(1, 4)}"
            else:
                title = f"{line} {name[0].lower()}{name[1:]}"
            if title not in self.titles:
                return title

    def html(self, rnd, kind, title, grams):
        openings, facts = words.TEXTS[kind]
        facts = rnd.sample(facts, rnd.randint(2, 4))
        care = words.CARE[words.MATERIAL.get(kind, "hard")]
        out = [f"<p>{rnd.choice(openings)}</p>"]
        form = rnd.randrange(6)
        if form == 0:
            out.append(f"<p><strong>{facts[0]}.</strong> {'. '.join(facts[1:])}.</p>")
        elif form == 5:
            out.append("<ol>" + "".join(f"<li>{f}</li>" for f in facts) + "</ol>")
        else:
            out.append("<ul>" + "".join(f"<li>{f}</li>" for f in facts) + "</ul>")
        if form in (2, 4):
            out.append(f"<table><tr><th>Weight</th><td>{grams}&nbsp;g</td></tr>"
                       f"<tr><th>Made in</th><td>{rnd.choice(('Norway', 'Estonia', 'Portugal', 'Sweden &amp; Finland'))}</td></tr></table>")
        if form in (1, 2):
            out.append(f"<h3>Care</h3><p>{care}</p>")
        if form == 3:
            out.append(f'<p>More in our <a href="{APP}/pages/{rnd.choice(("care", "repair", "sizes"))}">guide</a> &mdash; '
                       f"or <em>ask us</em>, 9&ndash;17.</p>")
        return "".join(out)

    def variants(self, rnd, kind, s, ext, created, updated, base, colours):
        """Options and variants; `colours` are the picture names of this product."""
        sizes = words.SIZES[words.KINDS[kind][4]]
        count = s.get("options", rnd.choices((0, 1, 2), (22, 48, 30))[0])
        wanted = s.get("variants", rnd.choice((2, 3, 4, 4, 5, 6, 6, 8, 9, 12, 15)))
        axes = []
        if count and sizes:
            room = max(2, wanted // (len(colours) if count > 1 else 1) // (2 if count > 2 else 1))
            start = rnd.randint(0, max(0, len(sizes) - room))
            axes.append((words.SIZE_NAME.get(words.KINDS[kind][4], "Size"), sizes[start:start + room]))
        if len(axes) < count:
            axes.append(("Colour", [COLOURS[c] for c in colours]))
        if len(axes) < count and count == 3:
            axes.append(("Fit", ["Regular", "Wide"] if kind == "boot" else ["Regular", "Long"]))
        if wanted == 0:
            return axes, []
        combos = [[]]
        for name, values in axes:
            combos = [c + [{"name": name, "value": v}] for c in combos for v in values]
        combos = combos[:max(1, wanted)]

        policy = s.get("policy", rnd.choices(("deny", "continue", None), (80, 15, 5))[0])
        tracked = rnd.choices((True, False, None), (88, 9, 3))[0]
        mode = s.get("stock") or rnd.choices(("stock", "sold out", "null", "mixed"), (74, 9, 5, 12))[0]
        sale = rnd.random() < 0.22
        out = []
        for i, chosen in enumerate(combos):
            self.variant_ids += 1
            price = base
            for option in chosen:
                if option["name"] not in ("Colour", "Fit"):
                    values = next(v for n, v in axes if n == option["name"])
                    step = 0.18 if option["name"] in ("Volume", "Persons", "Content", "Length", "Chain") else 0.0
                    price = round(base * (1 + step * values.index(option["value"])) / 10) * 10 - 1
            quantity = {"stock": rnd.randint(1, 140), "sold out": 0, "null": None,
                        "mixed": rnd.choice((0, 0, None, 3, 18))}[mode]
            quantity = s.get("quantity", quantity)
            code = "-".join(re.sub(r"[^A-Z0-9]", "", slug(o["value"]).upper())[:4] for o in chosen)
            colour = next((o["value"] for o in chosen if o["name"] == "Colour"), None)
            out.append({
                "appUrl": APP, "id": self.variant_ids, "externalProductId": ext,
                "title": " / ".join(o["value"] for o in chosen) or "Default Title",
                "createdAt": created, "updatedAt": updated, "position": i + 1,
                "externalMediaId": colour,  # exchanged for the picture of this colour below
                "externalVariantId": str(44123456789012 + (self.variant_ids - 900_001) * 32_768),
                "barcode": None if rnd.random() < 0.4 else gtin(f"70{rnd.randrange(10**10, 10**11)}"[:12]),
                "compareAtPrice": money(round(price * 1.25 / 10) * 10 - 1) if sale and price and rnd.random() < 0.85 else None,
                "inventoryItemId": None if tracked is None else str(46000000000000 + self.variant_ids * 7),
                "inventoryQuantity": quantity, "inventoryPolicy": policy, "inventoryTracked": tracked,
                "selectedOptions": chosen or rnd.choice((None, [], [{"name": "Title", "value": "Default Title"}])),
                "price": money(price) if price else None,
                "sku": None if rnd.random() < 0.06 else f"{kind[:2].upper()}-{ext[-5:]}" + (f"-{code}" if code else ""),
                "taxable": rnd.choices((True, False, None), (94, 4, 2))[0],
            })
        return axes, out

    def media(self, rnd, kind, s, title, created, updated, colours, variants, position_of):
        def add(path, content="IMAGE", alt=None, video=None, links=None):
            self.media_ids += 1
            width, height = self.picture_size(path)
            entry = {
                "status": "READY", "appUrl": APP, "id": self.media_ids, "createdAt": created, "updatedAt": updated,
                "externalMediaId": str(31123456789012 + (self.media_ids - 700_001) * 32_768),
                "mediaContentType": content, "alt": alt, "previewUrl": f"sample:{path}",
                "previewHeight": height, "previewWidth": width,
                "videoUrl": f"sample:{video}" if video else None,
                "videoSize": (self.folder / video).stat().st_size if video else None,
                "position": len(out) + 1,
            }
            if links is not None:
                entry["mediaToVariant"] = links
            out.append(entry)
            return entry

        out = []
        if s.get("media") == 0:
            return out
        link = rnd.random() < 0.6
        for colour in colours:
            name = COLOURS[colour]
            mine = [v["externalVariantId"] for v in variants if v["externalMediaId"] == name]
            alt = rnd.choice((f"{title.strip()[:80]}, {name.lower()}", name, None))
            entry = add(f"pictures/{kind}-{colour}.jpg", alt=alt, links=mine if link and mine else None)
            for variant in variants:
                if variant["externalMediaId"] == name:
                    variant["externalMediaId"] = entry["externalMediaId"]
        chart = {"body": "size-chart-tops", "shoes": "size-chart-feet", "feet": "size-chart-feet"}.get(words.KINDS[kind][4])
        if chart and rnd.random() < 0.35:
            add(f"pictures/{chart}.png", alt="Size chart")
        if kind in ("blanket", "beanie", "sock", "mitten") and rnd.random() < 0.3:
            add(rnd.choice(("pictures/swatch-knit-blue.png", "pictures/swatch-knit-red.png", "pictures/care-wool.png")), alt="The wool, close up")
        if kind == "gps" and rnd.random() < 0.3:
            add(f"pictures/{kind}-{colours[0]}.jpg", "MODEL_3D", "Turn it round")
        if s.get("video"):
            video = s["video"]
            add(f"videos/{video}.jpg", "VIDEO", "Video: " + video.replace("-", " "), f"videos/{video}.mp4")
        others = [f"pictures/{kind}-{way[3]}.jpg" for way in DRAWN[kind][3]]
        others += [f"pictures/{k}-{DRAWN[k][3][0][3]}.jpg" for k in ("mug", "lantern", "boot", "beanie", "stove", "compass", "blanket", "bottle", "axe")]
        others = [o for o in others if not any(m["previewUrl"].endswith(o) for m in out)]
        while len(out) < s.get("media", 0):
            add(others.pop(0), alt=None if len(out) % 3 else f"Picture {len(out) + 1}")
        if position_of % 47 == 11 and len(out) > 1:
            out[-1].update(status="PROCESSING", previewUrl=None, previewWidth=None, previewHeight=None)
        elif position_of % 53 == 5:
            out[-1].update(status=None, position=None)
        return out

    def analysis(self, rnd, kind, title, ext, base, when):
        gender = "unknown" if rnd.random() < 0.05 else "unisex"
        if kind in ("baselayer", "jacket", "trousers", "boot", "pendant", "balm") and rnd.random() < 0.6:
            gender = "female" if kind in ("pendant", "balm") else rnd.choice(("male", "female"))
        age = {"onepiece": rnd.choice(("baby", "kids")), "toybear": rnd.choice(("baby", "kids", "all-ages")), "sled": "kids",
               "compass": "teen", "headlamp": rnd.choice(("teen", "adult")), "chair": rnd.choice(("adult", "senior")),
               "blanket": "all-ages", "mug": "all-ages", "book": rnd.choice(("adult", "teen", "senior", "all-ages"))}.get(kind, "adult")
        if title.endswith(", women") or title.endswith(", men"):
            gender = "female" if title.endswith(", women") else "male"
        if "kids" in title.lower() or "children" in title.lower():
            age = "kids"
        low, high = words.KINDS[kind][3]
        share = ((base or low) - low) / (high - low)
        price = "budget" if share < 0.25 else "mid-range" if share < 0.6 else "premium" if share < 0.85 else "luxury"
        return {
            "appUrl": APP, "productId": ext, "version": rnd.randint(1, 4),
            "createdAt": stamp(when, rnd.randrange(1000)), "updatedAt": stamp(when + timedelta(hours=rnd.randint(0, 30)), 0),
            "data": {"genderAppropriateness": gender, "productType": words.KINDS[kind][1],
                     "ageGroup": "unknown" if rnd.random() < 0.04 else age,
                     "priceRange": "unknown" if base is None or rnd.random() < 0.04 else price,
                     "confidence": round(rnd.uniform(0.42, 0.99), 2)},
        }

    def product(self, i, kind, s):
        rnd = random.Random(f"nordlys {i}")  # each product has its own: a change in one leaves the others alone
        ptype, _, category, (low, high), _, weight, _ = words.KINDS[kind]
        bare = s.get("bare", False)
        ext = str(8123456789012 + i * 32_771)
        title = s.get("title") or self.title(rnd, kind)
        self.titles.add(title)
        handle = s.get("handle") or slug(title)
        while handle in self.handles:
            handle += "-2"
        self.handles.add(handle)

        made = END - timedelta(minutes=rnd.randint(3_000, 720 * 1440))
        changed = made + (END - made) * (rnd.random() ** 0.6)
        seen = made + timedelta(minutes=rnd.randint(1, 2_000))
        synced = max(changed + timedelta(minutes=rnd.randint(0, 40)), seen + timedelta(minutes=1))
        synced = min(synced, END + timedelta(hours=5))
        created, updated = stamp(seen, rnd.randrange(1000)), stamp(synced, rnd.randrange(1000))

        base = round((low + (high - low) * rnd.random() ** 1.7) / 50) * 50 - 1
        if "price" in s:
            base = s["price"]
        ways = [w[3] for w in DRAWN[kind][3]]
        colours = rnd.sample(ways, min(len(ways), rnd.choices((1, 2, 3, 4), (36, 34, 20, 10))[0]))
        colours = s.get("colours", colours)
        if s.get("variants", 0) >= 12:
            colours = ways[:4 if s["options"] == 2 else 2]
        grams = round(weight * rnd.uniform(0.75, 1.4))

        axes, variants = self.variants(rnd, kind, s, ext, created, updated, base, colours)
        media = self.media(rnd, kind, s, title, created, updated, colours, variants, i)
        known = {m["externalMediaId"] for m in media}
        for variant in variants:
            if variant["externalMediaId"] not in known:
                variant["externalMediaId"] = None

        html = s["html"] if "html" in s else self.html(rnd, kind, title, grams)
        status = s.get("status") or rnd.choices(("active", "draft", "archived", None), (86, 6, 5, 3))[0]
        published = s.get("published", status == "active" and rnd.random() < 0.95 or status == "archived" and rnd.random() < 0.5)
        custom = i % 61 == 17
        tags = rnd.sample(words.TAGS[kind], rnd.randint(0, 4)) + rnd.sample(words.COMMON_TAGS, rnd.choice((0, 0, 1, 1, 2, 3, 4)))
        rnd.shuffle(tags)

        meta = {}
        if rnd.random() < 0.78 and not bare:
            material = words.MATERIAL.get(kind, "hard")
            meta["custom"] = {
                "material": {"wool": "100 % new wool", "shell": "Recycled polyamide", "down": "Down 90/10", "leather": "Full-grain leather",
                             "hard": rnd.choice(("Birch", "Steel", "Aluminium", "Mixed"))}[material],
                "care": {"wool": ["air", "wash-30", "dry-flat"], "shell": ["wash-40", "tumble-low"], "down": ["wash-30", "tumble-low"],
                         "leather": ["brush", "wax"], "hard": ["wipe"]}[material],
                "weight_g": grams}
            if rnd.random() < 0.3:
                meta["custom"]["origin"] = {"country": rnd.choice(("NO", "SE", "FI", "EE")), "certified": rnd.random() < 0.5, "since": None}
        if rnd.random() < 0.45 and not bare:
            meta["reviews"] = {"rating": {"value": round(rnd.uniform(3.1, 5), 1), "scale_min": 1, "scale_max": 5}, "count": rnd.randint(1, 420)}
        if len(variants) > 1 and rnd.random() < 0.22:
            meta["variants"] = {v["externalVariantId"]: {"weight_g": grams + 5 * n, "eco": n % 2 == 0} for n, v in enumerate(variants[:6])}

        images = [m for m in media if m["previewUrl"]]
        product = {
            "id": 50_001 + i, "externalProductId": ext, "appUrl": APP, "title": title, "handle": handle,
            "description": plain(html), "vendor": None if bare or rnd.random() < 0.03 else s.get("vendor") or rnd.choice(words.VENDORS),
            "productType": None if bare or rnd.random() < 0.04 else ptype, "tags": [] if bare else s.get("tags", tags),
            "status": None if bare else status, "createdAt": created, "updatedAt": updated,
            "providerCreatedAt": stamp(made), "providerUpdatedAt": stamp(changed),
            "platform": "custom" if custom else "shopify", "version": 1 if bare else rnd.randint(1, 37), "descriptionHtml": html,
            "category": None if bare or rnd.random() < 0.1 else
            {"gid": f"gid://shopify/TaxonomyCategory/{category[0]}", "fullName": category[1], "name": category[2]},
            "templateSuffix": rnd.choice(("winter", "story", "video")) if rnd.random() < 0.12 else None,
            "featuredMediaId": images[0]["externalMediaId"] if images else None,
            "featuredMediaPreviewUrl": images[0]["previewUrl"] if images else None,
            "publishedAt": stamp(made + timedelta(days=rnd.randint(0, 1), minutes=5)) if published and not bare else None,
            "currencyCode": None if bare else "NOK", "currencySymbol": None if bare else "kr",
            "media": media, "variants": variants, "metafields": meta,
            "options": [{"id": str(10234567890123 + i * 32 + n), "gid": f"gid://shopify/ProductOption/{10234567890123 + i * 32 + n}",
                         "name": name, "position": n + 1, "values": list(values)} for n, (name, values) in enumerate(axes)]
            if axes else rnd.choice((None, [])),
            "productUrl": f"{APP}/products/{handle}",
        }
        if custom or bare:
            # A shop of one's own has no dates of a provider.
            product["providerCreatedAt"] = product["providerUpdatedAt"] = None
        if bare:
            product["descriptionHtml"] = product["description"] = None
        for option in product["options"] or []:
            used = {o["value"] for v in variants for o in v["selectedOptions"] or [] if o["name"] == option["name"]}
            option["values"] = [v for v in option["values"] if v in used or not variants]
        analysis = None
        if rnd.random() < 0.6 and not bare:
            analysis = self.analysis(rnd, kind, title, ext, base, min(synced, END - timedelta(days=2)))
        return {"product": product, "analysis": analysis}


def plan():
    """Which product comes when: ordinary ones in a mix, a special one after every fifth."""
    rnd = random.Random("nordlys plan")
    ordinary = []
    for kind, spec in words.KINDS.items():
        ordinary += [kind] * spec[6]
    rnd.shuffle(ordinary)
    opening = [("sock", dict(title="Fjell wool sock", vendor="Nordlys", colours=["grey", "moss"], options=2, variants=6, stock="stock", status="active", published=True,
                             tags=["winter", "merino", "new"], media=4)),
               ("sock", dict(title="Fjell wool liner", vendor="Nordlys", options=1, stock="stock", status="active", published=True)),
               ("baselayer", dict(title="Merino base layer, women", vendor="Ullvang", options=1, status="active", published=True)),
               ("baselayer", dict(title="Merino base layer, men", vendor="Ullvang", options=1, stock="sold out", status="active", published=True))]
    out, rest, extra = list(opening), iter(ordinary * 2), iter(SPECIAL)
    while len(out) < COUNT:
        if len(out) % 6 == 5:
            special = next(extra, None)
            if special:
                # On sale unless said otherwise, so that a search of the published finds them.
                out.append((special["kind"], {"status": "active", "published": True, **special}))
                continue
        out.append((next(rest), {}))
    # About a dozen with a video, eight without any media: ordinary ones, chosen by place.
    videos = 0
    for n, (kind, s) in enumerate(out):
        if not s and kind in VIDEOS and videos < 13 and n % 3 == 1:
            out[n] = (kind, {"video": VIDEOS[kind]})
            videos += 1
        elif not s and n % 33 == 30:
            out[n] = (kind, {"media": 0})
    return out


def make(folder):
    maker = Maker(folder)
    entries = [maker.product(i, kind, s) for i, (kind, s) in enumerate(plan())]
    line = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    body = ",\n".join(line(e) for e in entries)
    # One product a line, so that a change shows as one line.
    (folder / "products.json").write_text(f'{{"store":{line(STORE)},"products":[\n{body}\n]}}\n', encoding="utf-8")
