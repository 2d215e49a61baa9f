#!/usr/bin/env python3
"""Runs the test of a rank that no signal can end, on a small file system of its own that the test freezes.

usage: frozen_test.py PROBE_TEST

Needs root, a loop device and mkfs.ext4; without these it is skipped (77). What it mounts no other process sees.
"""
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
CLONE_NEWNS = 0x00020000
SIZE = 8 << 20


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def in_namespace_of_its_own():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        skip("no mount namespace can be made")
    if subprocess.run(["mount", "--make-rprivate", "/"], stderr=subprocess.DEVNULL).returncode != 0:
        skip("mounts cannot be made private")


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 64
    if os.geteuid() != 0:
        skip("only root can freeze a file system")
    for program in ("mkfs.ext4", "mount", "umount"):
        if shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin") is None:
            skip(f"there is no {program}")
    os.environ["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    in_namespace_of_its_own()
    with tempfile.TemporaryDirectory(prefix="gpucoop-frozen-") as folder:
        image = pathlib.Path(folder, "image")
        place = pathlib.Path(folder, "place")
        place.mkdir()
        with image.open("wb") as file:
            file.truncate(SIZE)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True)
        if subprocess.run(["mount", "-o", "loop", str(image), str(place)]).returncode != 0:
            skip("no loop device can be mounted")
        try:
            place.joinpath("file").touch()
            ran = subprocess.run([sys.argv[1], "-tc=*blocked in the kernel is told*"], capture_output=True, text=True,
                                 env={**os.environ, "GPUCOOP_FREEZABLE_FILE": str(place / "file")})
            print(ran.stdout, ran.stderr)
            return ran.returncode if "1 passed" in ran.stdout else 1
        finally:
            subprocess.run(["fsfreeze", "-u", str(place)], stderr=subprocess.DEVNULL)
            subprocess.run(["umount", str(place)], check=True)


if __name__ == "__main__":
    sys.exit(main())
