#!/usr/bin/env bash
# On a host with two NVIDIA GPUs and NCCL: `gpucoop probe --collective` and the bare NCCL program in turn, several times,
# and how their all-reduce times compare. One start of either differs from the next by more than the two differ.
# Usage: tests/device/rates.sh BUNDLE OUTPUT_FOLDER [LIBNCCL]    (BUNDLE: of cuda-bundle.sh; about 2 minutes)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/parts.sh"
out=$(realpath "$2")
prepare "$1" "${3:-}"
trap clean_up EXIT

python3 - "$here" "${nccl:-libnccl.so.2}" <<'END' | tee "$out/rates.txt"
import json
import re
import statistics
import subprocess
import sys
import time

HERE, NCCL = sys.argv[1:]
COLUMNS = ("8 B", "8 B replayed", "1 MiB", "1 MiB replayed", "128 MiB")
TURNS = 9


def output_of(*argv):
    begin = time.monotonic()
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout, time.monotonic() - begin


def bare():
    text, wall = output_of(HERE + "/bin/bare_nccl", "--nccl", NCCL)

    def time_of(size, kind):
        return float(re.search(rf"rate all_reduce +{size} B +([0-9.]+) us +{kind}", text).group(1))

    return [time_of(8, "bus"), time_of(8, "replayed"), time_of(1 << 20, "bus"), time_of(1 << 20, "replayed"),
            time_of(128 << 20, "bus")], wall


def probe():
    text, wall = output_of(HERE + "/bin/gpucoop", "probe", "--collective", "--library", NCCL, "--format", "json")
    told = next(told for run in json.loads(text)["probes"] if run["rung"] == "ccl.latency" and not run["variant"]
                for told in run["findings"] if told.startswith("all_reduce: "))

    def times_of(size, replayed=True):
        # A slow operation is not replayed as well.
        found = re.search(rf"\b{size} ([0-9.]+) us(?:, replayed from a graph ([0-9.]+) us)?", told).groups()
        return [float(value or "nan") for value in found[:2 if replayed else 1]]

    return times_of("8 B") + times_of("1 MiB") + times_of("128 MiB", replayed=False), wall


rows = {"bare": [], "probe": []}
for _ in range(TURNS):
    for name, once in (("bare", bare), ("probe", probe)):
        times, wall = once()
        rows[name].append(times + [wall])
        print(name, *("%.2f" % value for value in rows[name][-1]), flush=True)
for column, what in enumerate((*COLUMNS, "wall")):
    of_bare, of_probe = (statistics.median(row[column] for row in rows[name]) for name in ("bare", "probe"))
    print(f"{what}: bare {of_bare:.2f}, probe {of_probe:.2f}, ratio {of_probe / of_bare:.3f}")
END
