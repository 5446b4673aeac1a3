"""Is everything that was made as it should be? Raises at the first fault."""

import json
import re
import unicodedata

from PIL import Image

from .videos import SCENES

NUMBER = (int, float)
TEXT, TEXT0, NUM, NUM0, FLAG0 = (str,), (str, type(None)), NUMBER, NUMBER + (type(None),), (bool, type(None))
PRODUCT = dict(id=NUM, externalProductId=TEXT, appUrl=TEXT, title=TEXT, handle=TEXT, description=TEXT0, vendor=TEXT0, productType=TEXT0,
               tags=(list,), status=TEXT0, createdAt=TEXT, updatedAt=TEXT, providerCreatedAt=TEXT0, providerUpdatedAt=TEXT0,
               platform=TEXT, version=NUM, descriptionHtml=TEXT0, category=(dict, type(None)), templateSuffix=TEXT0,
               featuredMediaId=TEXT0, featuredMediaPreviewUrl=TEXT0, publishedAt=TEXT0, currencyCode=TEXT0, currencySymbol=TEXT0,
               media=(list,), variants=(list,), metafields=(dict,), options=(list, type(None)), productUrl=TEXT)
MEDIA = dict(status=TEXT0, appUrl=TEXT, id=NUM, createdAt=TEXT, updatedAt=TEXT, externalMediaId=TEXT, mediaContentType=TEXT, alt=TEXT0,
             previewUrl=TEXT0, previewHeight=NUM0, previewWidth=NUM0, videoUrl=TEXT0, videoSize=NUM0, position=NUM0)
VARIANT = dict(appUrl=TEXT, id=NUM, externalProductId=TEXT, title=TEXT0, createdAt=TEXT, updatedAt=TEXT, position=NUM0,
               externalMediaId=TEXT0, externalVariantId=TEXT, barcode=TEXT0, compareAtPrice=TEXT0, inventoryItemId=TEXT0,
               inventoryQuantity=NUM0, inventoryPolicy=TEXT0, inventoryTracked=FLAG0, selectedOptions=(list, type(None)),
               price=TEXT0, sku=TEXT0, taxable=FLAG0)
OPTION = dict(id=TEXT, gid=TEXT, name=TEXT, position=NUM, values=(list,))
ANALYSIS = dict(appUrl=TEXT, productId=TEXT, version=NUM, createdAt=TEXT, updatedAt=TEXT, data=(dict,))
ENUMS = {
    "genderAppropriateness": "male female unisex unknown",
    "productType": "tops outerwear bottoms one-pieces shoes jewelry accessories cosmetics furniture bags automotive home toys media electronics other",
    "ageGroup": "baby kids teen adult senior all-ages unknown",
    "priceRange": "budget mid-range premium luxury unknown",
}
TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z")


def shape(value, fields, where, optional=()):
    extra = set(value) - set(fields) - set(optional)
    assert set(fields) <= set(value) and not extra, f"{where}: lacks {set(fields) - set(value)}, has {extra}"
    for key, types in fields.items():
        fits = isinstance(value[key], types) and (bool in types or not isinstance(value[key], bool))
        assert fits, f"{where}.{key}: {value[key]!r}"
        if key.endswith("At") and value[key]:
            assert TIME.fullmatch(value[key]) and value[key] < "2026-11-01", f"{where}.{key}: {value[key]}"


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for k, v in value.items():
            yield k
            yield from strings(v)
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)


def once(seen, value, where):
    assert value not in seen, f"{where}: {value} is there twice"
    seen.add(value)


def products(folder):
    raw = (folder / "products.json").read_bytes()
    assert len(raw) < 1_600_000, "products.json is too big"
    data = json.loads(raw)
    assert 240 <= len(data["products"]) <= 300
    seen = {name: set() for name in ("id", "external", "handle", "media", "mediaId", "variant", "variantId", "option")}
    used = {key: set() for key in ENUMS}
    for entry in data["products"]:
        assert set(entry) == {"product", "analysis"}
        p, a = entry["product"], entry["analysis"]
        where = f"{p['externalProductId']} {p['title'][:30]}"
        shape(p, PRODUCT, where)
        assert not any(unicodedata.category(c) == "Cc" for s in strings(entry) for c in s), f"{where}: a control character"
        once(seen["id"], p["id"], where)
        once(seen["external"], p["externalProductId"], where)
        once(seen["handle"], p["handle"], where)
        assert p["productUrl"] == f"{data['store']['appUrl']}/products/{p['handle']}", where
        assert p["createdAt"] <= p["updatedAt"], where
        assert all(isinstance(t, str) for t in p["tags"]) and len(p["tags"]) <= 8 and len(set(p["tags"])) == len(p["tags"]), where
        if p["category"]:
            shape(p["category"], dict(gid=TEXT, fullName=TEXT, name=TEXT), where)
        media_ids = {m["externalMediaId"] for m in p["media"]}
        variant_ids = {v["externalVariantId"] for v in p["variants"]}
        for m in p["media"]:
            shape(m, MEDIA, where, ("mediaToVariant",))
            once(seen["media"], m["externalMediaId"], where)
            once(seen["mediaId"], m["id"], where)
            assert set(m.get("mediaToVariant") or []) <= variant_ids, where
            if m["previewUrl"]:
                with Image.open(folder / m["previewUrl"].removeprefix("sample:")) as picture:
                    assert picture.size == (m["previewWidth"], m["previewHeight"]), f"{where}: {m['previewUrl']}"
            assert (m["mediaContentType"] == "VIDEO") == (m["videoUrl"] is not None), where
            if m["videoUrl"]:
                assert (folder / m["videoUrl"].removeprefix("sample:")).stat().st_size == m["videoSize"], where
        assert p["featuredMediaId"] is None or p["featuredMediaId"] in media_ids, where
        values = {o["name"]: o["values"] for o in p["options"] or []}
        for o in p["options"] or []:
            shape(o, OPTION, where)
            once(seen["option"], o["id"], where)
        titles = set()
        for v in p["variants"]:
            shape(v, VARIANT, where)
            once(seen["variant"], v["externalVariantId"], where)
            once(seen["variantId"], v["id"], where)
            once(titles, v["title"], where)
            assert v["externalProductId"] == p["externalProductId"], where
            assert v["externalMediaId"] is None or v["externalMediaId"] in media_ids, where
            for s in v["selectedOptions"] or []:
                shape(s, dict(name=TEXT, value=TEXT), where)
                assert s["name"] == "Title" or s["value"] in values[s["name"]], where
        assert set(p["metafields"].get("variants", {})) <= variant_ids, where
        if a:
            shape(a, ANALYSIS, where)
            assert a["productId"] == p["externalProductId"], where
            assert set(a["data"]) == set(ENUMS) | {"confidence"} and isinstance(a["data"]["confidence"], NUMBER), where
            for key in ENUMS:
                used[key].add(a["data"][key])
    for key, values in ENUMS.items():
        assert used[key] == set(values.split()), f"{key}: {used[key] ^ set(values.split())}"
    return len(data["products"])


def projects(folder):
    data = json.loads((folder / "projects.json").read_text(encoding="utf-8"))
    seconds = {f"{scene[0]}.mp4": scene[5] for scene in SCENES}
    folders = {f["name"] for f in data["folders"]}
    faults = {}
    for p in data["projects"]:
        assert p["folder"] is None or p["folder"] in folders
        keys = [s["key"] for s in p["steps"]]
        assert len(set(keys)) == len(keys) and sorted(p["stepsOrder"]) == sorted(keys), p["name"]
        found, reached, todo = [], set(), [p["stepsOrder"][0]]
        by_key = {s["key"]: s for s in p["steps"]}
        while todo:
            key = todo.pop()
            if key not in reached:
                reached.add(key)
                todo += [a["next"] for a in by_key[key]["answers"] if a["next"] in by_key]
        for s in p["steps"]:
            assert re.fullmatch("[A-Za-z0-9]{5}", s["key"]), s["key"]
            assert s["video"] is None or 0 <= s["answerTime"] < seconds[s["video"]], s["key"]
            found += [f"{s['key']} leads to {a['next']}" for a in s["answers"] if a["next"] and a["next"] not in by_key]
            found += [f"{s['key']} has no video"] * (s["video"] is None) + [f"{s['key']} is unreachable"] * (s["key"] not in reached)
        faults[p["name"]] = found
    assert {n for n, f in faults.items() if f} == {"Spring campaign (unfinished)"}, faults
    assert len(faults["Spring campaign (unfinished)"]) == 3, faults
    assert {w["event"] for w in data["webhooks"]} == {"response_summary", "collected_info", "conversion"}
    assert {v["file"] for v in data["videos"]} == {f.name for f in (folder / "videos").glob("*.mp4")}
    return len(data["projects"])


def files(folder):
    for video in (folder / "videos").glob("*.mp4"):
        head = video.read_bytes()
        assert head.index(b"moov") < head.index(b"mdat"), f"{video.name} does not start fast"
    total = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    assert total < 5_000_000, f"{total} bytes are too many"
    return total


def check(folder):
    print(f"{products(folder)} products, {projects(folder)} projects, {files(folder):,} bytes: all as it should be")
