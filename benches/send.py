#!/usr/bin/env python3
"""`cutaway videos upload` beside `curl -F`: the same file to the same service, in turn. Needs Linux and curl.

    python3 benches/send.py target/release/cutaway

CUTAWAY_BENCH_BYTES (2 GiB) and CUTAWAY_BENCH_ROUNDS (5) change its size. Before each measurement what was written
before is on the disk, so that nobody waits for another's bytes. The memory is that of the process that sends, at its
highest, beside that of one that lists the library and so has a connection too.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

BYTES = int(os.environ.get("CUTAWAY_BENCH_BYTES", str(2 * 1024**3)))
ROUNDS = int(os.environ.get("CUTAWAY_BENCH_ROUNDS", "5"))


def video(file):
    """A file that begins like a video; the rest is noise."""
    if file.exists() and file.stat().st_size == BYTES:
        return
    with file.open("wb") as out:
        out.write(b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2")
        while (left := BYTES - out.tell()) > 0:
            out.write(os.urandom(min(left, 1024 * 1024)))


def run(command, environment):
    """Seconds, standard output, and the highest memory in MiB."""
    begun = time.monotonic()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out = process.stdout.read()
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    took = time.monotonic() - begun
    if process.returncode != 0:
        sys.exit(f"{command}: {process.returncode}\n{said.decode()}")
    return took, out, usage.ru_maxrss / 1024


def main():
    binary = Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/cutaway").resolve()
    folder = Path(os.environ.get("CUTAWAY_BENCH_FOLDER", Path(__file__).resolve().parent.parent / "target" / "send"))
    data, file = folder / "data", folder / "video.mp4"
    shutil.rmtree(data, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    video(file)
    command = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--ready-json"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        ready = json.loads(service.stdout.readline())
        environment = {
            "HOME": str(folder / "home"),
            "PATH": os.environ["PATH"],
            "CUTAWAY_BASE_URL": ready["base_url"],
            "CUTAWAY_API_KEY": ready["api_key"],
        }
        ways = {
            "curl": ["curl", "-sS", "--fail-with-body", "-H", f"Authorization: Bearer {ready['api_key']}",
                     "-F", f"videoBlob=@{file}", ready["upload_url"] + "/videos"],
            "cutaway": [binary, "videos", "upload", "--json", file],
        }
        _, _, idle = run([binary, "videos", "list"], environment)
        times = {"curl": [], "cutaway": []}
        above = []
        print(f"{BYTES / 2**20:.0f} MiB, {ROUNDS} rounds; listing the library takes {idle:.1f} MiB")
        print("round     curl s  cutaway s   curl/cutaway   MiB above listing")
        for number in range(ROUNDS):
            for name in ("curl", "cutaway") if number % 2 == 0 else ("cutaway", "curl"):
                subprocess.run(["sync", "-f", folder], check=True)
                time.sleep(1)
                took, answer, highest = run(ways[name], environment)
                times[name].append(took)
                if name == "cutaway":
                    above.append(highest - idle)
                run([binary, "assets", "delete", json.loads(answer)["id"], "--yes"], environment)
            curl, cutaway = times["curl"][-1], times["cutaway"][-1]
            print(f"{number + 1:5} {curl:10.2f} {cutaway:10.2f} {curl / cutaway:14.2f} {above[-1]:19.1f}")
        middle = {name: statistics.median(taken) for name, taken in times.items()}
        print(f"median of curl's time over cutaway's: {middle['curl'] / middle['cutaway']:.2f} (0.85 is promised), "
              f"{max(above):.1f} MiB above (20 are promised)")
    finally:
        service.terminate()
        service.wait()


if __name__ == "__main__":
    main()
