#!/usr/bin/env bash
# On a host with two NVIDIA GPUs and NCCL: `gpucoop probe --collective` and the bare NCCL program in turn, several times,
# and how their all-reduce times compare. One start of either differs from the next by more than the two differ.
# Usage: tests/device/rates.sh BUNDLE OUTPUT_FOLDER [LIBNCCL]    (BUNDLE: of cuda-bundle.sh; about 2 minutes)
set -euo pipefail
scripts=$(dirname "${BASH_SOURCE[0]}")
source "$scripts/parts.sh"
out=$(realpath "$2")
prepare "$1" "${3:-}"
trap clean_up EXIT

python3 - "$here" "${nccl:-libnccl.so.2}" "$scripts" <<'END' | tee "$out/rates.txt"
import statistics
import subprocess
import sys
import time

HERE, NCCL, SCRIPTS = sys.argv[1:]
sys.path.insert(0, SCRIPTS)
sys.dont_write_bytecode = True
from all_reduce_times import of_bare, of_report  # noqa: E402

COLUMNS = ("8 B", "8 B replayed", "1 MiB", "1 MiB replayed", "128 MiB")
TURNS = 9


def output_of(*argv):
    begin = time.monotonic()
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout, time.monotonic() - begin


def bare():
    text, wall = output_of(HERE + "/bin/bare_nccl", "--nccl", NCCL)
    return [of_bare(text, "8 B"), of_bare(text, "8 B", "replayed"), of_bare(text, "1 MiB"),
            of_bare(text, "1 MiB", "replayed"), of_bare(text, "128 MiB")], wall


def probe():
    text, wall = output_of(HERE + "/bin/gpucoop", "probe", "--collective", "--library", NCCL, "--format", "json")
    return of_report(text, "8 B") + of_report(text, "1 MiB") + of_report(text, "128 MiB")[:1], wall


rows = {"bare": [], "probe": []}
for _ in range(TURNS):
    for name, once in (("bare", bare), ("probe", probe)):
        times, wall = once()
        rows[name].append(times + [wall])
        print(name, *("%.2f" % value for value in rows[name][-1]), flush=True)
for column, what in enumerate((*COLUMNS, "wall")):
    bare_median, probe_median = (statistics.median(row[column] for row in rows[name]) for name in ("bare", "probe"))
    print(f"{what}: bare {bare_median:.2f}, probe {probe_median:.2f}, ratio {probe_median / bare_median:.3f}")
END
