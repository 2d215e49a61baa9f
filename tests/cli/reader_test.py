#!/usr/bin/env python3
"""`gpucoop topo` answers although a GPU driver's files block. reader_test.py GPUCOOP."""
import ctypes
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

GPUCOOP = sys.argv[1]
GPU = "sys/devices/pci0000:00/0000:00:03.0"
KFD = "sys/class/kfd/kfd/topology"


class BlockedFolder:
    """A FUSE file system with one file, `name`, whose reading never returns (include/uapi/linux/fuse.h)."""

    def __init__(self, folder, name):
        self.folder, self.name = os.fsencode(folder), name.encode()
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.fd = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.fd},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}".encode()
        if self.libc.mount(b"gpucoop-test", self.folder, b"fuse", 0, options) != 0:
            error = ctypes.get_errno()
            os.close(self.fd)
            raise OSError(error, os.strerror(error))
        self.asked = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        if self.fd < 0:
            return
        self.libc.umount2(self.folder, 3)  # MNT_FORCE, which ends what waits, and MNT_DETACH
        os.close(self.fd)
        self.fd = -1

    def attributes(self, node):
        mode = 0o40555 if node == 1 else 0o100444
        return struct.pack("<6Q10I", node, 64, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def answer(self, opcode, node, body):
        if opcode == 26:  # INIT
            return struct.pack("<IIIIHHIIHHI28x", 7, 31, 0, 0, 16, 12, 4096, 1, 1, 0, 0)
        if opcode == 1:  # LOOKUP
            if body.rstrip(b"\0") != self.name:
                return -2
            return struct.pack("<QQQQII", 2, 0, 60, 60, 0, 0) + self.attributes(2)
        if opcode == 3:  # GETATTR
            return struct.pack("<QII", 60, 0, 0) + self.attributes(node)
        if opcode in (14, 27):  # OPEN, OPENDIR
            return struct.pack("<QII", 1, 1, 0)
        if opcode == 28:  # READDIR
            return b""
        return b"" if opcode in (18, 25, 29) else -38

    def serve(self):
        try:
            while True:
                request = os.read(self.fd, 1 << 17)
                length, opcode, unique, node = struct.unpack_from("<IIQQ", request)
                if opcode == 15:  # READ
                    self.asked.set()
                if opcode in (2, 15, 36, 42):  # FORGET, READ, INTERRUPT, BATCH_FORGET: no answer
                    continue
                reply = self.answer(opcode, node, request[40:length])
                error, body = (reply, b"") if isinstance(reply, int) else (0, reply)
                os.write(self.fd, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
        except OSError:
            pass


class Reader(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        config = bytearray(256)
        config[0:4] = struct.pack("<HH", 0x1002, 0x7551)
        config[0x0b] = 3
        self.write(GPU + "/config", bytes(config))
        self.write(GPU + "/class", "0x030000\n")
        (self.root / "sys/bus/pci/devices").mkdir(parents=True)
        os.symlink("../../../devices/pci0000:00/0000:00:03.0", self.root / "sys/bus/pci/devices/0000:00:03.0")
        os.symlink("../../../bus/pci/drivers/amdgpu", self.root / GPU / "driver")
        (self.root / GPU / "drm/renderD128").mkdir(parents=True)
        self.write(KFD + "/generation_id", "1\n")
        self.write(KFD + "/nodes/1/gpu_id", "4711\n")
        self.write(KFD + "/nodes/1/properties", "location_id 24\ndomain 0\ngfx_target_version 120001\n")
        for pid, name in (("1", "init"), ("812", "llama-server")):
            self.write(f"proc/{pid}/comm", name + "\n")
            (self.root / f"proc/{pid}/fd").mkdir()
        os.symlink("/dev/dri/renderD128", self.root / "proc/812/fd/9")
        self.write("proc/812/fdinfo/9", "drm-pdev:\t0000:00:03.0\ndrm-client-id:\t1\ndrm-memory-vram:\t1024 KiB\n")

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def report(self):
        # Standard output is a pipe, and this returns only when nobody holds it any more.
        done = subprocess.run([GPUCOOP, "topo", "--sysroot", str(self.root), "--format", "json"], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def fact(self, report, name):
        return next(f for f in report["facts"] if f["id"] == name)

    def test_what_does_not_block(self):
        report = self.report()
        self.assertEqual([w["code"] for w in report["warnings"] if w["code"].startswith("live.reader")], [])
        holder = report["gpus"][0]["holders"][0]
        self.assertEqual((holder["pid"], holder["process"], holder["memory_bytes"]), (812, "llama-server", 1 << 20))
        self.assertEqual(self.fact(report, "gpu.gfx")["value"], "gfx1201")

    def test_pipes_in_place_of_files(self):
        for name in (KFD + "/generation_id", KFD + "/nodes/1/properties", "proc/812/fdinfo/9", "proc/812/comm",
                     GPU + "/mem_info_vram_total"):
            (self.root / name).unlink(missing_ok=True)
            os.mkfifo(self.root / name)
        report = self.report()
        self.assertEqual([w["code"] for w in report["warnings"] if w["code"].startswith("live.reader")], [])
        self.assertEqual(report["gpus"][0]["holders"][0]["pid"], 812)

    def blocked(self, folder, name):
        try:
            blocked = BlockedFolder(self.root / folder, name)
        except OSError as error:
            self.skipTest(f"no FUSE here: {error}")
        self.addCleanup(blocked.close)
        report = self.report()
        self.assertTrue(blocked.asked.is_set())
        return blocked, report, {w["code"]: w["text"] for w in report["warnings"]}

    def test_a_driver_that_never_answers_about_a_process(self):
        blocked, report, warnings = self.blocked("proc/812/fdinfo", "9")
        self.assertIn("/proc/812/fdinfo/9 did not return in time", warnings["live.reader-ended"])
        # What was read before is kept.
        self.assertEqual(self.fact(report, "gpu.gfx")["value"], "gfx1201")
        holder = report["gpus"][0]["holders"][0]
        self.assertEqual((holder["process"], holder["memory_bytes"]), ("llama-server", None))
        # The request is in the hands of the file system, so that not even KILL ends the reader.
        self.assertIn("/proc/812/fdinfo/9", warnings["live.reader-stuck"])
        process = pathlib.Path("/proc") / warnings["live.reader-stuck"].split()[1]
        self.assertEqual((process / "comm").read_text().strip(), "gpucoop-reader")
        blocked.close()
        for _ in range(600):
            if not process.exists() or ") Z " in (process / "stat").read_text():
                break
            time.sleep(0.1)
        else:
            self.fail("the reader is still there although its file system is gone")

    def test_a_driver_that_never_answers_about_itself(self):
        _, report, warnings = self.blocked(KFD + "/nodes/1", "gpu_id")
        self.assertIn("KFD topology nodes/1/gpu_id", warnings["live.reader-ended"])
        self.assertEqual(self.fact(report, "gpu.compute_driver")["reason"], "timeout")
        self.assertEqual(report["gpus"][0]["holders"], [])
        self.assertIsNone(report["host"]["holders_complete"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
