#!/usr/bin/env python3
"""Checks the formatting of all C++ files with clang-format.

usage: format.py SOURCE_DIR [--fix]
Exit status 77 (skipped) where clang-format is missing or of another major version, which formats differently.
"""
import pathlib
import re
import subprocess
import sys

VERSION = 14


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 64
    root = pathlib.Path(sys.argv[1])
    for program in (f"clang-format-{VERSION}", "clang-format"):
        try:
            text = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            continue
        found = re.search(r"version (\d+)\.", text)
        if found and int(found.group(1)) == VERSION:
            break
    else:
        print(f"skipped: no clang-format {VERSION}")
        return 77
    files = [str(p) for top in ("src", "tools", "tests") for p in sorted((root / top).rglob("*"))
             if p.suffix in (".hpp", ".cpp")]
    if "--fix" in sys.argv:
        return subprocess.run([program, "-i", *files], check=False).returncode
    result = subprocess.run([program, "--dry-run", "-Werror", "--ferror-limit=1", *files], check=False)
    print(f"{len(files)} files")
    return result.returncode if files else 1


if __name__ == "__main__":
    sys.exit(main())
