#!/usr/bin/env python3
"""The catalog in a folder as one binary serves it beside how another one does: what a page takes, counted, and how long.

    python3 benches/beside.py OLD/cutaway target/release/cutaway

Needs Linux and valgrind, and both binaries with their symbols (the release profile leaves them). Each serves a workspace of
its own with CUTAWAY_BENCH_PRODUCTS (20,000) products. Instructions, SQL statements (sqlite3_reset) and allocations are
counted by callgrind over CUTAWAY_BENCH_PAGES (200) of each search, less a run of a quarter of them, so that starting up doesn't
count. Times are taken without it, both in turn, CUTAWAY_BENCH_ROUNDS (30) rounds: the medians, and in brackets the
lowest beside the lowest.
"""

import atexit
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

PRODUCTS = os.environ.get("CUTAWAY_BENCH_PRODUCTS", "20000")
PAGES = int(os.environ.get("CUTAWAY_BENCH_PAGES", "200"))
ROUNDS = int(os.environ.get("CUTAWAY_BENCH_ROUNDS", "30"))
SEARCHES = {
    "all": {},
    "two words": {"searchTerm": "wool so"},
    "prefix": {"searchTerm": "s"},
    "stock down": {"sortBy": "inventoryQuantity", "sortDirection": "desc"},
    "stock range": {"filters": {"inventory": {"min": 5, "max": 50}}, "sortBy": "inventoryQuantity"},
    "word by date": {"searchTerm": "wool", "sortBy": "providerCreatedAt", "sortDirection": "desc"},
}
# What callgrind names, and what it is called here.
COUNTED = {"sqlite3_reset": "statements", "__rust_alloc": "allocations", "__rust_alloc_zeroed": "allocations",
           "__rust_realloc": "allocations"}


class Serving:
    """A binary that serves a folder."""

    def __init__(self, binary, data, before=()):
        environment = {**os.environ, "XDG_STATE_HOME": str(data), "XDG_DATA_HOME": str(data), "XDG_CONFIG_HOME": str(data)}
        command = [*before, binary, "serve", "--data", data / "workspace", "--listen", "127.0.0.1:0", "--ready-json"]
        if not (data / "workspace").exists():
            command += ["--sample-products", PRODUCTS]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        atexit.register(self.process.kill)
        self.ready = json.loads(self.process.stdout.readline())

    def page(self, search, cursor=None):
        body = {"appUrl": "https://synthetic.example", "limit": 30, **search, **({"cursor": cursor} if cursor else {})}
        asked = urllib.request.Request(self.ready["base_url"] + "/products-service/searchProductsCursor",
                                       json.dumps(body).encode(), {"Content-Type": "application/json",
                                                                   "Authorization": "Bearer " + self.ready["api_key"]})
        with urllib.request.urlopen(asked) as answer:
            return json.loads(answer.read())

    def pages(self, search, many):
        """So many, one after the other; at the end of the list it begins again."""
        cursor = None
        for _ in range(many):
            cursor = self.page(search, cursor)["nextCursor"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def counted(binary, data, name, many):
    """What everything together took that was asked, by callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        serving = Serving(binary, data, ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}"])
        serving.pages(SEARCHES[name], many)
        serving.stop()
        text = out.read_text()
    found = {"instructions": int(re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)[1])}
    # A function is named once, and then by its number.
    names = dict(re.findall(r"^c?fn=\((\d+)\) (\S+)", text, re.MULTILINE))
    called = dict.fromkeys(COUNTED.values(), 0)
    for number, calls in re.findall(r"^cfn=\((\d+)\).*\ncalls=(\d+)", text, re.MULTILINE):
        word = COUNTED.get(names.get(number, "").rsplit("::", 1)[-1])
        if word:
            called[word] += int(calls)
    return found | called


def timed(serving, search):
    begun = time.perf_counter()
    serving.pages(search, PAGES)
    return (time.perf_counter() - begun) / PAGES * 1000


def main():
    if len(sys.argv) != 3 or not shutil.which("valgrind"):
        sys.exit(__doc__)
    binaries = [Path(argument).resolve() for argument in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        folders = [Path(folder) / name for name in ("old", "new")]
        for binary, data in zip(binaries, folders):
            data.mkdir()
            Serving(binary, data).stop()
        print(f"{PRODUCTS} products; old, new, new/old for one page")
        for name, search in SEARCHES.items():
            serving = [Serving(binary, data) for binary, data in zip(binaries, folders)]
            if len({json.dumps([one["externalProductId"] for one in each.page(search)["products"]]) for each in serving}) != 1:
                sys.exit(f"{name}: they find different products")
            times = [[], []]
            for number in range(ROUNDS + 1):
                for which in (0, 1) if number % 2 else (1, 0):
                    took = timed(serving[which], search)
                    if number:
                        times[which].append(took)
            for one in serving:
                one.stop()
            old, new = map(statistics.median, times)
            row = [f"{name:14} ms {old:.3f} {new:.3f} {new / old:.3f} (lowest {min(times[1]) / min(times[0]):.3f})"]
            few = PAGES // 4
            sums = []
            for binary, data in zip(binaries, folders):
                many, less = (counted(binary, data, name, pages) for pages in (PAGES, few))
                sums.append({word: (many[word] - less[word]) / (PAGES - few) for word in many})
            for word, old in sums[0].items():
                new = sums[1][word]
                row.append(f"{word} {old:,.0f} {new:,.0f} {new / old if old else 1:.3f}")
            print(", ".join(row), flush=True)


if __name__ == "__main__":
    main()
