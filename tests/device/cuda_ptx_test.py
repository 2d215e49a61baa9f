#!/usr/bin/env python3
"""The device code assembles, without a warning, for every GPU that the assembler knows.

usage: cuda_ptx_test.py PRINT_PTX PTXAS
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    text = subprocess.run([sys.argv[1]], check=True, capture_output=True).stdout
    known = subprocess.run([sys.argv[2], "--help"], check=True, capture_output=True, text=True).stdout
    targets = sorted({int(n) for n in re.findall(r"'sm_(\d+)'", known) if int(n) >= 60})
    if not targets:
        print("the assembler names no targets")
        return 1
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernels.ptx"
        source.write_bytes(text)
        for target in targets:
            run = subprocess.run([sys.argv[2], f"-arch=sm_{target}", str(source), "-o", f"{folder}/out"],
                                 capture_output=True, text=True)
            good = run.returncode == 0 and not run.stderr.strip()
            wrong += not good
            print(f"sm_{target}: {'ok' if good else run.stderr.strip()}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
