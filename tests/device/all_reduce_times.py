#!/usr/bin/env python3
"""All-reduce times, in microseconds, as `gpucoop probe --format json` and as the bare NCCL program tell them.

    all_reduce_times.py REPORT BARE_OUTPUT    puts the launched ones side by side
"""
import json
import pathlib
import re
import sys

SIZES = {"8 B": 8, "1 MiB": 1 << 20, "128 MiB": 128 << 20}


def of_report(text, size):
    """Launched and replayed from a graph; not a number where it was not replayed."""
    told = next(told for run in json.loads(text)["probes"] if run["rung"] == "ccl.latency" and not run["variant"]
                for told in run["findings"] if told.startswith("all_reduce: "))
    found = re.search(rf"\b{size} ([0-9.]+) us(?:, replayed from a graph ([0-9.]+) us)?", told).groups()
    return [float(value or "nan") for value in found]


def of_bare(text, size, kind="bus"):
    return float(re.search(rf"rate all_reduce +{SIZES[size]} B +([0-9.]+) us +{kind}", text).group(1))


if __name__ == "__main__":
    report, bare = (pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[1:3])
    for name in SIZES:
        ours, other = of_report(report, name)[0], of_bare(bare, name)
        print(f"   {name:8} probe {ours:9.2f} us, bare {other:9.2f} us, ratio {ours / other:.3f}")
