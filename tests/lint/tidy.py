#!/usr/bin/env python3
"""Runs clang-tidy with the checks of .clang-tidy over src/ and tools/, several files at a time.

usage: tidy.py SOURCE_DIR BUILD_DIR [FILE…]
Exit status 77 (skipped) where clang-tidy is missing.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 64
    root, build = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    program = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if not program:
        print("skipped: no clang-tidy")
        return 77
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as handle:
        known = {entry["file"] for entry in json.load(handle)}
    wanted = [str(root / "src") + os.sep, str(root / "tools") + os.sep]
    files = sorted(f for f in known if any(f.startswith(w) for w in wanted))
    if len(sys.argv) > 3:
        files = [os.path.abspath(f) for f in sys.argv[3:]]

    def tidy(path):
        return subprocess.run([program, "--quiet", "-p", build, path], capture_output=True, text=True, check=False)

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for path, result in zip(files, pool.map(tidy, files)):
            if result.returncode != 0:
                bad += 1
                print(f"{os.path.relpath(path, root)}:\n{result.stdout}{result.stderr}")
    print(f"{len(files)} files, {bad} with findings")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
