#!/usr/bin/env python3
"""Uploads beside `cp`: the same file, the same file system, in turn. Needs Linux, curl and cp.

    python3 benches/upload.py target/release/cutaway

CUTAWAY_BENCH_BYTES (2 GiB) and CUTAWAY_BENCH_ROUNDS (5) change its size. The service puts an upload on the disk before
it answers; `cp` ends while what it wrote is still in memory, so `cp` and then `sync` of the copy is timed too. Before
each measurement what was written before is on the disk, so that nobody waits for another's bytes.
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


def memory(process, line):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(found.split()[1]) for found in status.splitlines() if found.startswith(line + ":")) / 1024


def timed(command):
    begun = time.monotonic()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return time.monotonic() - begun, done.stdout


def main():
    binary = Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/cutaway").resolve()
    folder = Path(__file__).resolve().parent.parent / "target" / "upload"
    data, file, copy = folder / "data", folder / "video.mp4", folder / "copy.mp4"
    shutil.rmtree(data, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    video(file)
    command = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--ready-json"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        ready = json.loads(service.stdout.readline())
        upload = ["curl", "-sS", "--fail-with-body", "-H", f"Authorization: Bearer {ready['api_key']}",
                  "-F", f"videoBlob=@{file}", ready["upload_url"] + "/videos"]
        delete = upload[:5] + ["-X", "DELETE"]
        time.sleep(1)
        idle = memory(service, "VmRSS")
        times = {"upload": [], "cp": [], "cp, sync": []}
        # Once unmeasured, so that the file is in memory for both.
        timed(["cp", file, copy])
        print(f"{BYTES / 2**20:.0f} MiB, {ROUNDS} rounds; the service has {idle:.1f} MiB when idle")
        print("round   upload s     cp s  cp, sync s   cp/upload   (cp, sync)/upload   MiB above idle")
        for number in range(ROUNDS):
            above = 0
            for name in ("upload", "cp") if number % 2 == 0 else ("cp", "upload"):
                copy.unlink(missing_ok=True)
                subprocess.run(["sync", "-f", folder], check=True)
                time.sleep(1)
                if name == "upload":
                    # The highest is counted again.
                    Path(f"/proc/{service.pid}/clear_refs").write_text("5")
                    took, answer = timed(upload)
                    above = memory(service, "VmHWM") - idle
                    times["upload"].append(took)
                    timed([*delete, f"{ready['base_url']}/partners/assets/{json.loads(answer)['id']}"])
                else:
                    took, _ = timed(["cp", file, copy])
                    times["cp"].append(took)
                    times["cp, sync"].append(took + timed(["sync", copy])[0])
            ours, plain, synced = (column[-1] for column in times.values())
            print(f"{number + 1:<7} {ours:8.2f} {plain:8.2f} {synced:11.2f} {plain / ours:11.2f} {synced / ours:19.2f} "
                  f"{above:16.1f}", flush=True)
        ours, plain, synced = (statistics.median(column) for column in times.values())
        print(f"median  {ours:8.2f} {plain:8.2f} {synced:11.2f} {plain / ours:11.2f} {synced / ours:19.2f}")
    finally:
        service.terminate()
        service.wait(60)
        shutil.rmtree(data, ignore_errors=True)
        copy.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
