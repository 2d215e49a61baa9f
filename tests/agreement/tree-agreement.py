#!/usr/bin/env python3
"""Compares what gpucoop says of sysfs trees with what lspci prints of the same trees (`-A linux-sysfs -O sysfs.path`), and
with the attributes in them, field by field.

    tree-agreement.py GPUCOOP [MACHINE…]

Left out are the tree in which reading wakes a card (lspci would) and the one with pipes (lspci would wait for ever).
Exit 0: no difference. 1: differences, each printed. 77: there is no lspci to compare with.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
for folder in ("lab", "support"):
    sys.path.insert(0, str(TESTS / folder))
sys.dont_write_bytecode = True

import compare  # noqa: E402
import lspci_text  # noqa: E402
import machines  # noqa: E402

LEFT_OUT = {"am5-r9700-asleep", "am5-r9700-failing-files"}
ATTRIBUTES = ("class", "vendor", "device", "current_link_speed", "current_link_width", "max_link_speed", "max_link_width",
              "numa_node")


def attributes(root):
    """The lines that the laboratory's guests write (tests/lab/guest/init)."""
    out = []
    for device in sorted((root / "sys/bus/pci/devices").iterdir()):
        out += ["%s %s %s" % (device.name, name, (device / name).read_text().strip()) for name in ATTRIBUTES
                if (device / name).exists()]
        if (device / "driver").exists():
            out.append("%s driver %s" % (device.name, os.path.basename(os.readlink(device / "driver"))))
        out.append("%s path %s" % (device.name, os.path.realpath(device)))
        out += ["%s resource %s" % (device.name, line) for line in (device / "resource").read_text().splitlines()]
    return "\n".join(out)


def lspci(root, *options):
    return subprocess.run(["lspci", "-A", "linux-sysfs", "-O", "sysfs.path=%s/sys/bus/pci" % root, "-D", *options],
                          capture_output=True, text=True, check=True).stdout


def check(gpucoop, machine, findings):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(os.path.realpath(folder))
        machine.tree.unpack(root)
        done = subprocess.run([gpucoop, "topo", "--sysroot", str(root), "--format", "json"], capture_output=True, check=False)
        compare.compare_gpus("root", json.loads(done.stdout), lspci_text.parse(lspci(root, "-nn", "-vvv")),
                             lspci_text.parents(lspci(root, "-n", "-PP")), compare.Sysfs(attributes(root)), findings)


def main(argv):
    if not argv:
        print(__doc__, file=sys.stderr)
        return 64
    if not shutil.which("lspci"):
        print("skipped: no lspci")
        return 77
    chosen = {name: machine for name, machine in machines.all_machines().items()
              if machine.tree and name not in LEFT_OUT and (not argv[1:] or name in argv[1:])}
    findings = compare.cases.Findings()
    for name, machine in chosen.items():
        before = len(findings.wrong)
        check(argv[0], machine, findings)
        for line in findings.wrong[before:]:
            print("%s: %s" % (name, line))
    print("%d trees, %d values compared, %d wrong" % (len(chosen), findings.checked, len(findings.wrong)))
    return 1 if findings.wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
