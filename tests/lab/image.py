#!/usr/bin/env python3
"""What the laboratory boots: a distribution's kernel, and an initial file system with our binary and lspci.

usage: image.py fetch CACHE                    download and unpack the kernel package into CACHE (the only network use)
       image.py build CACHE GPUCOOP IMAGE      write the initial file system

Nothing is installed: the package is unpacked, and programs and libraries are copied from this system.
"""
import gzip
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = ("linux-image-cloud-amd64", "linux-image-virtual", "linux-image-generic", "linux-image-amd64")
PROGRAMS = ("lspci", "strace")
NAMES = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids")


class Missing(Exception):
    """What the laboratory lacks here, and what to install."""


def run(*argv, **more):
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


# ---------------------------------------------------------------------------------------------- the kernel

def kernel(cache):
    found = pathlib.Path(cache) / "vmlinuz"
    if not found.is_file():
        raise Missing("no kernel in %s: `tests/lab/image.py fetch %s` downloads one (tools/setup does too)" % (cache, cache))
    return found


def image_package():
    """The package that holds the kernel: what the first of KERNELS that the distribution has stands for."""
    for name in KERNELS:
        listed = subprocess.run(["apt-cache", "depends", name], capture_output=True, text=True, check=False).stdout
        real = re.findall(r"^\s+Depends: (linux-image-[0-9]\S*)$", listed, re.M)
        if real:
            return real[0]
    raise Missing("apt knows none of: %s (apt-get update?)" % ", ".join(KERNELS))


def fetch(cache):
    cache = pathlib.Path(cache)
    if (cache / "vmlinuz").is_file():
        return
    cache.mkdir(parents=True, exist_ok=True)
    package = image_package()
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        run("apt-get", "-qq", "download", package, cwd=folder)
        archives = list(pathlib.Path(folder).glob("*.deb"))
        run("dpkg-deb", "-x", str(archives[0]), folder + "/unpacked")
        boot = pathlib.Path(folder) / "unpacked/boot"
        for name in ("config", "vmlinuz"):      # the kernel last: it being there means that all is
            for found in boot.glob(name + "-*"):
                shutil.move(found, cache / name)
    print("%s: %s" % (package, kernel(cache)))


# ---------------------------------------------------------------------------------------------- the file system

class Archive:
    """A cpio archive in the `newc` form (Documentation/driver-api/early-userspace/buffer-format.rst)."""

    def __init__(self, handle):
        self.handle = handle
        self.names = set()
        self.number = 0

    def entry(self, name, mode, data=b""):
        name = name.strip("/")
        if name in self.names:
            return
        if os.path.dirname(name):
            self.entry(os.path.dirname(name), stat.S_IFDIR | 0o755)
        self.names.add(name)
        self.number += 1
        encoded = name.encode() + b"\0"
        fields = (self.number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
        self.padded(b"070701" + b"".join(b"%08X" % field for field in fields) + encoded)
        self.padded(data)

    def padded(self, data):
        self.handle.write(data + b"\0" * (-len(data) % 4))

    def file(self, name, source, mode=0o755):
        self.entry(name, stat.S_IFREG | mode, pathlib.Path(source).read_bytes())

    def link(self, name, target):
        self.entry(name, stat.S_IFLNK | 0o777, target.encode())

    def program(self, name, source):
        """An executable, and the libraries that the loader finds for it."""
        self.file(name, source)
        for library in re.findall(r"(/\S+) \(0x", run("ldd", str(source))):
            self.file(library, library)

    def close(self):
        self.number = -1
        self.entry("TRAILER!!!", 0)


def found(program, package):
    where = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/bin")
    if not where:
        raise Missing("no %s: install %s" % (program, package))
    return where


def busybox():
    where = found("busybox", "busybox-static")
    if subprocess.run(["ldd", where], capture_output=True, check=False).returncode == 0:
        raise Missing("%s needs libraries: install busybox-static" % where)
    return where


def build(cache, gpucoop, image):
    with tempfile.TemporaryDirectory() as folder, open(image + ".new", "wb") as handle:
        stripped = os.path.join(folder, "gpucoop")
        run(found("strip", "binutils"), "-o", stripped, gpucoop)
        archive = Archive(handle)
        archive.file("init", HERE / "guest/init")
        archive.file("bin/busybox", busybox())
        archive.program("usr/bin/gpucoop", stripped)
        for program in PROGRAMS:
            archive.program("usr/bin/" + program, found(program, {"lspci": "pciutils"}.get(program, program)))
        names = next((n for n in NAMES if os.path.exists(n)), None)
        if names is None and os.path.exists(NAMES[0] + ".gz"):
            archive.entry(NAMES[0], stat.S_IFREG | 0o644, gzip.decompress(pathlib.Path(NAMES[0] + ".gz").read_bytes()))
        elif names is not None:
            archive.file(NAMES[0], names, 0o644)
        archive.entry("etc/passwd", stat.S_IFREG | 0o644, b"root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
        archive.entry("etc/group", stat.S_IFREG | 0o644, b"root:x:0:\nnogroup:x:65534:\n")
        for name in ("proc", "sys", "dev", "run"):
            archive.entry(name, stat.S_IFDIR | 0o755)
        archive.entry("tmp", stat.S_IFDIR | 0o1777)
        archive.close()
    os.replace(image + ".new", image)


def main(argv):
    try:
        if len(argv) == 2 and argv[0] == "fetch":
            fetch(argv[1])
        elif len(argv) == 4 and argv[0] == "build":
            kernel(argv[1])
            build(*argv[1:])
        else:
            print(__doc__, file=sys.stderr)
            return 64
    except (Missing, subprocess.CalledProcessError) as error:
        print("laboratory: %s" % error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
