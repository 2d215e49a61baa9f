#!/usr/bin/env python3
"""What `gpucoop topo` does without --from: on this host, and on copies of sysfs. live_test.py GPUCOOP."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

GPUCOOP = sys.argv[1]


def run(*args):
    return subprocess.run([GPUCOOP, *args], capture_output=True, text=True, timeout=60, check=False)


def header(vendor, device, class_code, bridge=False, bus=0):
    data = bytearray(256)
    data[0:4] = vendor.to_bytes(2, "little") + device.to_bytes(2, "little")
    data[0x09:0x0c] = (class_code << 8).to_bytes(3, "little")
    if bridge:
        data[0x0e] = 1
        data[0x18:0x1b] = bytes([0, bus, bus])
    return bytes(data)


class Live(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name) / "root"
        (self.root / "sys/bus/pci/devices").mkdir(parents=True)
        self.device("pci0000:00/0000:00:00.0", header(0x1022, 0x14d8, 0x0600))
        self.device("pci0000:00/0000:00:01.1", header(0x1022, 0x14db, 0x0604, bridge=True, bus=1))

    def device(self, where, config):
        folder = self.root / "sys/devices" / where
        folder.mkdir(parents=True)
        (folder / "config").write_bytes(config)
        os.symlink("../../../devices/" + where, self.root / "sys/bus/pci/devices" / folder.name)
        return folder

    def gpu(self):
        return self.device("pci0000:00/0000:00:01.1/0000:01:00.0", header(0x1002, 0x7551, 0x0300))

    def report(self, code):
        done = run("topo", "--sysroot", str(self.root), "--format", "json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout), done.stderr

    def test_a_copy_with_a_gpu(self):
        self.gpu()
        report, stderr = self.report(0)
        self.assertEqual(stderr, "")
        self.assertEqual(report["host"]["source"], "live")
        self.assertIs(report["host"]["live"], False)
        self.assertEqual(report["sources"], [{"file": str(self.root / "sys"), "kind": "live"}])
        self.assertEqual([hop["address"] for hop in report["gpus"][0]["chain"]], ["0000:00:01.1", "0000:01:00.0"])

    def test_a_copy_without_a_gpu_is_69_and_says_why(self):
        report, stderr = self.report(69)
        self.assertIs(report["host"]["listing_complete"], True)
        self.assertIn("no GPU: the kernel lists every PCI device", stderr)

    def test_a_copy_without_pci_is_69_and_says_so(self):
        shutil.rmtree(self.root / "sys/bus")
        report, stderr = self.report(69)
        self.assertIs(report["host"]["lists_devices"], False)
        self.assertIn("no PCI devices", stderr)

    def test_what_is_no_copy_is_66(self):
        done = run("topo", "--sysroot", str(self.root / "nothing"))
        self.assertEqual(done.returncode, 66, done.stderr)
        self.assertIn(str(self.root / "nothing/sys"), done.stderr)

    def test_misuse_is_64(self):
        for args in (["topo", "--sysroot", str(self.root), "--from", "x", "--dump", "1"], ["topo", "--dump", "1"],
                     ["topo", "--sysroot"], ["explain", "--sysroot", str(self.root)]):
            with self.subTest(args=args):
                self.assertEqual(run(*args).returncode, 64)

    def beside(self, name, text):
        file = pathlib.Path(self.folder.name) / name
        file.write_text(text, encoding="utf-8")
        return str(file)

    def test_logs_and_xml_are_laid_over_a_reading(self):
        self.gpu()
        log = self.beside("dmesg.txt", "[    7.1] amdgpu 0000:01:00.0: amdgpu: PCIE atomic ops is not supported\n")
        xml = self.beside("nccl.xml", '<system version="1"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD">'
                          '<pci busid="0000:01:00.0" class="0x030000" vendor="0x1002" device="0x7551" '
                          'link_speed="32.0 GT/s PCIe" link_width="8"/></cpu></system>\n')
        done = run("topo", "--sysroot", str(self.root), "--from", log, "--from", xml, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual([source["kind"] for source in report["sources"]], ["live", "nccl-xml", "kernel-log"])
        self.assertEqual(report["host"]["source"], "live")
        self.assertEqual(report["gpus"][0]["atomics"]["driver"], "no")
        self.assertEqual([hop["address"] for hop in report["gpus"][0]["chain"]], ["0000:00:01.1", "0000:01:00.0"])

    def test_what_lists_devices_is_another_host(self):
        self.gpu()
        recording = str(pathlib.Path(self.folder.name) / "host.json")
        self.assertEqual(run("record", "--sysroot", str(self.root), "-o", recording).returncode, 0)
        other = self.beside("other.xml", '<system version="1"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD">'
                            '<pci busid="0000:42:00.0" class="0x030000" vendor="0x1002" device="0x7551"/></cpu></system>\n')
        for file in (recording, self.beside("lspci.txt", "01:00.0 VGA compatible controller [0300]: X [1002:7551]\n"), other):
            with self.subTest(file=file):
                done = run("topo", "--sysroot", str(self.root), "--from", file)
                self.assertEqual(done.returncode, 65, done.stderr)
                self.assertIn("two hosts", done.stderr)
                self.assertIn(file, done.stderr)

    def test_the_root_folder_is_this_host(self):
        done = run("topo", "--sysroot", "/", "--format", "json")
        self.assertIn(done.returncode, (0, 69), done.stderr)
        self.assertIs(json.loads(done.stdout)["host"]["live"], True)

    def test_explain_tells_how_a_mode_stands_on_the_copy(self):
        self.gpu()
        done = run("explain", "tensor", "--sysroot", str(self.root), "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        alone = run("explain", "tensor", "--from", os.devnull)
        self.assertEqual(alone.returncode, 65)
        self.assertIn("0000:01:00.0", done.stdout)

    def test_pipes_in_the_copy_do_not_make_it_wait(self):
        folder = self.gpu()
        for name in ("numa_node", "power_state", "resource", "label"):
            os.mkfifo(folder / name)
        self.report(0)

    def test_renames_elsewhere_do_not_change_the_answer(self):
        self.gpu()
        folder = pathlib.Path(self.folder.name)
        (folder / "a").mkdir()
        renames = subprocess.Popen(
            [sys.executable, "-c", "import os\nwhile True: os.rename('a', 'b'); os.rename('b', 'a')"], cwd=folder)
        try:
            answers = {run("topo", "--sysroot", str(self.root)).stdout for _ in range(60)}
        finally:
            renames.kill()
            renames.wait()
        self.assertEqual(len(answers), 1)

    def test_this_host(self):
        done = run("topo", "--format", "json")
        self.assertIn(done.returncode, (0, 69), done.stderr)
        host = json.loads(done.stdout)["host"]
        self.assertEqual(host["source"], "live")
        self.assertIs(host["live"], True)

    def test_nothing_is_opened_for_writing(self):
        if not shutil.which("strace"):
            self.skipTest("no strace")
        trace = pathlib.Path(self.folder.name) / "trace"
        done = subprocess.run(["strace", "-f", "-y", "-o", str(trace), "-e", "trace=%file,write,pwrite64,ioctl", GPUCOOP, "topo"],
                              capture_output=True, text=True, timeout=120, check=False)
        text = trace.read_text(encoding="utf-8", errors="replace") if trace.exists() else ""
        if "/sys" not in text:
            self.skipTest("strace cannot trace here: " + done.stderr[:200])
        for line in text.splitlines():
            if '"/dev/null"' not in line:
                self.assertNotRegex(line, r"open.*O_(WRONLY|RDWR|CREAT|TRUNC)", line)
            self.assertNotRegex(line, r"\b(pwrite64|unlink|rename|mkdir|chmod)", line)
            self.assertNotRegex(line, r'"[^"]*lib(cuda|nvidia-ml|amdhip64|hsa-runtime|ze_loader|OpenCL)', line)
            if " write(" in line:
                # Pipes to its own reader child; the sanitizers try addresses with one, too.
                self.assertRegex(line, r" write\(([12][<,]|\d+<pipe:)")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
