#!/usr/bin/env python3
"""The catalog beside PostgreSQL: the same products, the same filtered pages, 32 connections, a writer meanwhile.

Needs Debian's packages postgresql and wrk, two cores and 8 GB of disk. Python's standard library is enough.

    python3 benches/postgres.py target/release/cutaway

CUTAWAY_BENCH_PRODUCTS (1000000), CUTAWAY_BENCH_ROUNDS (5) and CUTAWAY_BENCH_SECONDS (10, of one side of a round) change
its size; the products stay in target/postgres for the next run. All traffic stays on 127.0.0.1, and both servers end
with the script.

wrk asks the service over HTTP, pgbench asks PostgreSQL with prepared statements; each has one thread and 32 connections
and receives 30 rows of the same JSON a page. Every query is first asked once on both sides, and has to give the same
products. The writers put 100 products, whose inventory changes, in one transaction, at the same pace on both sides.
What favors PostgreSQL: no HTTP, no bearer key to check, statements without parameters to plan for, products that are
ready to be stored, no word that says where a product was found, and an index for each order.
"""

import contextlib
import glob
import itertools
import json
import os
import socket
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
    "checkpoint_timeout": "15min", "jit": "off", "max_parallel_workers_per_gather": "0", "max_connections": "50",
    "listen_addresses": "127.0.0.1",
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
    """`cutaway serve` on a folder of its own."""

    def __init__(self, binary, folder, ending):
        self.binary, self.data = binary, folder / "data"
        command = [binary, "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--ready-json",
                   "--sample-products", str(PRODUCTS)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        ending.callback(stop, self.process)
        ready = json.loads(self.process.stdout.readline())
        self.base_url, self.key = ready["base_url"], ready["api_key"]

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
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)


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

    def psql(self, *arguments, **options):
        options["env"] = {**os.environ, "PGOPTIONS": "-c client_min_messages=warning"}
        command = [self.bin / "psql", "-X", "-v", "ON_ERROR_STOP=1", *self.where(), *arguments, "postgres"]
        return subprocess.Popen(command, text=True, **options)

    def ask(self, sql):
        with self.psql("-qAt", "-c", sql, stdout=subprocess.PIPE) as asked:
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


def prepare(service, postgres):
    """The queries, each for its first and its second page: what to ask the service, what to ask PostgreSQL."""
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
        cursor = last = None
        for _ in (1, 2):
            asked = {"appUrl": STORE, "limit": PAGE, **ask, **({"cursor": cursor} if cursor else {})}
            beyond = f" AND {after(last)}" if last else ""
            text = f"FROM product WHERE store = 1 AND {where}{beyond} ORDER BY {order} LIMIT {PAGE}"
            page = service.page(asked)
            rows = [line.split("|") for line in postgres.ask(f"SELECT id, inventory, external {text}").splitlines()]
            found = [product["externalProductId"] for product in page["products"]]
            if found != [external for _, _, external in rows] or not found:
                sys.exit(f"the two differ, or find nothing: {asked}\n{text}")
            queries.setdefault(kind, []).append((json.dumps(asked), f"SELECT id, document {text};\n"))
            cursor, last = page["nextCursor"], rows[-1]
            if not cursor:
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


def ask_service(service, folder, queries, seconds):
    (folder / "asks").write_text("".join(ask + "\n" for ask, _ in queries))
    headers = '{["content-type"] = "application/json", ["authorization"] = "Bearer " .. os.getenv("KEY")}'
    (folder / "asks.lua").write_text(f"local HEADERS = {headers}\n{LUA}")
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", folder / "asks.lua", service.base_url]
    environment = {**os.environ, "KEY": service.key, "ASKS": str(folder / "asks")}
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    result = next(line for line in output.splitlines() if line.startswith("RESULT")).split()[1:]
    if result[4] != "0":
        sys.exit(f"{result[4]} requests failed")
    return int(result[0]) / (int(result[1]) / 1e6), float(result[2]), float(result[3])


def ask_postgres(postgres, folder, queries, seconds):
    for old in folder.glob("times*"):
        old.unlink()
    scripts = []
    for at, (_, sql) in enumerate(queries):
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


def main():
    binary = Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/cutaway").resolve()
    folder = Path(__file__).resolve().parent.parent / "target" / "postgres"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    with contextlib.ExitStack() as ending:
        service, postgres = Service(binary, folder, ending), Postgres(folder, ending)
        writes = folder / "writes"
        if postgres.ask("SELECT to_regclass('product_words') IS NOT NULL").strip() != "t" or \
                int(postgres.ask("SELECT count(*) FROM product")) != PRODUCTS:
            load(service, postgres, writes)
        session = ending.enter_context(postgres.psql("-At", stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        ending.callback(session.stdin.close)

        def write_service(batch, turn):
            service.write(writes / f"{batch}-{turn}.ndjson")

        def write_postgres(batch, turn):
            session.stdin.write(UPSERT.format(batch=batch, turn=turn) + "\n")
            session.stdin.flush()
            if session.stdout.readline() != f"INSERT 0 {BATCH}\n":
                sys.exit("PostgreSQL refused products")

        # An earlier run may have left some changed.
        for batch in range(BATCHES):
            write_service(batch, 0)
            write_postgres(batch, 0)
        postgres.ask("VACUUM (ANALYZE) product")
        queries = prepare(service, postgres)
        sides = {
            "cutaway": (write_service, lambda asked: ask_service(service, folder, asked, SECONDS)),
            "postgres": (write_postgres, lambda asked: ask_postgres(postgres, folder, asked, SECONDS)),
        }
        every = [query for of_a_kind in queries.values() for query in of_a_kind]
        print(f"{len(every)} queries give the same products on both sides; {CONNECTIONS} connections, "
              f"{SECONDS} s a side")
        print(f"{'':18} {'':9} {'pages/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'written':>8}")
        results, turns = {name: [] for name in sides}, {name: itertools.count() for name in sides}

        def measured(title, asked, other_first):
            found = {}
            for name in sorted(sides, reverse=other_first):
                write, ask = sides[name]
                with writing(write, turns[name]) as written:
                    found[name] = ask(asked)
                line = "{:18} {:9} {:8.0f} {:8.2f} {:8.2f} {:8}"
                print(line.format(title, name, *found[name], sum(written)), flush=True)
            print(f"{title:18} ratio     {found['cutaway'][0] / found['postgres'][0]:8.2f}", flush=True)
            return found

        # Unmeasured, so that both have in memory what they keep there.
        for _, ask in sides.values():
            ask(every)
        for kind, of_a_kind in queries.items():
            measured(kind, of_a_kind, False)
        for number in range(ROUNDS):
            for name, result in measured(f"all, round {number + 1}", every, number % 2 == 1).items():
                results[name].append(result)
        for name, rounds in results.items():
            median = (statistics.median(column) for column in zip(*rounds))
            print("{:18} {:9} {:8.0f} {:8.2f} {:8.2f}".format("all, median", name, *median))
        ratios = [ours[0] / theirs[0] for ours, theirs in zip(results["cutaway"], results["postgres"])]
        print(f"{'all, median':18} ratio     {statistics.median(ratios):8.2f}   {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
