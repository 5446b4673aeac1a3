#!/usr/bin/env python3
"""The catalog beside PostgreSQL: the same products, the same filtered pages, 32 connections, a writer meanwhile. Three sides:
the service on its folder (`cutaway`), the service on a database of the same server (`shared`), and that server itself with the
products in a table and GIN indices (`postgres`).

Needs Debian's packages postgresql and wrk, two cores and 20 GB of disk. Python's standard library is enough.

    python3 benches/postgres.py target/release/cutaway

CUTAWAY_BENCH_PRODUCTS (1000000), CUTAWAY_BENCH_ROUNDS (5) and CUTAWAY_BENCH_SECONDS (10, of one side of a round) change
its size; the products stay in target/postgres for the next run. All traffic stays on 127.0.0.1, and both servers end
with the script.

wrk asks the service over HTTP, pgbench asks PostgreSQL with prepared statements; each has one thread and 32 connections
and receives 30 rows of the same JSON a page. Every query is first asked once on both sides, and has to give the same
products. The writers put 100 products, whose inventory changes, in one transaction, at the same pace on both sides.
After that, of the service on the database alone: pages without what it keeps in memory, the database's time a page as
pg_stat_statements has it, three processes beside one, single queries with nothing else going on, how long it took to load
the products and to move them there and back (CUTAWAY_BENCH_MOVE=0 leaves that out). CUTAWAY_BENCH_ALONE=1 measures only
the single queries, which 10,000,000 products take an hour and 45 GB for; the bare server then has none of them.

What favors PostgreSQL: no HTTP, no bearer key to check, statements without parameters to plan for, products that are
ready to be stored, no word that says where a product was found, and an index for each order.
"""

import contextlib
import glob
import itertools
import json
import os
import re
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
import unicodedata
import urllib.request
from pathlib import Path

PRODUCTS = int(os.environ.get("CUTAWAY_BENCH_PRODUCTS", "1000000"))
ROUNDS = int(os.environ.get("CUTAWAY_BENCH_ROUNDS", "5"))
SECONDS = int(os.environ.get("CUTAWAY_BENCH_SECONDS", "10"))
ALONE = os.environ.get("CUTAWAY_BENCH_ALONE", "0") == "1"
MOVES = os.environ.get("CUTAWAY_BENCH_MOVE", "1") == "1"
CONNECTIONS = 32
PAGE = 30
STORE = "https://synthetic.example"
SEARCH = "/products-service/searchProductsCursor"

# What the writers write: so many batches of so many products, in two versions, so many batches a second.
BATCHES, BATCH, PACE = 40, 100, 4

WORDS = ["wool so", "cotton ja", "linen sh", "silk no", "cashmere sc", "fleece ta", "oak ch", "denim ba", "merino ha",
         "smor so"]
TYPES_AND_TAGS = [("Socks", "sale", "new"), ("Jackets", "new", "gift"),
                  ("Boots", "winter", "bestseller"), ("Mugs", "summer", "sale"),
                  ("Books", "sale", "summer"), ("Tents", "new", "bestseller"),
                  ("Rugs", "winter", "gift"), ("Lamps", "summer", "winter"),
                  ("Hats", "sale", "bestseller"), ("Toys", "new", "summer")]
INVENTORIES = [(5, 60), (0, 10), (1, 5), (20, 40), (60, 200), (100, 150), (0, 3), (10, 12), (33, 34), (150, 190)]

SCHEMA = """
CREATE TABLE product (
    store integer NOT NULL, id bigint NOT NULL, external text NOT NULL, version integer NOT NULL,
    type text, tags text[] NOT NULL, inventory bigint NOT NULL, created timestamptz, words tsvector NOT NULL,
    document text NOT NULL
) WITH (fillfactor = 90);
ALTER TABLE product ALTER document SET STORAGE EXTERNAL;
CREATE TABLE staged (batch integer NOT NULL, pass integer NOT NULL, LIKE product);
"""
INDICES = [
    "ALTER TABLE product ADD PRIMARY KEY (store, id)",
    "ALTER TABLE product ADD UNIQUE (store, external)",
    "CREATE INDEX product_type ON product (store, type, id)",
    "CREATE INDEX product_inventory_up ON product (store, inventory, id)",
    # The same the other way round: equal ones stay in the order of ids.
    "CREATE INDEX product_inventory_down ON product (store, (-inventory), id)",
    "CREATE INDEX product_created ON product (store, created, id)",
    "CREATE INDEX product_tags ON product USING gin (tags) WITH (fastupdate = off)",
    "CREATE INDEX product_words ON product USING gin (words) WITH (fastupdate = off)",
    "CREATE INDEX staged_batch ON staged (batch, pass)",
    "VACUUM (ANALYZE) product",
    "ANALYZE staged",
]
UPSERT = """INSERT INTO product
    SELECT store, id, external, version, type, tags, inventory, created, words, document FROM staged
    WHERE batch = {batch} AND pass = {turn}
    ON CONFLICT (store, external) DO UPDATE SET version = product.version + 1, type = excluded.type,
        tags = excluded.tags, inventory = excluded.inventory, created = excluded.created, words = excluded.words,
        document = excluded.document;"""
SETTINGS = {
    "shared_buffers": "2GB", "effective_cache_size": "8GB", "work_mem": "32MB", "maintenance_work_mem": "1GB",
    "random_page_cost": "1.1", "effective_io_concurrency": "200", "max_wal_size": "8GB", "wal_buffers": "64MB",
    "checkpoint_timeout": "15min", "jit": "off", "max_parallel_workers_per_gather": "0", "max_connections": "200",
    "listen_addresses": "127.0.0.1", "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.track_planning": "on",
}

LETTERS = {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "ß": "ss", "þ": "th", "ς": "σ"}


def words(text):
    """The folded words of a text, as the service has them."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()
    folded = "".join(LETTERS.get(c, c) for c in bare)
    return "".join(c if c.isalnum() else " " for c in folded).split()


def row(product, number):
    """A product as the columns of a COPY, with the JSON that a page has of it."""
    inventory = sum(variant.get("inventoryQuantity") or 0 for variant in product["variants"])
    tags = "{" + ",".join('"%s"' % tag for tag in product["tags"]) + "}"
    found = sorted(set(words(" ".join([product["title"], *product["tags"]]))))
    document = json.dumps({**product, "media": [], "variants": []}, ensure_ascii=False, separators=(",", ":"))
    columns = [1, number, product["externalProductId"], 1, product["productType"], tags, inventory,
               product["createdAt"], " ".join("'%s'" % word for word in found), document]
    return "\t".join(r"\N" if c is None else str(c).replace("\\", "\\\\") for c in columns)


class Service:
    """`cutaway serve` on a folder of its own, with its database in it or, where that has an address, there."""

    def __init__(self, binary, data, ending, database=None, products=PRODUCTS):
        self.binary, self.data, self.database = binary, data, database
        self.environment = {**os.environ, **({"CUTAWAY_DATABASE_URL": database} if database else {})}
        command = [binary, "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--ready-json"]
        command += ["--sample-products", str(products)] if products else []
        begun = time.monotonic()
        self.process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        ending.callback(self.stop)
        ready = json.loads(self.process.stdout.readline())
        self.started = time.monotonic() - begun
        self.base_url, self.key = ready["base_url"], ready["api_key"]

    def stop(self):
        stop(self.process)

    def page(self, ask):
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        request = urllib.request.Request(self.base_url + SEARCH, json.dumps(ask).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def every_product(self):
        command = [self.binary, "products", "search", "--all", "--json", "--include", "variants", "--include", "media",
                   "--base-url", self.base_url, "--app-url", STORE, "--api-key-stdin"]
        search = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        search.stdin.write(self.key + "\n")
        search.stdin.close()
        yield from search.stdout
        if search.wait() != 0:
            sys.exit("the products could not be read from the service")

    def write(self, file):
        command = [self.binary, "serve", "import-products", "--data", self.data, "--app-url", STORE, file]
        subprocess.run(command, check=True, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=600)


class Postgres:
    """A cluster of its own, which its user alone can read and only this machine can reach."""

    def __init__(self, folder, ending):
        self.folder, self.bin = folder / "cluster", Path(max(glob.glob("/usr/lib/postgresql/*/bin")))
        # PostgreSQL refuses to run as root.
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if not self.folder.exists():
            self.folder.mkdir(mode=0o700)
            if self.user:
                subprocess.run(["chown", "postgres:", self.folder], check=True)
            self.run("initdb", "-D", self.folder, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        settings = {**SETTINGS, "port": self.port, "unix_socket_directories": ""}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [*self.user, self.bin / "postgres", "-D", self.folder, *options]
        log = ending.enter_context((folder / "postgres.log").open("w"))
        self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
        ending.callback(self.stop)
        for _ in range(100):
            time.sleep(0.2)
            if self.run("pg_isready", *self.where(), check=False).returncode == 0:
                return
        sys.exit("PostgreSQL did not start; see postgres.log")

    def where(self):
        return ["-h", "127.0.0.1", "-p", self.port, "-U", "postgres"]

    def run(self, name, *arguments, check=True):
        command = [*self.user, self.bin / name, *arguments]
        return subprocess.run(command, check=check, capture_output=True, text=True, cwd="/")

    def stop(self):
        self.run("pg_ctl", "stop", "-D", self.folder, "-m", "fast", check=False)
        stop(self.process)

    def url(self, database):
        return f"postgres://postgres@127.0.0.1:{self.port}/{database}"

    def psql(self, *arguments, database="postgres", **options):
        options["env"] = {**os.environ, "PGOPTIONS": "-c client_min_messages=warning"}
        command = [self.bin / "psql", "-X", "-v", "ON_ERROR_STOP=1", *self.where(), *arguments, database]
        return subprocess.Popen(command, text=True, **options)

    def ask(self, sql, database="postgres"):
        with self.psql("-qAt", "-c", sql, database=database, stdout=subprocess.PIPE) as asked:
            answer = asked.stdout.read()
        if asked.returncode != 0:
            sys.exit(f"PostgreSQL refused: {sql}")
        return answer

    @contextlib.contextmanager
    def copying(self, into):
        with self.psql("-q", "-c", f"COPY {into} FROM STDIN", stdin=subprocess.PIPE) as copying:
            yield copying.stdin
        if copying.returncode != 0:
            sys.exit(f"PostgreSQL refused products for {into}")


def stop(process):
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()


def load(service, postgres, writes):
    """The service's products into PostgreSQL; some of them kept as what the writers write."""
    begun = time.monotonic()
    postgres.ask("DROP TABLE IF EXISTS product, staged")
    postgres.ask(SCHEMA)
    kept, every = [], max(1, PRODUCTS // (BATCHES * BATCH))
    with postgres.copying("product") as copy:
        for number, line in enumerate(service.every_product(), 1):
            product = json.loads(line)
            copy.write(row(product, number) + "\n")
            if number % every == 0 and len(kept) < BATCHES * BATCH:
                kept.append((number, product))
    writes.mkdir(exist_ok=True)
    with postgres.copying("staged") as copy:
        for at in range(BATCHES):
            for turn in (0, 1):
                with (writes / f"{at}-{turn}.ndjson").open("w") as file:
                    for number, product in kept[at::BATCHES]:
                        # The second version has one piece more in stock.
                        changed = json.loads(json.dumps(product))
                        for variant in changed["variants"][:1]:
                            variant["inventoryQuantity"] = (variant.get("inventoryQuantity") or 0) + turn
                        file.write(json.dumps(changed, ensure_ascii=False) + "\n")
                        copy.write(f"{at}\t{turn}\t{row(changed, number)}\n")
    for index in INDICES:
        postgres.ask(index)
    print(f"loaded            {number} products into PostgreSQL in {time.monotonic() - begun:.0f} s")


def alike(page):
    """A page without the addresses of services, of which the writers bring some to the other side, and when and how often its
    products were written: the writers have not written the same to all sides."""
    written = ("updatedAt", "version")
    products = [{name: value for name, value in one.items() if name not in written} for one in page["products"]]
    return re.sub(r"http://127\.0\.0\.1:\d+", "", json.dumps([products, page["hasMore"]]))


def prepare(service, shared, postgres):
    """The queries, each for its first and its second page: what to ask the service on its folder and on the database, and
    what to ask PostgreSQL."""
    shapes, queries = [], {}
    for term in WORDS:
        query = " & ".join(f"''{word}'':*" for word in words(term))
        where = f"words @@ '{query}'::tsquery"
        shapes.append(("two words", {"searchTerm": term}, where, "id", lambda last: f"id > {last[0]}"))
    for at, (kind, *tags) in enumerate(TYPES_AND_TAGS):
        both = at % 2 == 1
        filters = {"productType": [kind], "tags": tags, "tagsMatchMode": "all" if both else "any"}
        where = f"type = '{kind}' AND tags {'@>' if both else '&&'} ARRAY{tags}"
        shapes.append(("type, two tags", {"filters": filters}, where, "id", lambda last: f"id > {last[0]}"))
    for at, (least, most) in enumerate(INVENTORIES):
        sign = "-" if at % 2 == 1 else ""
        ask = {"filters": {"inventory": {"min": least, "max": most}}, "sortBy": "inventoryQuantity",
               "sortDirection": "desc" if sign else "asc"}
        where = f"(-inventory) BETWEEN {-most} AND {-least}" if sign else f"inventory BETWEEN {least} AND {most}"
        key = f"({sign}inventory)"
        shapes.append(("inventory, sorted", ask, where, f"{key}, id",
                       lambda last, key=key, sign=sign: f"({key}, id) > ({sign}{last[1]}, {last[0]})"))
    for kind, ask, where, order, after in shapes:
        cursors, last = [None, None], None
        for _ in (1, 2):
            asked = [{"appUrl": STORE, "limit": PAGE, **ask, **({"cursor": cursor} if cursor else {})}
                     for cursor in cursors]
            beyond = f" AND {after(last)}" if last else ""
            text = f"FROM product WHERE store = 1 AND {where}{beyond} ORDER BY {order} LIMIT {PAGE}"
            page, other = service.page(asked[0]), shared.page(asked[1])
            rows = [line.split("|") for line in postgres.ask(f"SELECT id, inventory, external {text}").splitlines()]
            found = [product["externalProductId"] for product in page["products"]]
            if alike(page) != alike(other):
                sys.exit(f"the service answers otherwise on the database: {asked}")
            # A small catalog has not of everything some.
            if not found and not rows and PRODUCTS < 100_000:
                break
            if found != [external for _, _, external in rows] or not found:
                sys.exit(f"the two differ, or find nothing: {asked}\n{text}")
            queries.setdefault(kind, []).append((*map(json.dumps, asked), f"SELECT id, document {text};\n"))
            cursors, last = [page["nextCursor"], other["nextCursor"]], rows[-1]
            if not page["nextCursor"]:
                break
    return queries


LUA = """
local asks, at = {}, 0
for line in io.lines(os.getenv("ASKS")) do asks[#asks + 1] = wrk.format("POST", "%s", HEADERS, line) end
function request() at = at %% #asks + 1; return asks[at] end
function done(all, latency)
  local e = all.errors
  print(string.format("RESULT %%d %%d %%.3f %%.3f %%d", all.requests, all.duration, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, e.connect + e.read + e.write + e.status + e.timeout))
end
""" % SEARCH


def ask_service(service, folder, asks, seconds, connections=CONNECTIONS):
    """Pages a second, and the times that half and 99 of 100 of them took at most, ms."""
    asking = asked_service(service, folder, asks, seconds, connections)
    return answered(*asking)


def asked_service(service, folder, asks, seconds, connections, name="asks"):
    (folder / name).write_text("".join(ask + "\n" for ask in asks))
    headers = ('{["host"] = os.getenv("HOST"), ["content-type"] = "application/json", '
               '["authorization"] = "Bearer " .. os.getenv("KEY")}')
    (folder / f"{name}.lua").write_text(f"local HEADERS = {headers}\n{LUA}")
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", folder / f"{name}.lua", service.base_url]
    host = service.base_url.split("//")[1]
    environment = {**os.environ, "KEY": service.key, "ASKS": str(folder / name), "HOST": host}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True), command


def answered(asking, command):
    output = asking.communicate()[0]
    if asking.returncode != 0:
        sys.exit(f"{command}: {output}")
    result = next(line for line in output.splitlines() if line.startswith("RESULT")).split()[1:]
    if result[4] != "0":
        sys.exit(f"{result[4]} requests failed")
    return int(result[0]) / (int(result[1]) / 1e6), float(result[2]), float(result[3])


def ask_postgres(postgres, folder, queries, seconds):
    for old in folder.glob("times*"):
        old.unlink()
    scripts = []
    for at, sql in enumerate(queries):
        (folder / f"query-{at}.sql").write_text(sql)
        scripts += ["-f", folder / f"query-{at}.sql"]
    command = [postgres.bin / "pgbench", "-n", "-M", "prepared", "-j", "1", "-c", str(CONNECTIONS), "-T", str(seconds),
               "-l", f"--log-prefix={folder}/times", *postgres.where(), *scripts, "postgres"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "number of failed transactions: 0 " not in output:
        sys.exit(output)
    rate = next(float(line.split()[2]) for line in output.splitlines() if line.startswith("tps"))
    times = sorted(int(line.split()[2]) / 1e3 for file in folder.glob("times*") for line in file.open())
    return rate, times[len(times) // 2], times[len(times) * 99 // 100]


@contextlib.contextmanager
def writing(write, turns):
    """Writes batch after batch at the pace, until it is over; how many products were written comes in the list."""
    over, written, failed = threading.Event(), [], []

    def run():
        begun = time.monotonic()
        while not over.is_set():
            at = next(turns)
            try:
                # Each batch in turn, the whole round with one piece more in stock, the next one with one less.
                write(at % BATCHES, (at // BATCHES + 1) % 2)
            except (Exception, SystemExit) as error:
                failed.append(error)
                return
            written.append(BATCH)
            over.wait(max(0, begun + len(written) / PACE - time.monotonic()))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield written
    finally:
        over.set()
        thread.join()
    if failed:
        sys.exit(f"the writer failed: {failed[0]}")


def filled(postgres, binary, folder, ending):
    """The service on a database with the products, which are loaded where they are not there yet."""
    data = folder / "shared"
    there = postgres.ask("SELECT 1 FROM pg_database WHERE datname = 'shared'").strip() == "1"
    # What single queries add does them no harm the next time; the other sides don't have it.
    known = {PRODUCTS, PRODUCTS + PRODUCTS // 33} if ALONE else {PRODUCTS}
    if there and int(postgres.ask("SELECT coalesce(sum(products), 0) FROM store", "shared")) not in known:
        postgres.ask("DROP DATABASE shared WITH (FORCE)")
        there = False
    if not there:
        shutil.rmtree(data, ignore_errors=True)
        postgres.ask("CREATE DATABASE shared")
    postgres.ask("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    shared = Service(binary, data, ending, postgres.url("shared"), 0 if there else PRODUCTS)
    if not there:
        print(f"loaded            {PRODUCTS} products through the service into PostgreSQL in {shared.started:.0f} s",
              flush=True)
        postgres.ask("VACUUM (ANALYZE)", "shared")
    return shared


def move(postgres, binary, folder):
    """How long it takes to move the products of the folder into a database, and into a folder."""
    with contextlib.ExitStack() as ending:
        source, back = folder / "moved", folder / "back"
        for path in (source, back):
            shutil.rmtree(path, ignore_errors=True)
            ending.callback(shutil.rmtree, path, ignore_errors=True)
        postgres.ask("DROP DATABASE IF EXISTS moved WITH (FORCE)")
        postgres.ask("CREATE DATABASE moved")
        ending.callback(postgres.ask, "DROP DATABASE IF EXISTS moved WITH (FORCE)")
        source.mkdir()
        with contextlib.closing(sqlite3.connect(folder / "data" / "cutaway.sqlite3")) as served, \
                contextlib.closing(sqlite3.connect(source / "cutaway.sqlite3")) as copy:
            served.backup(copy)
        for way, data in (("to", source), ("from", back)):
            command = [binary, "serve", "move", "--data", data, f"--{way}", postgres.url("moved")]
            begun = time.monotonic()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            print(f"moved             {PRODUCTS} products {'into' if way == 'to' else 'out of'} PostgreSQL in "
                  f"{time.monotonic() - begun:.0f} s", flush=True)


def far_products(service, file):
    """One product in 33 more, the last ones: with a word that no other has, and later dates than all others."""
    count = max(1, PRODUCTS // 33)
    product = service.page({"appUrl": STORE, "limit": 1, "include": {"variants": True, "media": True}})["products"][0]
    with file.open("w") as lines:
        for at in range(count):
            late = f"2027-{1 + at % 12:02}-{1 + at % 28:02}T{at % 24:02}:{at % 60:02}:00Z"
            far = {**product, "externalProductId": f"far-{at}", "title": f"Zephyr {at % 997}", "createdAt": late,
                   "providerCreatedAt": late, "providerUpdatedAt": late, "variants": [], "media": []}
            lines.write(json.dumps(far, ensure_ascii=False) + "\n")


def single_queries(service):
    """What is asked with nothing else going on: by name, what to ask."""
    up, down = {"sortDirection": "asc"}, {"sortDirection": "desc"}
    date, stock = {"sortBy": "providerCreatedAt"}, {"sortBy": "inventoryQuantity"}
    kind, tags, *_ = TYPES_AND_TAGS[0]
    asks = {
        "no filter": {},
        "two words": {"searchTerm": "wool so"},
        "two words, date down": {"searchTerm": "wool so", **date, **down},
        "two words, stock up": {"searchTerm": "wool so", **stock, **up},
        "word, date down": {"searchTerm": "merino", **date, **down},
        "prefix s": {"searchTerm": "s"},
        "prefix s, date down": {"searchTerm": "s", **date, **down},
        "published, type": {"publishedOnly": True, "filters": {"productType": [kind]}},
        "type, any tag": {"filters": {"productType": [kind], "tags": [tags, "new"], "tagsMatchMode": "any"}},
        "type, any tag, date": {"filters": {"productType": [kind], "tags": [tags, "new"]}, **date, **up},
        "stock range, sorted": {"filters": {"inventory": {"min": 5, "max": 60}}, **stock, **up},
        "stock range, date": {"filters": {"inventory": {"min": 5, "max": 60}}, **date, **down},
        "word, few in stock": {"searchTerm": "merino", "filters": {"inventory": {"min": 190, "max": 400}}},
        "word of the last": {"searchTerm": "zephyr"},
        "the same, date up": {"searchTerm": "zephyr", **date, **up},
        "the same, date down": {"searchTerm": "zephyr", **date, **down},
        "the same, stock down": {"searchTerm": "zephyr", **stock, **down},
        "two of the last": {"searchTerm": "zephyr 99", **date, **up},
        "none": {"searchTerm": "zephyr wool"},
    }
    for name in ("two words", "two words, date down", "word, date down", "stock range, sorted", "the same, date up"):
        deep = dict(asks[name])
        for _ in range(40):
            page = service.page({"appUrl": STORE, "limit": 200, **deep})
            if not page["nextCursor"]:
                break
            deep["cursor"] = page["nextCursor"]
        asks[f"{name}, deep"] = deep
    return asks


def alone(service, postgres, writes):
    """The times of single queries: with what the process keeps, and with nothing of it."""
    far, again = writes / "far.ndjson", writes / "again.ndjson"
    far_products(service, far)
    service.write(far)
    postgres.ask("VACUUM (ANALYZE)", "shared")
    page = service.page({"appUrl": STORE, "limit": BATCH, "include": {"variants": True, "media": True}})
    again.write_text("".join(json.dumps(product, ensure_ascii=False) + "\n" for product in page["products"]))
    print(f"{'single queries':24} {'p50 ms':>8} {'most':>8} {'first':>8}   first: nothing is kept in memory", flush=True)
    worst = 0
    for name, ask in single_queries(service).items():
        asked = {"appUrl": STORE, "limit": PAGE, **ask}

        def took():
            begun = time.monotonic()
            service.page(asked)
            return (time.monotonic() - begun) * 1e3

        took()
        postgres.ask("UPDATE store SET chunk_tokens = ''", "shared")
        first = statistics.median(took() for _ in range(5))
        # The next change draws tokens for everything.
        service.write(again)
        times = sorted(took() for _ in range(20))[:20]
        worst = max(worst, times[10], first)
        print(f"{name:24} {times[10]:8.2f} {times[-2]:8.2f} {first:8.2f}", flush=True)
    print(f"{'worst':24} {worst:8.2f}", flush=True)


def several(shared, postgres, binary, folder, asks, seconds):
    """Three processes beside one, with as many connections to all of them together. What they would cost in coordination is
    counted, too: statements a page."""
    with contextlib.ExitStack() as ending:
        others = [Service(binary, folder / f"process-{nth}", ending, postgres.url("shared"), 0) for nth in (1, 2)]
        rates = {}
        for name, services in [("one process", [shared] * 3), ("three processes", [shared, *others])] * 2:
            postgres.ask("SELECT pg_stat_statements_reset()")
            asking = [asked_service(service, folder, asks, seconds, CONNECTIONS // 3 + 1, f"asks-{nth}")
                      for nth, service in enumerate(services)]
            found = [answered(*one) for one in asking]
            rates.setdefault(name, []).append(sum(rate for rate, *_ in found))
            calls = int(postgres.ask("SELECT sum(calls) FROM pg_stat_statements AS said JOIN pg_database AS base "
                                     "ON base.oid = said.dbid WHERE datname = 'shared'"))
            print(f"{name:18} {'shared':9} {rates[name][-1]:8.0f} {'':8} {max(one[2] for one in found):8.2f} "
                  f"{calls / rates[name][-1] / seconds:8.2f} statements a page", flush=True)
        print(f"{'three beside one':18} ratio     {sum(rates['three processes']) / sum(rates['one process']):8.2f}", flush=True)


def database_time(shared, postgres, folder, asks, seconds):
    """What the database does for a page."""
    postgres.ask("SELECT pg_stat_statements_reset()")
    rate, *_ = ask_service(shared, folder, asks, seconds)
    of = ("FROM pg_stat_statements AS said JOIN pg_database AS base ON base.oid = said.dbid "
          "WHERE datname = 'shared'")
    total, calls = postgres.ask(f"SELECT sum(total_exec_time + total_plan_time), sum(calls) {of}").strip().split("|")
    pages = rate * seconds
    print(f"database, a page   {float(total) / pages:.3f} ms, {float(calls) / pages:.1f} statements, "
          f"at {rate:.0f} pages/s without a writer", flush=True)
    for line in postgres.ask(f"SELECT round((total_exec_time + total_plan_time)::numeric, 0), calls, "
                             f"round((mean_exec_time + mean_plan_time)::numeric, 4), "
                             f"left(regexp_replace(query, '\\s+', ' ', 'g'), 90) {of} ORDER BY 1 DESC LIMIT 8").splitlines():
        spent, called, mean, query = line.split("|", 3)
        print(f"                   {float(spent) / pages:.3f} ms  {float(called) / pages:5.2f} x {mean} ms  {query}")


def main():
    binary = Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/cutaway").resolve()
    folder = Path(__file__).resolve().parent.parent / "target" / "postgres"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    with contextlib.ExitStack() as ending:
        postgres, writes = Postgres(folder, ending), folder / "writes"
        if ALONE:
            writes.mkdir(exist_ok=True)
            alone(filled(postgres, binary, folder, ending), postgres, writes)
            return
        service = Service(binary, folder / "data", ending)
        if postgres.ask("SELECT to_regclass('product_words') IS NOT NULL").strip() != "t" or \
                int(postgres.ask("SELECT count(*) FROM product")) != PRODUCTS:
            load(service, postgres, writes)
        shared = filled(postgres, binary, folder, ending)
        session = ending.enter_context(postgres.psql("-At", stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        ending.callback(session.stdin.close)

        def writes_to(service):
            return lambda batch, turn: service.write(writes / f"{batch}-{turn}.ndjson")

        def write_postgres(batch, turn):
            session.stdin.write(UPSERT.format(batch=batch, turn=turn) + "\n")
            session.stdin.flush()
            if session.stdout.readline() != f"INSERT 0 {BATCH}\n":
                sys.exit("PostgreSQL refused products")

        sides = {
            "cutaway": (writes_to(service), lambda asked: ask_service(service, folder, [q[0] for q in asked], SECONDS)),
            "shared": (writes_to(shared), lambda asked: ask_service(shared, folder, [q[1] for q in asked], SECONDS)),
            "postgres": (write_postgres, lambda asked: ask_postgres(postgres, folder, [q[2] for q in asked], SECONDS)),
        }
        # An earlier run may have left some changed.
        for batch in range(BATCHES):
            for write, _ in sides.values():
                write(batch, 0)
        postgres.ask("VACUUM (ANALYZE) product")
        postgres.ask("VACUUM (ANALYZE)", "shared")
        queries = prepare(service, shared, postgres)
        every = [query for of_a_kind in queries.values() for query in of_a_kind]
        print(f"{len(every)} queries give the same products on all sides; {CONNECTIONS} connections, "
              f"{SECONDS} s a side")
        print(f"{'':18} {'':9} {'pages/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'written':>8}")
        results, turns = {name: [] for name in sides}, {name: itertools.count() for name in sides}

        def measured(title, asked, turn):
            found, names = {}, list(sides)
            for name in names[turn % 3:] + names[:turn % 3]:
                write, ask = sides[name]
                with writing(write, turns[name]) as written:
                    found[name] = ask(asked)
                line = "{:18} {:9} {:8.0f} {:8.2f} {:8.2f} {:8}"
                print(line.format(title, name, *found[name], sum(written)), flush=True)
            for name in names[:2]:
                print(f"{title:18} {name + '/GIN':11} {found[name][0] / found['postgres'][0]:6.2f}", flush=True)
            return found

        # Unmeasured, so that all have in memory what they keep there.
        for _, ask in sides.values():
            ask(every)
        for kind, of_a_kind in queries.items():
            measured(kind, of_a_kind, 0)
        for number in range(ROUNDS):
            for name, result in measured(f"all, round {number + 1}", every, number).items():
                results[name].append(result)
        for name, rounds in results.items():
            median = (statistics.median(column) for column in zip(*rounds))
            print("{:18} {:9} {:8.0f} {:8.2f} {:8.2f}".format("all, median", name, *median))
        for name in ("cutaway", "shared"):
            ratios = [ours[0] / theirs[0] for ours, theirs in zip(results[name], results["postgres"])]
            print(f"{'all, median':18} {name + '/GIN':11} {statistics.median(ratios):6.2f}   "
                  f"{min(ratios):.2f} to {max(ratios):.2f}")

        asks = [query[1] for query in every]
        database_time(shared, postgres, folder, asks, SECONDS)
        several(shared, postgres, binary, folder, asks, SECONDS)
        postgres.ask("UPDATE store SET chunk_tokens = ''", "shared")
        found = ask_service(shared, folder, asks, SECONDS)
        print("{:18} {:9} {:8.0f} {:8.2f} {:8.2f}   nothing is kept in memory".format("all", "shared", *found), flush=True)
        if MOVES:
            move(postgres, binary, folder)
        alone(shared, postgres, writes)


if __name__ == "__main__":
    main()
