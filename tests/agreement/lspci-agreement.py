#!/usr/bin/env python3
"""Compares our decoding of configuration-space dumps with that of `lspci -F`, field by field, both ways.

    lspci-agreement.py DUMP_DECODE [--reader] [--random SEED]... FILE...

`--random` adds a dump of random registers (random_dump.py). `--reader` takes our values through the whole reader
instead of the decoder alone, and compares the chain of each GPU with the path that lspci names.

Every value that one side gives and the other does not is a difference, unless a rule below says why that side
cannot give it. Exit 0: no difference. 1: differences, each printed. 77: there is no lspci to compare with.
"""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lspci_text  # noqa: E402
import random_dump  # noqa: E402

ADDRESS = re.compile(r"^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) [^@]*: ")
ROW = re.compile(r"^([0-9a-f]{2,3}):[ \t]+(.*)$")
PORTS = ("Root Port", "Upstream Port", "Downstream Port")
ENDPOINTS = ("Endpoint", "Legacy Endpoint")
WIDTHS = (0, 1, 2, 4, 8, 12, 16, 32)


def repaired(row):
    """The row as lspci writes it, where its digits leave no doubt; None where they do."""
    digits = "".join(re.sub(r"<[^>]*>", "", row).split())
    return " ".join(digits[i:i + 2] for i in range(0, 32, 2)) if re.fullmatch(r"[0-9a-f]{32}", digits) else None


def clean_copies(path):
    """For us: header lines and rows as they are. For lspci, which is particular: repaired rows, short headers, a
    final newline, a blank line after each device, no device twice. And the devices whose rows have gaps."""
    ours, theirs, seen, gaps = [], [], set(), set()
    name, expected = None, 0
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            line = re.sub(r"^[> \t]+", "", line).rstrip()
            if m := ADDRESS.match(line):
                address = m.group(1) if m.group(1).count(":") == 2 else "0000:" + m.group(1)
                name = None if address in seen else address
                seen.add(address)
                expected = 0
                if name:
                    ours.append(line)
                    theirs += ["", line[:200]]
            elif name and (m := ROW.match(line)):
                ours.append(line)
                offset = int(m.group(1), 16)
                row = repaired(m.group(2))
                if row is None or offset != expected:
                    gaps.add(name)
                expected = offset + 16
                if row is not None:
                    theirs.append(f"{offset:02x}: {row}")
    return "\n".join(ours) + "\n", "\n".join(theirs[1:]) + "\n\n", gaps


def run(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def not_printed(field, device, multifunction, version):
    """Why lspci does not print a value that the registers hold, or None."""
    kind = device.get("Express.type")
    memory = any(bar["memory"] is True for bar in device["bars"])
    if field == "AtomicOpsCap.Routing" and kind not in PORTS:
        return "Routing is printed for root and switch ports only"
    if field in ("AtomicOpsCap.32bit", "AtomicOpsCap.64bit", "AtomicOpsCap.128bitCAS") and kind != "Root Port":
        if version < (3, 8):
            return "completer bits of an endpoint need BAR sizes (lspci up to 3.7)"
        if not memory:
            return "completer bits are printed for root ports and functions with a memory BAR only"
    if field == "AtomicOpsCtl.ReqEn" and kind not in ENDPOINTS + ("Root Port", "Root Complex Integrated Endpoint"):
        return "ReqEn is printed for root ports and endpoints only"
    if field == "AtomicOpsCtl.EgressBlck" and kind not in PORTS:
        return "EgressBlck is printed for root and switch ports only"
    if field == "DevCap2.ARIFwd" and kind not in ("Root Port", "Downstream Port"):
        return "ARIFwd is printed for root and downstream ports only"
    if field == "LnkCtl2.Speed" and kind in ENDPOINTS and multifunction:
        return "link registers 2 are not printed for functions other than 0"
    if field == "Express.Slot" and device[field] is False:
        return "a slot is printed for ports that can have one only"
    return None


def cannot_be(field, theirs):
    """lspci prints what the register says even where no device can have it; we say unknown."""
    if field in ("vendor", "device"):
        return theirs == 0xffff  # a virtual function's
    if field.endswith(("MaxPayload", "MaxReadReq")):
        return theirs > 4096
    if field.endswith("Width"):
        return theirs not in WIDTHS or (field == "LnkCap.Width" and theirs == 0)
    return theirs == "unknown" or (field == "LnkCtl2.Speed" and theirs == 2.5)  # also what lspci calls code 0


def real_bars(regions):
    """Without the upper halves of 64-bit BARs, which `lspci -F` prints as regions of their own."""
    bars = []
    for bar in regions:
        if not (bars and bars[-1]["64bit"] and bar["index"] == bars[-1]["index"] + 1):
            bars.append(bar)
    return bars


def other_rule(field, ours, theirs, multifunction, version):
    """Why both values stand although they differ, or None."""
    if field == "Link.max_speed" and multifunction and "LnkCap2.Speed" not in theirs:
        return "the vector of speeds is not printed for functions other than 0, and it counts"
    if field == "Link.max_speed" and theirs.get("LnkCap2.Speed") == "reserved" and ours >= 64:
        return "this lspci calls speeds of 64 GT/s and more reserved in the vector"
    if field in ("vendor", "device") and theirs[field] == 0xFFFF:
        return "the ids of a virtual function are those that its header line states"
    if field == "SltCap.PowerLimit" and theirs[field] in range(0xF0, 0x100) and version < (3, 7):
        return "slot power of 250 W and more has codes of its own, which this lspci does not know"
    return None


class Comparison:
    def __init__(self, version):
        self.version = version
        self.equal = 0
        self.explained = collections.Counter()
        self.differences = []

    def field(self, where, field, device, lspci, multifunction, has_gaps):
        ours, theirs = device[field], lspci.get(field)
        unknown = isinstance(ours, dict) and "unknown" in ours
        known = not isinstance(ours, dict)
        if theirs is not None and ours != theirs and (why := other_rule(field, ours, lspci, multifunction, self.version)):
            self.explained[why] += 1
        elif theirs is not None and known:
            if ours == theirs:
                self.equal += 1
            else:
                self.differences.append(f"{where} {field}: we {ours}, lspci {theirs}")
        elif theirs is not None:
            if unknown and cannot_be(field, theirs):
                self.explained["a value that cannot be: unknown for us"] += 1
            elif unknown and has_gaps and ours["unknown"] in ("not-in-input", "damaged", "truncated"):
                self.explained["the row is missing or damaged: unknown for us, zeros for lspci"] += 1
            else:
                self.differences.append(f"{where} {field}: we {ours}, lspci {theirs}")
        elif known:
            why = not_printed(field, device, multifunction, self.version)
            if why:
                self.explained[why] += 1
            else:
                self.differences.append(f"{where} {field}: we {ours}, lspci does not print it")

    def device(self, where, address, ours, lspci, has_gaps):
        if ours.pop("lost") != lspci.lost:
            self.differences.append(f"{where} all ones: lspci {lspci.lost}")
        if lspci.lost:
            self.equal += 1
            return
        theirs = lspci.fields
        if isinstance(theirs.get("LnkCap2.Speed"), float):
            theirs["Link.max_speed"] = theirs["LnkCap2.Speed"]
        elif "LnkCap.Speed" in theirs:
            theirs["Link.max_speed"] = theirs["LnkCap.Speed"]
        for field, mask in (("UESta", lspci_text.UNCORRECTABLE_MASK), ("CESta", lspci_text.CORRECTABLE_MASK)):
            if isinstance(ours[field], int):
                ours[field] &= mask
        theirs["bars"] = real_bars(theirs["bars"])
        multifunction = not address.endswith(":00.0")
        for field in ours:
            self.field(where, field, ours, theirs, multifunction, has_gaps)
        missing = set(theirs) - set(ours) - {"LnkCap.Speed", "LnkCap2.Speed"}
        if missing:
            self.differences.append(f"{where}: not compared: {sorted(missing)}")

    def parents(self, path, ours, theirs):
        """A bridge is the parent of what is on its secondary bus, or, failing that, in its range."""
        bridges = {a: d["Bus"] for a, d in ours.items() if isinstance(d["Bus"], list) and d["Bus"][1] != 0}
        for address in ours:
            domain, bus = address.rsplit(":", 2)[0], int(address.rsplit(":", 2)[1], 16)
            above = [(last - first, a) for a, (_, first, last) in bridges.items()
                     if a != address and a.rsplit(":", 2)[0] == domain and first <= bus <= last]
            exact = [a for _, a in above if bridges[a][1] == bus]
            parent = exact[0] if exact else min(above)[1] if above else None
            self.path(f"{path} {address} parent", parent, theirs.get(address, "not listed"))

    def chains(self, path, ours, theirs):
        """Our chain of each GPU, and the path in which lspci names the bridges above it."""
        for gpu, chain in ours.items():
            upwards = [gpu]
            while upwards[-1] is not None and len(upwards) < 40:
                upwards.append(theirs.get(upwards[-1]))
            self.path(f"{path} {gpu} chain", chain, upwards[-2::-1])

    def path(self, where, ours, theirs):
        if ours == theirs:
            self.equal += 1
        else:
            self.differences.append(f"{where}: we {ours}, lspci {theirs}")


def compare(command, path, comparison):
    our_copy, their_copy, gaps = clean_copies(path)
    with tempfile.TemporaryDirectory() as folder:
        ours_path, theirs_path = os.path.join(folder, "ours.txt"), os.path.join(folder, "theirs.txt")
        for name, text in ((ours_path, our_copy), (theirs_path, their_copy)):
            with open(name, "w", encoding="utf-8") as f:
                f.write(text)
        reading = json.loads(run(command + [ours_path]))
        theirs = lspci_text.parse(run(["lspci", "-F", theirs_path, "-vvv", "-nn", "-D"]))
        paths = None
        if comparison.version >= (3, 6, 2):
            paths = lspci_text.parents(run(["lspci", "-F", theirs_path, "-PP", "-D"]))
    if "error" in reading:
        comparison.differences.append(f"{path}: {reading['error']}")
        return 0
    ours = reading["devices"]
    if set(ours) != set(theirs):
        comparison.differences.append(f"{path}: devices differ: {sorted(set(ours) ^ set(theirs))}")
    if paths is not None:
        comparison.parents(path, {a: d for a, d in ours.items() if not d["lost"]}, paths)
        comparison.chains(path, reading.get("chains", {}), paths)
    for address in sorted(set(ours) & set(theirs)):
        comparison.device(f"{path} {address}", address, ours[address], theirs[address], address in gaps)
    return len(ours)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dump_decode")
    parser.add_argument("--random", type=int, action="append", default=[])
    parser.add_argument("--reader", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_intermixed_args()
    if shutil.which("lspci") is None:
        print("skipped: there is no lspci here to compare with")
        return 77
    if not options.files and not options.random:
        print("there is no dump to compare")
        return 1
    version = tuple(int(n) for n in re.findall(r"\d+", run(["lspci", "--version"])))
    comparison = Comparison(version)
    command = [options.dump_decode] + (["--reader"] if options.reader else [])
    with tempfile.TemporaryDirectory() as folder:
        random_files = []
        for seed in options.random:
            random_files.append(os.path.join(folder, f"random-{seed}"))
            with open(random_files[-1], "w", encoding="utf-8") as f:
                f.write(random_dump.dump(seed))
        for path in options.files + random_files:
            equal, devices = comparison.equal, compare(command, path, comparison)
            print(f"{path}: {devices} devices, {comparison.equal - equal} values equal")
            if devices == 0:
                comparison.differences.append(f"{path}: no device with hex rows")
    print(f"{comparison.equal} values equal, {len(comparison.differences)} different (lspci {'.'.join(map(str, version))})")
    for why, count in sorted(comparison.explained.items()):
        print(f"  explained: {count} × {why}")
    for difference in comparison.differences:
        print(f"  DIFFERENT: {difference}")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
