#!/usr/bin/env python3
"""Makes the sample store: pictures, videos, products.json and projects.json.

    python3 make.py            everything, then the check
    python3 make.py --data     the two JSON files only (pictures and videos stay)
    python3 make.py --check    the check only

Needs Pillow (10.1 or newer, with FreeType) and, for the videos, ffmpeg with libx264.
The same versions make the same bytes.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the folder goes into the program as it is

from maker import catalog, check, pictures, projects, videos  # noqa: E402

HERE = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", action="store_true", help="make the JSON files only")
    parser.add_argument("--check", action="store_true", help="check what is there and make nothing")
    args = parser.parse_args()
    if not args.check:
        if not args.data:
            pictures.make(HERE / "pictures")
            videos.make(HERE / "videos")
        # After the media, because the catalogue states their sizes.
        catalog.make(HERE)
        projects.make(HERE)
    check.check(HERE)


if __name__ == "__main__":
    main()
