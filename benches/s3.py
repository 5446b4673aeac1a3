#!/usr/bin/env python3
"""Uploads to S3 through the service beside a plain multipart client (boto3): the same file, the same server (moto), in turn,
parts of 8 MiB and three of them under way. Needs Linux, curl and `.ci/s3`.

    .ci/s3 && python3 benches/s3.py target/release/cutaway

CUTAWAY_BENCH_BYTES (2 GiB) and CUTAWAY_BENCH_ROUNDS (3) change its size; moto keeps what it is given in memory. The service
takes the upload from curl over HTTP as a player or merchant's tool would send it, hashes it and answers when it is in the
bucket and in the database; boto3 reads the file itself. Neither names a checksum of its own beside the signed one: moto makes
one of the whole file then, which is most of what either waits for.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from upload import memory, timed, video

HERE = Path(__file__).resolve().parent.parent
MOTO = os.environ.get("CUTAWAY_MOTO", str(HERE / "target/ci-tools/moto"))
BYTES = int(os.environ.get("CUTAWAY_BENCH_BYTES", str(2 * 1024**3)))
ROUNDS = int(os.environ.get("CUTAWAY_BENCH_ROUNDS", "3"))
BUCKET, PART, TOGETHER = "films", 8 * 1024**2, 3

PLAIN = f"""
import boto3, sys
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
s3 = boto3.client("s3", endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="id", aws_secret_access_key="secret",
                  config=Config(request_checksum_calculation="when_required"))
how = TransferConfig(multipart_threshold={PART}, multipart_chunksize={PART}, max_concurrency={TOGETHER})
s3.upload_file(sys.argv[2], "{BUCKET}", "plain", Config=how)
"""


def main():
    binary = Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/cutaway").resolve()
    folder = HERE / "target" / "upload"
    data, file = folder / "data", folder / "video.mp4"
    shutil.rmtree(data, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    video(file)
    python = {**os.environ, "PYTHONPATH": MOTO}
    moto = subprocess.Popen([sys.executable, HERE / "tests/s3/server.py"], env=python, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    server = moto.stdout.readline().strip()
    sys.path.insert(0, MOTO)
    import boto3
    s3 = boto3.client("s3", endpoint_url=server, region_name="us-east-1", aws_access_key_id="id",
                      aws_secret_access_key="secret")
    s3.create_bucket(Bucket=BUCKET)

    def empty():
        for found in s3.list_objects_v2(Bucket=BUCKET).get("Contents", []):
            s3.delete_object(Bucket=BUCKET, Key=found["Key"])

    blobs = f"s3://id:secret@{BUCKET}/videos?region=us-east-1&endpoint={server}"
    command = [binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--ready-json"]
    service = subprocess.Popen(command, env={**os.environ, "CUTAWAY_BLOBS": blobs}, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        ready = json.loads(service.stdout.readline())
        upload = ["curl", "-sS", "--fail-with-body", "-H", f"Authorization: Bearer {ready['api_key']}",
                  "-F", f"videoBlob=@{file}", ready["upload_url"] + "/videos"]
        plain = ["env", f"PYTHONPATH={MOTO}", sys.executable, "-c", PLAIN, server, file]
        time.sleep(1)
        idle = memory(service, "VmRSS")
        times = {"upload": [], "plain": []}
        print(f"{BYTES / 2**20:.0f} MiB, {ROUNDS} rounds; the service has {idle:.1f} MiB when idle")
        print("round   upload s  plain s   plain/upload   MiB above idle")
        for number in range(ROUNDS):
            above = 0
            for name in ("upload", "plain") if number % 2 == 0 else ("plain", "upload"):
                # The highest is counted again.
                Path(f"/proc/{service.pid}/clear_refs").write_text("5")
                took, _ = timed(upload if name == "upload" else plain)
                times[name].append(took)
                if name == "upload":
                    above = memory(service, "VmHWM") - idle
                empty()
            ours, others = (column[-1] for column in times.values())
            print(f"{number + 1:<7} {ours:8.2f} {others:8.2f} {others / ours:14.2f} {above:16.1f}", flush=True)
        ours, others = (statistics.median(column) for column in times.values())
        print(f"median  {ours:8.2f} {others:8.2f} {others / ours:14.2f}")
    finally:
        service.terminate()
        service.wait(60)
        moto.stdin.close()
        moto.wait(60)
        shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    main()
