#!/usr/bin/env python3
"""No source can get what is personal into a recording. secrets_test.py SOURCE_DIR GPUCOOP.

Every source that gpucoop reads, and many that it must not, carries marks; the recording is searched for each of them.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, GPUCOOP = pathlib.Path(sys.argv[1]).resolve(), os.path.abspath(sys.argv[2])
sys.path.insert(0, str(SOURCE / "tests/support"))
sys.dont_write_bytecode = True

import json  # noqa: E402

import probe_results  # noqa: E402
import sysfs_tree  # noqa: E402

MARKS = {
    "serial": "PF9X47110815123", "uuid": "5e0b7f9c-52c1-4f0e-9a3b-1c2d3e4f5a6b", "mac": "52:54:00:ab:cd:ef",
    "host": "johns-workstation", "user": "jdoe", "process": "secret-train", "path": "/home/jdoe/models",
    "mail": "jdoe@mail.example", "address": "192.168.17.23", "unit": "secret-train.service",
    "container": "4f7d0c1e9b8a4f7d0c1e9b8a4f7d0c1e", "gpu-uuid": "GPU-9e0b7f9c-52c1-4f0e-9a3b-1c2d3e4f5a6b",
}
ALL = " ".join(MARKS.values())
# The names of board and product are the firmware's own words; what could stand beside them is numbers.
NUMBERS = " ".join(MARKS[key] for key in ("serial", "uuid", "mac", "path", "mail", "address", "container", "gpu-uuid"))
GPU = "0000:0b:00.0"


def hidden(text):
    """The marks that are in a text, and pieces of them that would still tell."""
    low = text.lower()
    pieces = list(MARKS.values()) + ["jdoe", "johns", "52-54-00-ab-cd-ef", "525400abcdef", "secret", "4711081512"]
    return sorted({piece for piece in pieces if piece.lower() in low})


def log_lines():
    """Lines that the catalogue knows, with marks at every place where drivers print such things, and others."""
    return ["amdgpu %s: amdgpu: PCIE atomic ops is not supported" % GPU,
            "amdgpu %s: amdgpu: ring gfx_0.0.0 timeout, signaled seq=12, emitted seq=14 %s" % (GPU, ALL),
            "%s amdgpu %s: amdgpu: GPU reset begin!. Source: %s" % (ALL, GPU, ALL),
            "amdgpu %s: amdgpu: Process information: process secret-train pid 4711 thread jdoe pid 4712" % GPU,
            "amdgpu %s: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770) Process secret-train pid 4711" % GPU,
            "NVRM: Xid (PCI:0000:0b:00): 79, pid=4711, name=secret-train, GPU has fallen off the bus. " + ALL,
            "NVRM: Xid (PCI:0000:0b:00): 31, pid='4711', name='secret-train', jdoe Ch 00000008 " + MARKS["gpu-uuid"],
            "i915 %s: [drm] GPU HANG: ecode 12:1:85dffffb, in secret-train [4711]" % GPU,
            "xe %s: [drm] Timedout job: seqno=4294967169, lrc_seqno=4294967169, guc_id=2, flags=0x0 in secret-train [4711]" % GPU,
            "pcieport 0000:00:02.1: pciehp: Slot(%s): Link Down" % MARKS["serial"],
            "Linux version 6.12.63-jdoe (jdoe@johns-workstation) (gcc 14) #1 SMP",
            "usb 1-1: SerialNumber: " + MARKS["serial"], "e1000e 0000:00:1f.6 eth0: " + MARKS["mac"],
            "audit: comm=\"secret-train\" exe=\"/home/jdoe/models/run\" hostname=johns-workstation"]


def poisoned_tree():
    text = (SOURCE / "fixtures/asus-tuf-b650e-dual-r9700/sysfs.tree").read_text(encoding="utf-8")
    tree = sysfs_tree.Tree.parse(text)

    def put(path, content):
        tree.remove(path)
        tree.text(path, content)

    def put_link(path, target):
        tree.remove(path)
        tree.link(path, target)

    dmi = "sys/devices/virtual/dmi/id/"
    for name in ("product_serial", "board_serial", "chassis_serial", "product_uuid", "board_asset_tag", "chassis_asset_tag",
                 "product_sku", "bios_version"):
        put(dmi + name, ALL)
    put(dmi + "board_name", "TUF GAMING B650-E " + NUMBERS)
    put(dmi + "product_name", "System Product Name " + NUMBERS)
    put(dmi + "board_vendor", "ASUSTeK COMPUTER INC. " + MARKS["serial"])
    put("proc/cmdline", "BOOT_IMAGE=/boot/vmlinuz root=UUID=%s iommu=pt hostname=%s ip=%s ifname=eth0:%s user=%s amdgpu.name=%s "
        "pci=%s iommu.x=%s i915.guc_firmware_path=%s amdgpu.x=%s modprobe.blacklist=%s xe.y=%s systemd.unit=%s"
        % (MARKS["uuid"], MARKS["host"], MARKS["address"], MARKS["mac"], MARKS["user"], MARKS["host"], MARKS["user"],
           MARKS["uuid"], MARKS["path"], MARKS["mac"], MARKS["user"], MARKS["serial"], MARKS["unit"]))
    put("proc/sys/kernel/osrelease", "6.12.63-jdoe-johns-workstation")
    put("proc/sys/kernel/hostname", MARKS["host"])
    put("proc/version", "Linux version 6.12.63-jdoe (%s) %s" % (MARKS["mail"], ALL))
    put("etc/hostname", MARKS["host"])
    put("etc/machine-id", MARKS["container"])
    put("etc/passwd", "root:x:0:0::/root:/bin/sh\njdoe:x:1000:1000:%s:/home/jdoe:/bin/sh" % MARKS["mail"])
    put("etc/group", "root:x:0:\nrender:x:44:jdoe\njdoe:x:1000:")
    put("run/systemd/container", MARKS["host"])
    put("proc/self/cgroup", "0::/docker/" + MARKS["container"])
    put("proc/self/uid_map", "         0          0 4294967295")
    put("proc/1/environ", "container=%s\0HOSTNAME=%s" % (MARKS["host"], MARKS["host"]))
    put("sys/class/net/eth0/address", MARKS["mac"])
    put("sys/bus/pci/slots/%s/address" % MARKS["serial"], "0000:0b:00")
    put("sys/bus/pci/slots/9-jdoe/address", "0000:03:00")
    for path in [p for p, entry in tree.entries.items() if p.endswith("/" + GPU) and entry[0] == "folder"][:1]:
        for name in ("label", "serial_number", "unique_id", "firmware_node/path"):
            put(path + "/" + name, "Slot " + ALL)
        put_link(path + "/driver", "../../../../bus/pci/drivers/" + MARKS["user"] + "." + MARKS["host"])
        put(path + "/power/runtime_status", MARKS["user"])
        put(path + "/power_state", MARKS["serial"])
    put("sys/module/amdgpu/refcnt", "1")
    put("sys/module/amdgpu/version", "6.10.5-jdoe-" + MARKS["serial"])
    put("sys/module/nvidia/refcnt", "1")
    put("sys/module/nvidia/version", MARKS["uuid"])
    put("dev/kmsg", "\n".join("6,%d,%d,-;%s" % (i, 1000 * i, line) for i, line in enumerate(log_lines())))
    process = "proc/4711/"
    put(process + "comm", MARKS["process"])
    put(process + "cmdline", "python3\0%s\0--host\0%s" % (MARKS["path"], MARKS["host"]))
    put(process + "environ", "HOME=%s\0TOKEN=%s" % (MARKS["path"], MARKS["serial"]))
    put(process + "status", "Name:\t%s\nUid:\t1000\t1000\t1000\t1000" % MARKS["process"])
    put(process + "stat", "4711 (%s) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0" % MARKS["process"])
    put(process + "cgroup", "0::/system.slice/%s/docker-%s.scope" % (MARKS["unit"], MARKS["container"]))
    put_link(process + "fd/5", "/dev/dri/renderD128")
    put_link(process + "fd/6", "/dev/kfd")
    put_link(process + "fd/7", MARKS["path"])
    put(process + "fdinfo/5", "pos:\t0\ndrm-driver:\tamdgpu\ndrm-pdev:\t%s\ndrm-client-id:\t7\ndrm-memory-vram:\t1024 KiB\n"
        "drm-client-name:\t%s" % (GPU, MARKS["process"]))
    # The firmware's names of slots.
    table = tree.entries["sys/firmware/dmi/tables/DMI"][1]
    strings = (MARKS["serial"] + " " + MARKS["mac"] + " PCIEX16_9").encode() + b"\0\0"
    slot = bytes([9, 17, 0, 0x70, 1, 0xA5, 0x0D, 4, 4, 9, 0, 0x0C, 1, 0, 0, 0x0B, 0])
    tree.remove("sys/firmware/dmi/tables/DMI")
    tree.bytes("sys/firmware/dmi/tables/DMI", slot + strings + table)
    return tree


class Secrets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # The path of the input is personal, too.
        self.folder = pathlib.Path(folder.name) / "johns-workstation-jdoe"
        self.folder.mkdir()

    def record(self, *args):
        out = self.folder / "recording.json"
        done = subprocess.run([GPUCOOP, "record", "-o", str(out), *map(str, args)], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = out.read_text(encoding="ascii")
        self.assertEqual(hidden(text), [])
        return text

    def topo(self, *args):
        return subprocess.run([GPUCOOP, "topo", "-v", *map(str, args)], capture_output=True, text=True, timeout=60,
                              check=False).stdout

    def test_the_search_finds(self):
        self.assertEqual(hidden("nothing"), [])
        for name, mark in MARKS.items():
            with self.subTest(name):
                self.assertTrue(hidden("x" + mark.upper() + "y"))

    def test_a_host(self):
        root = self.folder / "root"
        poisoned_tree().unpack(root)
        try:
            text = self.record("--sysroot", root)
            # The marks were there to be found, and what belongs in is in.
            self.assertIn("secret-train", self.topo("--sysroot", root))
            for part in ("TUF GAMING B650-E", "iommu=pt", '"kernel":"6.12.63"', "PCIE atomic ops is not supported",
                         "GPU has fallen off the bus", "ring gfx_0.0.0 timeout", "PCIEX16_9", '"container":"docker"'):
                self.assertIn(part, text)
        finally:
            sysfs_tree.removable(root)

    def test_results_of_probes(self):
        dump = SOURCE / "fixtures/asus-tuf-b650e-dual-r9700/lspci-vv.txt"
        done = subprocess.run([GPUCOOP, "topo", "--format", "json", "--from", str(dump)], capture_output=True, text=True,
                              timeout=60, check=True)
        report = json.loads(done.stdout)
        gpus = [gpu["address"] for gpu in report["gpus"]]
        texts = ("op", "backend", "variant", "reason", "dtype", "transport")
        results = self.folder / "secret-train.json"
        for mark in [*MARKS.values(), "jdoe", ALL]:
            with self.subTest(mark=mark):
                name = mark[:100]  # longer names are refused
                fact = probe_results.fact("ccl.allreduce", "set", gpus, True, evidence="run by " + mark)
                marked = probe_results.run("collective " + name, gpus, findings=[mark],
                                           library={"name": name, "version": name},
                                           facts=[probe_results.reference(fact), name],
                                           **{key: mark if key == "reason" else name for key in texts})
                plain = probe_results.run("collective", gpus, findings=[mark], library={"name": name, "version": name},
                                          facts=[probe_results.reference(fact)],
                                          **{key: mark if key == "reason" else name for key in texts})
                gfx = probe_results.fact("gpu.gfx", "gpu", gpus[:1], mark, "queried", mark)
                document = probe_results.results(report, [fact, gfx], [marked, plain])
                document["facts"].append(probe_results.fact("secret.train", "gpu", gpus[:1], True))
                document["host"].update(label=mark, board=mark, kernel=mark)
                document["warnings"] = [{"code": "x.y", "text": mark, "where": mark}]
                results.write_text(json.dumps(document), encoding="utf-8")
                text = self.record("--from", dump, "--probe-results", results, "--overwrite")
                measured = json.loads(text)["measured"]
                self.assertEqual([fact["id"] for fact in measured["facts"]][0], "ccl.allreduce")
                self.assertIn("collective", [run.get("rung") for run in measured["runs"]])

    def test_lspci_and_a_log(self):
        text = (SOURCE / "fixtures/asus-tuf-b650e-dual-r9700/lspci-vv.txt").read_text(encoding="utf-8")
        lines = ["%s:~$ lspci -vv # %s" % (MARKS["mail"], ALL)]
        for line in text.splitlines():
            lines.append(line)
            if line[:1].isalnum():
                lines += ["\tDeviceName: Onboard " + ALL, "\tPhysical Slot: " + MARKS["serial"],
                          "\tCapabilities: [140 v1] Device Serial Number 52-54-00-ab-cd-ef-11-22"]
        dump = self.folder / "jdoe-lspci.txt"
        dump.write_text("\n".join(lines) + "\n", encoding="utf-8")
        log = self.folder / "jdoe.log"
        log.write_text("".join("Nov 30 12:00:%02d %s kernel: [  %d.000000] %s\n" % (i, MARKS["host"], i, line)
                               for i, line in enumerate(log_lines())), encoding="utf-8")
        recording = self.record("--from", dump, "--from", log)
        for part in ("Navi 48", "PCIE atomic ops is not supported", "Slot(...): Link Down"):
            self.assertIn(part, recording)

    def test_hwloc(self):
        text = (SOURCE / "fixtures/hwloc-two-mi210-one-switch/hwloc-2.xml").read_text(encoding="utf-8")
        infos = "".join('<info name="%s" value="%s"/>' % (name, ALL) for name in (
            "HostName", "DMIProductSerial", "DMIProductUUID", "DMIBoardAssetTag", "OSRelease", "CGroup", "PCISlot", "PCIVendor"))
        end = text.index(">", text.index('type="Machine"'))
        at = end + 1
        xml = self.folder / "jdoe.xml"
        xml.write_text(text[:at] + infos + text[at:], encoding="utf-8")
        self.assertIn('"device_id":"740f"', self.record("--from", xml))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
