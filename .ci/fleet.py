"""Several `cutaway serve` processes behind haproxy, with PostgreSQL and an S3 server (moto or Garage), on this machine; people who use
them, and what each of those was told. Nothing here knows how the service works: it asks over HTTP, and looks into the
database and the bucket only to count."""

import contextlib
import hashlib
import hmac
import http.client
import http.server
import json
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import uuid
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
MIB = 1024 * 1024
STORE = "https://chaos.example"
PRODUCT = {
    "title": "wool", "description": "", "vendor": "v", "productType": "t", "tags": ["a", "b"], "status": "ACTIVE", "platform": "SHOPIFY",
    "descriptionHtml": "", "category": None, "templateSuffix": None, "featuredMediaId": None, "featuredMediaPreviewUrl": None,
    "currencyCode": "NOK", "currencySymbol": "kr", "media": [], "variants": [], "metafields": {}, "options": [], "productUrl": "",
    "publishedAt": "2026-01-01T00:00:00Z",
}


def skip(why):
    print(f"SKIPPED, {why}")
    sys.exit(77)


def binary():
    """The program, built where nobody says where it is."""
    if "CUTAWAY_BINARY" in os.environ:
        return os.environ["CUTAWAY_BINARY"]
    subprocess.run(["cargo", "build", "--locked", "--bin", "cutaway"], cwd=HERE, check=True)
    target = os.environ.get("CARGO_TARGET_DIR", str(HERE / "target"))
    return str(Path(target) / "debug" / "cutaway")


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def as_postgres(command):
    """PostgreSQL refuses to be root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *command]


def postgres_bin():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if not found:
        skip("there is no PostgreSQL on this machine")
    return found[-1].parent


def folder(prefix):
    """A folder that the user postgres may write."""
    made = tempfile.mkdtemp(prefix=prefix, dir="/tmp")
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(made, user.pw_uid, user.pw_gid)
    os.chmod(made, 0o755)
    return Path(made)


class Postgres:
    """One server, on a socket in a folder of its own."""

    def __init__(self):
        self.bin, self.folder = postgres_bin(), folder("cutaway-chaos-pg.")
        self.run("initdb", "-D", self.folder / "data", "-U", "cutaway", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        options = f"-k {self.folder} -c listen_addresses= -c max_connections=200"
        self.run("pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log", "-o", options, "start")
        self.ask("CREATE DATABASE chaos", "postgres")
        self.url = f"postgres://cutaway@{urllib.parse.quote(str(self.folder), safe='')}/chaos"

    def run(self, program, *arguments):
        command = as_postgres([str(self.bin / program), *map(str, arguments)])
        subprocess.run(command, check=True, cwd="/tmp", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, sql, database="chaos"):
        command = [self.bin / "psql", "-qtAX", "-v", "ON_ERROR_STOP=1", "-U", "cutaway", "-h", self.folder, "-d", database, "-c", sql]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def stop(self):
        with contextlib.suppress(subprocess.CalledProcessError):
            self.run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


class Bucket:
    """A bucket of moto's, or of Garage's with CUTAWAY_TEST_S3=garage."""

    def __init__(self):
        if os.environ.get("CUTAWAY_TEST_S3") == "garage":
            self.id, self.secret = "GK0123456789abcdef01234567", "0011223344556677" * 4
            program = HERE / "target/ci-tools/garage/bin/garage"
            command = ["bash", HERE / "tests/s3/garage.sh", program, self.id, self.secret, str(free_port()), str(free_port())]
        else:
            self.id, self.secret = "id", "secret"
            command = [sys.executable, HERE / "tests/s3/server.py"]
        tools = os.environ.get("CUTAWAY_MOTO", str(HERE / "target/ci-tools/moto"))
        self.child = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": tools}, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.server = self.child.stdout.readline().strip()
        if not self.server.startswith("http://"):
            skip("there is no S3 server: .ci/s3 fetches moto, .ci/garage builds Garage")
        self.ask("PUT", "")
        self.url = f"s3://{self.id}:{self.secret}@chaos/films?region=us-east-1&endpoint={self.server}"

    def signed(self, method, rest):
        """The headers of a request with AWS Signature Version 4, without a hash of what it carries."""
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        day, host, carried = now[:8], self.server.removeprefix("http://"), "UNSIGNED-PAYLOAD"
        query = "&".join(sorted(part if "=" in part else part + "=" for part in rest[1:].split("&") if part))
        names = "host;x-amz-content-sha256;x-amz-date"
        asked = [method, "/chaos", query, f"host:{host}", f"x-amz-content-sha256:{carried}", f"x-amz-date:{now}", "", names, carried]
        scope = f"{day}/us-east-1/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256("\n".join(asked).encode()).hexdigest()])
        key = f"AWS4{self.secret}".encode()
        for word in (*scope.split("/"), text):
            key = hmac.digest(key, word.encode(), "sha256")
        said = f"AWS4-HMAC-SHA256 Credential={self.id}/{scope}, SignedHeaders={names}, Signature={key.hex()}"
        return {"authorization": said, "x-amz-content-sha256": carried, "x-amz-date": now}

    def ask(self, method, rest):
        asked = urllib.request.Request(f"{self.server}/chaos{rest}", method=method, headers=self.signed(method, rest))
        with urllib.request.urlopen(asked) as answer:
            return answer.read().decode()

    @staticmethod
    def texts(answer, name):
        return [part.split(f"</{name}>")[0] for part in answer.split(f"<{name}>")[1:]]

    def keys(self):
        """All of them, a thousand at a time."""
        found = []
        while True:
            after = f"&start-after={urllib.parse.quote(found[-1], safe='')}" if found else ""
            answer = self.ask("GET", f"?list-type=2{after}")
            found += self.texts(answer, "Key")
            if "true" not in self.texts(answer, "IsTruncated"):
                return sorted(found)

    def uploads(self):
        return sorted(self.texts(self.ask("GET", "?uploads"), "Key"))

    def stop(self):
        self.child.stdin.close()
        self.child.wait()


class Process:
    """One `cutaway serve`, always on the same port."""

    def __init__(self, fleet, nth):
        self.fleet, self.nth, self.port, self.child = fleet, nth, free_port(), None
        self.data = fleet.home / f"process{nth}"

    def start(self):
        flags = ["--listen", f"127.0.0.1:{self.port}", "--data", self.data, "--public-url", self.fleet.base,
                 "--trusted-proxy", "127.0.0.1/32", "--allow-private-webhooks"]
        log = open(self.fleet.home / f"log{self.nth}", "a")
        self.child = subprocess.Popen([self.fleet.binary, "serve", *map(str, flags)], env=self.fleet.env,
                                      stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def is_ready(self):
        return status(self.port, "/readyz") == 200

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()


def status(port, path):
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        line.request("GET", path)
        return line.getresponse().status
    except OSError:
        return None
    finally:
        line.close()


def until(what, seconds, is_so):
    """How long it took, seconds."""
    begun = time.monotonic()
    while not is_so():
        if time.monotonic() - begun > seconds:
            raise SystemExit(f"after {seconds} s still not: {what}")
        time.sleep(0.1)
    return time.monotonic() - begun


def none_left(what, seconds, left):
    """How long it took until there was none left, seconds: however many there are, as long as they become fewer."""
    begun = last = time.monotonic()
    fewest = left()
    while fewest > 0:
        time.sleep(0.1)
        now = left()
        if now < fewest:
            fewest, last = now, time.monotonic()
        if time.monotonic() - last > seconds:
            raise SystemExit(f"{fewest} {what}, and none less in {seconds} s")
    return time.monotonic() - begun


class Fleet:
    """The processes and what is before them."""

    def __init__(self, database, bucket, count=3):
        self.binary, self.home = binary(), Path(tempfile.mkdtemp(prefix="cutaway-chaos."))
        if not shutil.which("haproxy"):
            skip("there is no haproxy on this machine")
        self.database, self.bucket = database, bucket
        self.door = free_port()
        self.base = f"http://127.0.0.1:{self.door}"
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "CUTAWAY_DATABASE_URL": database,
                    "XDG_STATE_HOME": str(self.home / "state"), "XDG_CONFIG_HOME": str(self.home / "config"),
                    "XDG_DATA_HOME": str(self.home / "share"), "CUTAWAY_LOG": "warn"}
        if bucket:
            self.env["CUTAWAY_BLOBS"] = bucket.url
        self.key = self.run("key", "add", "--name", "load").strip().split()[-1]
        self.processes = [Process(self, nth) for nth in range(count)]
        for process in self.processes:
            process.start()
        for process in self.processes:
            until("ready", 60, process.is_ready)
        self.balancer = self.balance()
        until("the balancer answers", 20, lambda: status(self.door, "/readyz") == 200)

    def run(self, *arguments):
        done = subprocess.run([self.binary, "serve", *arguments, "--data", str(self.home / "beside")], env=self.env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    def balance(self):
        lines = ["global", " maxconn 2000", "defaults", " mode http", " timeout connect 1s", " timeout client 90s", " timeout server 90s",
                 " option redispatch", " retries 3", " balance roundrobin", " option forwardfor", "frontend door",
                 f" bind 127.0.0.1:{self.door}", " default_backend all", "backend all", " option httpchk GET /healthz"]
        lines += [f" server p{one.nth} 127.0.0.1:{one.port} check inter 300ms fall 1 rise 1" for one in self.processes]
        (self.home / "haproxy").write_text("\n".join(lines) + "\n")
        return subprocess.Popen(["haproxy", "-db", "-f", str(self.home / "haproxy")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        for process in self.processes:
            process.kill()
        self.balancer.kill()
        self.balancer.wait()
        if "CUTAWAY_KEEP" in os.environ:
            print(f"kept: {self.home}")
        else:
            shutil.rmtree(self.home, ignore_errors=True)


class Receiver:
    """Takes webhooks, slowly, and keeps what came and whether two came at once."""

    def __init__(self, seed):
        self.came, self.open, self.overlaps = Counter(), Counter(), 0
        self.sessions = defaultdict(set)
        lock, dice, this = threading.Lock(), random.Random(seed), self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with lock:
                    this.open[self.path] += 1
                    this.overlaps += this.open[self.path] > 1
                    wait, fails = dice.uniform(0, 0.15), dice.random() < 0.05
                time.sleep(wait)
                with lock:
                    this.open[self.path] -= 1
                    if not fails:
                        this.came[self.path, self.headers["webhook-id"]] += 1
                        this.sessions[self.path, json.loads(body).get("sessionId")].add(self.headers["webhook-id"])
                with contextlib.suppress(OSError):
                    self.send_response(500 if fails else 204)
                    self.send_header("content-length", "0")
                    self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, name):
        return f"http://127.0.0.1:{self.server.server_port}/{name}"


class Client:
    """Asks like a person's program: each request over a line of its own, so that the balancer chooses."""

    def __init__(self, fleet):
        self.fleet, self.answers = fleet, Counter()

    def ask(self, method, path, body=None, headers=None, raw=None):
        """The status and the answer; no status where the line broke, so that nobody knows."""
        line = http.client.HTTPConnection("127.0.0.1", self.fleet.door, timeout=90)
        headers = {"authorization": f"Bearer {self.fleet.key}", **(headers or {})}
        if body is not None:
            raw, headers["content-type"] = json.dumps(body).encode(), "application/json"
        try:
            line.request(method, path, raw, headers)
            answer = line.getresponse()
            said, code = answer.read(), answer.status
        except (OSError, http.client.HTTPException):
            self.answers["broken"] += 1
            return None, None
        finally:
            line.close()
        self.answers[code] += 1
        # The balancer's own words are no JSON.
        try:
            return code, json.loads(said) if said else None
        except ValueError:
            return (None if code in (502, 504) else code), said

    def upload(self, name, content):
        edge = uuid.uuid4().hex
        head = f'--{edge}\r\ncontent-disposition: form-data; name="videoBlob"; filename="{name}"\r\ncontent-type: video/mp4\r\n\r\n'
        raw = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
        return self.ask("POST", "/videos", raw=raw, headers={"content-type": f"multipart/form-data; boundary={edge}"})


class Journal:
    """What was acknowledged, as the people who were told keep it."""

    def __init__(self):
        self.lock, self.kept = threading.Lock(), defaultdict(list)

    def add(self, what, value):
        with self.lock:
            self.kept[what].append(value)

    def __getitem__(self, what):
        return self.kept[what]


class Load:
    """People who work until they are told to stop."""

    def __init__(self, fleet, seed, kinds, receiver):
        self.fleet, self.seed, self.journal, self.over = fleet, seed, Journal(), threading.Event()
        self.receiver, self.faults, self.answers = receiver, [], Counter()
        client = Client(fleet)
        self.webhooks = [client.ask("POST", "/webhooks", {"event": "response_summary", "url": receiver.url(f"hook{nth}")})[1]["id"]
                         for nth in range(2)]
        client.ask("POST", "/projects", {"project": {"name": "Played"}})
        self.publish = client.ask("GET", "/projects/")[1]["projects"][0]["publishId"]
        self.threads = [threading.Thread(target=self.work, args=(getattr(self, kind), nth)) for kind, many in kinds.items() for nth in range(many)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def work(self, kind, nth):
        client, dice = Client(self.fleet), random.Random(f"{self.seed} {kind.__name__} {nth}")
        turn = 0
        while not self.over.is_set():
            try:
                kind(client, dice, f"{kind.__name__}{nth}x{turn}")
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told
                self.faults.append(f"{kind.__name__}: {error!r}")
            turn += 1
            time.sleep(dice.uniform(0, 0.05))
        with self.journal.lock:
            self.answers.update(client.answers)

    def known(self, code, said, *good):
        """Whether it was acknowledged. Anything but that, a 503 or a line that broke is a fault."""
        if code in good:
            return True
        if code not in (None, 503):
            self.faults.append(f"{code}: {str(said)[:300]}")
        return False

    def again(self, ask, *good):
        """Asks until it is acknowledged, as a client does with a key."""
        for _ in range(200):
            code, said = ask()
            if self.known(code, said, *good):
                return said
            time.sleep(0.1)
        raise RuntimeError("never acknowledged")

    def writers(self, client, dice, name):
        body = {"project": {"name": name, "folder": f"folder {dice.randrange(3)}"}}
        if dice.random() < 0.5:
            made = self.again(lambda: client.ask("POST", "/projects", body, {"idempotency-key": name}), 200)
            self.journal.add("keyed", name)
        else:
            code, made = client.ask("POST", "/projects", body)
            if not self.known(code, made, 200):
                self.journal.add("unknown" if code is None or code == 503 else "refused", name)
                return
        self.journal.add("projects", name)
        step = {"step": {"projectId": made["id"], "name": "one"}}
        steps = 0
        for _ in range(dice.randrange(3)):
            key = uuid.UUID(int=dice.getrandbits(128)).hex
            self.again(lambda: client.ask("POST", "/projects/steps", step, {"idempotency-key": key}), 200)
            steps += 1
        self.journal.add("steps", (made["id"], steps))
        change = {"name": f"{name} changed"}
        self.again(lambda: client.ask("PUT", f"/projects/{made['id']}", change), 200)
        self.journal.add("changed", (made["id"], change["name"]))

    def imports(self, _client, dice, name):
        products = [{**PRODUCT, "externalProductId": f"{name}-{nth}", "handle": f"{name}-{nth}", "title": f"wool {name} {nth}"}
                    for nth in range(dice.randrange(20, 200))]
        lines = "".join(json.dumps(product) + "\n" for product in products)
        importing = subprocess.Popen([self.fleet.binary, "serve", "import-products", "-", "--app-url", STORE, "--data", str(self.fleet.home / f"i{name}")],
                                     env=self.fleet.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if dice.random() < 0.2:
            threading.Timer(dice.uniform(0.1, 0.6), importing.kill).start()
        _, said = importing.communicate(lines)
        if importing.returncode == 0:
            self.journal.add("products", [product["externalProductId"] for product in products])
        elif importing.returncode > 0:
            self.journal.add("import refused", said.strip()[-200:])
        time.sleep(0.5)

    def uploads(self, client, dice, name):
        size = dice.choice([20_000, 300_000, 9 * MIB])
        content = dice.randbytes(1000) + bytes(size)
        content = bytes([0, 0, 0, 24]) + b"ftypmp42" + bytes(4) + b"mp42isom" + name.encode() + content
        code, made = client.upload(f"{name}.mp4", content)
        if self.known(code, made, 200):
            self.journal.add("videos", (made["id"], hashlib.sha256(content).hexdigest()))

    def visits(self, client, dice, name):
        # Each viewer has an address: one may not begin many visits.
        viewer = {"x-forwarded-for": f"198.{dice.randrange(18, 20)}.{dice.randrange(256)}.{dice.randrange(256)}"}
        begun = self.again(lambda: client.ask("POST", f"/play/{self.publish}/visits", {"anonymousId": name}, viewer), 201)
        events = urllib.parse.urlparse(begun["eventsUrl"]).path
        session = events.split("/")[-2]
        count = dice.randrange(1, 5)
        for number in range(count):
            event = {"number": number, "eventName": f"e{number}", "stepName": "s", "videoName": "v", "text": "t", "ago": 0}
            self.again(lambda: client.ask("POST", events, {"events": [event]}, viewer), 200)
        if dice.random() < 0.3:
            # It falls silent: who was there last is the one that is killed, perhaps.
            self.journal.add("silent", (session, count))
            return
        last = {"events": [], "ended": True}
        self.again(lambda: client.ask("POST", events, last, viewer), 200)
        client.ask("POST", events, last, viewer)
        self.journal.add("ended", (session, count))

    def deliveries(self, client, dice, _name):
        hook = dice.choice(self.webhooks)
        code, said = client.ask("POST", f"/webhooks/{hook}/ping")
        if self.known(code, said, 202):
            self.journal.add("messages", (f"/hook{self.webhooks.index(hook)}", said["messageId"]))
        time.sleep(0.3)


class Findings:
    def __init__(self):
        self.wrong = 0

    def hold(self, what, is_so, more=""):
        print(f"{'ok' if is_so else 'WRONG'}: {what}{'' if is_so else f': {more}'}")
        self.wrong += not is_so


def once(client, database, journal, hold, others="Played"):
    """Nothing acknowledged is lost, and nothing is there twice. Names that begin like others are somebody else's."""
    projects = client.ask("GET", "/projects/")[1]["projects"]
    names = [project["name"].removesuffix(" changed") for project in projects]
    lost = set(journal["projects"]) - set(names)
    hold(f"{len(journal['projects'])} acknowledged projects are there", not lost, sorted(lost)[:5])
    twice = {name for name in names if names.count(name) > 1}
    hold(f"none of {len(names)} projects is there twice", not twice, sorted(twice)[:5])
    strange = set(names) - set(journal["projects"]) - set(journal["unknown"]) - {"Played"}
    strange = {name for name in strange if not name.startswith(others)}
    hold(f"none is there that was refused ({len(journal['unknown'])} had no answer or a 503)", not strange, sorted(strange)[:5])
    by_id = {project["id"]: project for project in projects}
    wrong = [(id, steps) for id, steps in journal["steps"] if by_id[id]["stepsCount"] != steps]
    hold(f"{sum(steps for _, steps in journal['steps'])} acknowledged steps are counted", not wrong, wrong[:5])
    wrong = [id for id, name in journal["changed"] if by_id[id]["name"] != name]
    hold(f"{len(journal['changed'])} acknowledged changes are kept", not wrong, wrong[:5])
    folders = database.ask("SELECT count(*) - count(DISTINCT name) FROM folder")
    hold("no folder is there twice", folders == "0", folders)
    counted = "SELECT count(*) FROM project WHERE steps_count <> (SELECT count(*) FROM step WHERE step.project = project.number)"
    hold("each project's count of steps is right", database.ask(counted) == "0", database.ask(counted))
