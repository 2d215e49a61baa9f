#!/usr/bin/env python3
"""Wall time and peak memory of `gpucoop inspect` beside the vendors' tools. Prints; judges nothing.

usage: inspect-vs-tools.py GPUCOOP FILE... [--runs N]

A FILE with NVIDIA code is compared with `cuobjdump --list-elf`, a bare AMD code object with `llvm-readelf --notes`; for
another one no tool lists what is in it, and gpucoop's numbers stand alone. CUOBJDUMP and LLVM_READELF in the environment
name the tools. Times are medians of N runs (default 5), memory is the largest resident set of them. gpucoop also hashes
the file, which the others do not.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time

AMD_MACHINE = 224


def tool(variable, *names):
    named = os.environ.get(variable)
    return named or next((found for found in map(shutil.which, names) if found), None)


def head_and_sections(path):
    """The file's first bytes, and whether a section header names NVIDIA's section."""
    with open(path, "rb") as file:
        head = file.read(64)
        if head[:4] != b"\x7fELF" or len(head) < 64:
            return head, False
        table = int.from_bytes(head[40:48], "little")
        count = int.from_bytes(head[60:62], "little")
        names = int.from_bytes(head[62:64], "little")
        if table == 0 or names >= count:
            return head, False
        file.seek(table + 64 * names)
        row = file.read(64)
        file.seek(int.from_bytes(row[24:32], "little"))
        return head, b"\0.nv_fatbin\0" in file.read(min(int.from_bytes(row[32:40], "little"), 1 << 20))


def measured(command, runs):
    """Median seconds and peak KiB; nothing where the command fails."""
    seconds, peak = [], 0
    for _ in range(runs):
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds.append(time.monotonic() - begin)
        peak = max(peak, usage.ru_maxrss)
        if process.returncode != 0:
            return None
    return statistics.median(seconds), peak


def other_tool(path):
    head, nvidia = head_and_sections(path)
    if nvidia:
        found = tool("CUOBJDUMP", "cuobjdump")
        return found and [found, "--list-elf", path]
    if head[:4] == b"\x7fELF" and int.from_bytes(head[18:20], "little") == AMD_MACHINE:
        found = tool("LLVM_READELF", "llvm-readelf", "llvm-readelf-19", "llvm-readelf-15", "llvm-readelf-14")
        return found and [found, "--notes", path]
    return None


def row(name, result):
    if result is None:
        print(f"  {name:24} failed")
    else:
        print(f"  {name:24} {result[0]:9.3f} s {result[1] / 1024:9.1f} MiB")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].splitlines()[0], description=__doc__.split("\n")[0])
    parser.add_argument("gpucoop")
    parser.add_argument("file", nargs="+")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs needs at least one")
    for path in [options.gpucoop, *options.file]:
        if not os.path.isfile(path) and not shutil.which(path):
            parser.exit(66, f"inspect-vs-tools: there is no {path}\n")
    failed = False
    for path in options.file:
        print(f"{path} ({os.path.getsize(path) / 1e6:.1f} MB), median of {options.runs} runs")
        own = measured([options.gpucoop, "inspect", path, "--format", "json"], options.runs)
        failed |= own is None
        row("gpucoop inspect", own)
        other = other_tool(path)
        if other:
            row(" ".join([os.path.basename(other[0]), other[1]]), measured(other, options.runs))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
