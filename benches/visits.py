#!/usr/bin/env python3
"""What `webhooks import` takes for so many visits. Needs Linux.

    python3 benches/visits.py target/release/cutaway

CUTAWAY_BENCH_VISITS (1,000,000) changes how many, CUTAWAY_BENCH_SEED (1) what they do. Viewers walk a chain of five steps;
what they did comes whole, or in parts that overlap, late, out of order, and some of it twice. Prints the size of the file,
seconds of the clock and of the processors, the most memory, and then the same for the whole file once more, of which
nothing is new. The counts that it prints have to be those that were written.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

VISITS = int(os.environ.get("CUTAWAY_BENCH_VISITS", "1000000"))
SEED = int(os.environ.get("CUTAWAY_BENCH_SEED", "1"))
STEPS = ["first", "left", "right", "late", "last"]
ANSWERS = ["One", "Two", "Three"]
BEGUN = 1_767_225_600_000
MONTH = 30 * 24 * 3600 * 1000


def walked(dice, at):
    """What one viewer does, as events."""
    events, step = [], 0
    while True:
        shown = {"eventName": "step_shown", "stepName": STEPS[step], "videoName": "v", "timestamp": at}
        events.append(shown)
        at += dice.randrange(500, 20_000)
        if dice.random() < 0.1 or step + 1 == len(STEPS):
            break
        answer = dice.randrange(len(ANSWERS))
        events.append({"eventName": "answer_selected", "stepName": STEPS[step], "videoName": "v", "text": ANSWERS[answer],
                       "timestamp": at})
        step = min(step + 1 + answer // 2, len(STEPS) - 1)
    if step + 1 == len(STEPS):
        events.append({"eventName": "completed", "stepName": STEPS[step], "videoName": "v", "timestamp": at})
    return events


def told(dice, visit):
    """The payloads of one visit, of which none is another's copy, and the copies."""
    begun = BEGUN + visit * MONTH // VISITS
    events = walked(dice, begun)
    session = f"{visit:08x}-0000-4000-8000-000000000000"

    def payload(part):
        return {"sessionId": session, "projectId": "quiz", "publishId": "p", "playlist": "Quiz", "anonymousId": session,
                "timestamp": begun + len(part), "collectedInfo": {"name": "Kari Nordmann", "email": "kari@example.com"},
                "events": part}

    payloads = [payload(events)]
    if len(events) > 1 and dice.random() < 0.5:
        payloads.insert(0, payload(events[:dice.randrange(1, len(events))]))
    return payloads, [dice.choice(payloads)] if dice.random() < 0.25 else []


def write(file):
    """How many lines are different, and how many are copies."""
    dice, held, new, copies = random.Random(SEED), [], 0, 0
    with file.open("w", encoding="utf-8", buffering=1 << 20) as out:
        for visit in range(VISITS):
            payloads, again = told(dice, visit)
            new, copies = new + len(payloads), copies + len(again)
            held.extend(json.dumps(one, separators=(",", ":")) for one in payloads + again)
            while len(held) > 500 or (visit + 1 == VISITS and held):
                at = dice.randrange(len(held))
                held[at], held[-1] = held[-1], held[at]
                out.write(held.pop() + "\n")
    return new, copies


def imported(binary, folder, file):
    """What it said, seconds, and what it took of the machine: seconds of processors, MiB."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "CUTAWAY_BASE_URL": "http://127.0.0.1:9/",
                   "CUTAWAY_API_KEY": "measured"}
    begun = time.monotonic()
    process = subprocess.Popen([binary, "webhooks", "import", file, "--json"], env=environment, stdout=subprocess.PIPE)
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    taken = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"it ended with {process.returncode}")
    return json.loads(said), taken, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    binary = Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/cutaway").resolve()
    folder = Path(__file__).resolve().parent.parent / "target" / "visits"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    file = folder / "events.ndjson"
    new, copies = write(file)
    size = file.stat().st_size / 1e6
    print(f"{VISITS:,} visits, {new + copies:,} lines, {size:,.0f} MB, seed {SEED}, {os.cpu_count()} processors")
    try:
        for what, expected in [("first", (new, copies)), ("again", (0, new + copies))]:
            said, taken, work, most = imported(binary, folder, file)
            if (said["kept"], said["known"], said["unread"]) != (*expected, 0):
                sys.exit(f"{what}: {said}, but {expected} were written")
            print(f"{what}: {taken:.1f} s, {work:.1f} s of processors, at most {most:.0f} MiB")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
