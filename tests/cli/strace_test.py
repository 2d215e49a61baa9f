#!/usr/bin/env python3
"""The system calls of `gpucoop topo`: it reads, and nothing else. strace_test.py GPUCOOP.

On this host and on trees of fixtures/: no vendor's library is opened, no device, nothing for writing, nothing is changed;
of a sleeping card nothing is opened that would wake it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
sys.dont_write_bytecode = True

import sysfs_tree  # noqa: E402
import system_calls  # noqa: E402

GPUCOOP = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else None
FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
# What wakes a device when it is read: configuration space (pci_config_pm_runtime_get), and link attributes, which read it.
WAKING = re.compile(r'"(?:[^"]*/)?(config|(?:current|max)_link_(?:speed|width)|resource\d_resize|vpd|rom)"')


class SystemCalls(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(self.clean)

    def clean(self):
        sysfs_tree.removable(self.folder)
        shutil.rmtree(self.folder)

    def trace(self, *args):
        """The trace of `gpucoop topo`, with the paths behind descriptors."""
        self.assertTrue(shutil.which("strace"), "install strace")
        out = pathlib.Path(self.folder) / "trace"
        environment = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
        done = subprocess.run(["strace", "-f", "-y", "-o", str(out), GPUCOOP, "topo", *args], capture_output=True, text=True,
                              timeout=300, check=False, env=environment)
        self.assertIn(done.returncode, (0, 69), done.stderr)
        text = out.read_text(encoding="utf-8", errors="replace")
        self.assertIn("bus/pci", text)
        return text

    def unpacked(self, machine):
        root = self.folder + "/root"
        sysfs_tree.Tree.parse((FIXTURES / machine / "sysfs.tree").read_text(encoding="utf-8")).unpack(root)
        return root

    def test_this_host_is_only_read(self):
        self.assertEqual(list(system_calls.wrong_calls(self.trace())), [])

    def test_copies_are_only_read(self):
        for machine in ("asus-tuf-b650e-dual-r9700", "x570-dual-rtx3090-idle", "am5-r9700-failing-files"):
            with self.subTest(machine=machine):
                self.assertEqual(list(system_calls.wrong_calls(self.trace("--sysroot", self.unpacked(machine)))), [])
            self.clean()
            os.mkdir(self.folder)

    def test_a_sleeping_card_is_left_asleep(self):
        text = self.trace("--sysroot", self.unpacked("am5-r9700-asleep"))
        opened = [line for line in text.splitlines() if WAKING.search(line) and "open" in line]
        awake = [line for line in opened if "0000:03:00.0" in line]
        self.assertTrue(awake, "the card that is awake is read, so that this test sees openings of config")
        for address in ("0000:05:00.0", "0000:06:00.0", "0000:07:00.0", "0000:07:00.1"):
            self.assertIn(address, text)
            for line in opened:
                # Descriptors carry the real path, of which the sleeper's own folder is the last part.
                self.assertNotRegex(line, r"%s(/power)?>, " % re.escape(address))

    def test_the_rules_see_what_is_wrong(self):
        wrong = ['1 openat(AT_FDCWD, "/usr/lib/libcuda.so.1", O_RDONLY|O_CLOEXEC) = 3',
                 '1 openat(AT_FDCWD, "/sys/bus/pci/devices/0000:01:00.0/config", O_RDWR) = 3',
                 '1 openat(AT_FDCWD, "/dev/kfd", O_RDONLY) = 3', '1 openat(4</dev/dri>, "renderD128", O_RDONLY) = 3',
                 '1 pwrite64(3, "x", 1, 64) = 1', "1 ioctl(5, DRM_IOCTL_VERSION, 0x7ffd) = 0",
                 '1 write(7</tmp/x>, "x", 1) = 1', '1 unlink("/tmp/x") = 0']
        for line in wrong:
            self.assertEqual(list(system_calls.wrong_calls(line)), [line])
        for line in ('1 openat(AT_FDCWD, "/sys/bus/pci", O_RDONLY|O_DIRECTORY) = 3', '1 write(1</dev/pts/0>, "x", 1) = 1',
                     "1 ioctl(1</dev/pts/0>, TCGETS, 0x7ffd) = 0"):
            self.assertEqual(list(system_calls.wrong_calls(line)), [])


if __name__ == "__main__":
    if GPUCOOP is None:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    unittest.main(argv=[sys.argv[0]])
