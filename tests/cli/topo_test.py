#!/usr/bin/env python3
"""What `gpucoop topo` promises scripts: exit codes, streams and files. topo_test.py GPUCOOP."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
sys.dont_write_bytecode = True

import terminal  # noqa: E402

GPUCOOP = sys.argv[1]

ONE_GPU = """\
00:00.0 Host bridge [0600]: Advanced Micro Devices, Inc. [AMD] Raphael/Granite Ridge Root Complex [1022:14d8]
00:01.1 PCI bridge [0604]: Advanced Micro Devices, Inc. [AMD] Raphael/Granite Ridge GPP Bridge [1022:14db] (prog-if 00 [Normal decode])
\tBus: primary=00, secondary=01, subordinate=01, sec-latency=0
\tCapabilities: [58] Express (v2) Root Port (Slot+), MSI 00
\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM L1, Exit Latency L1 <64us
\t\tLnkSta:\tSpeed 16GT/s, Width x16
\t\tDevCap2: Completion Timeout: Range ABCD, TimeoutDis+ NROPrPrP- LTR+
\t\t\t AtomicOpsCap: Routing- 32bit+ 64bit+ 128bitCAS-
01:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900 XTX] [1002:744c] (prog-if 00 [VGA controller])
\tCapabilities: [64] Express (v2) Legacy Endpoint, MSI 00
\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM L1, Exit Latency L1 <1us
\t\tLnkSta:\tSpeed 16GT/s, Width x16
\t\tDevCap2: Completion Timeout: Not Supported, TimeoutDis-
\t\t\t AtomicOpsCap: 32bit+ 64bit+ 128bitCAS-
\tKernel driver in use: amdgpu
"""
OTHER_HOST = ONE_GPU.replace("Navi 31 [Radeon RX 7900 XTX] [1002:744c]", "Vega 20 [Radeon VII] [1002:66af]")
NO_GPU = "\n".join(ONE_GPU.splitlines()[:8]) + "\n"


def run(*args, stdin=b"", env=None, **more):
    environment = dict(os.environ, **(env or {}))
    environment.pop("NO_COLOR", None)
    environment.update(env or {})
    return subprocess.run([GPUCOOP, *args], input=stdin, capture_output=True, timeout=60, check=False,
                          env=environment, **more)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.host = self.write("host.txt", ONE_GPU)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def expect(self, code, done, *in_stderr):
        stderr = done.stderr.decode()
        self.assertEqual(done.returncode, code, stderr)
        for part in in_stderr:
            self.assertIn(part, stderr)
        for line in stderr.splitlines():
            self.assertRegex(line, "^(gpucoop: |  next: |        )")


class Usage(Case):
    def test_every_misuse_is_64(self):
        for args in ([], ["nonsense"], ["topo", "--nonsense"], ["topo", "--from"], ["topo", self.host],
                     ["topo", "--format", "xml", "--from", self.host], ["topo", "--color", "red"],
                     ["topo", "--dump", "0", "--from", self.host], ["topo", "--dump", "x", "--from", self.host],
                     ["topo", "--dump", "-1", "--from", self.host], ["topo", "-q", "-v", "--from", self.host],
                     ["topo", "-q", "--format", "json", "--from", self.host], ["--nonsense"],
                     ["topo", "--from", "-", "--from", "-"], ["topo", "--from", self.host, self.host]):
            with self.subTest(args=args):
                done = run(*args)
                self.expect(64, done, "gpucoop: ", "  next: ")
                self.assertEqual(done.stdout, b"")

    def test_the_nearest_word_is_suggested(self):
        self.expect(64, run("topp"), "did you mean `gpucoop topo`?")
        self.expect(64, run("topo", "--form", "x"), "did you mean --from?")
        self.expect(64, run("zzzzzzzzz"), "gpucoop --help lists the subcommands")

    def test_help_and_version_go_to_standard_output(self):
        for args in (["--help"], ["topo", "--help"], ["--version"]):
            done = run(*args)
            self.expect(0, done)
            self.assertEqual(done.stderr, b"")
            self.assertTrue(done.stdout)
            for line in done.stdout.decode().splitlines():
                self.assertLessEqual(len(line), 80, line)
        self.assertRegex(run("--version").stdout.decode(), r"^gpucoop \d+\.\d+\.\d+\n$")


class Reading(Case):
    def test_a_file_and_standard_input_give_the_same(self):
        env = {"SOURCE_DATE_EPOCH": "0"}
        from_file = run("topo", "--from", self.host, "--format", "json", env=env)
        from_stdin = run("topo", "--from", "-", "--format", "json", stdin=ONE_GPU.encode(), env=env)
        self.expect(0, from_file)
        self.expect(0, from_stdin)
        a, b = json.loads(from_file.stdout), json.loads(from_stdin.stdout)
        self.assertEqual(a["taken_at"], "1970-01-01T00:00:00Z")
        self.assertEqual([s["file"] for s in b["sources"]], ["-"])
        self.assertEqual(a["gpus"], b["gpus"])
        self.assertEqual([g["address"] for g in a["gpus"]], ["0000:01:00.0"])

    def test_a_pipe_named_as_a_file(self):
        done = run("topo", "--from", "/dev/stdin", "--quiet", stdin=ONE_GPU.encode())
        self.expect(0, done)
        self.assertIn(b"1 AMD GPU", done.stdout)

    def test_what_cannot_be_opened(self):
        self.expect(66, run("topo", "--from", self.path("none")), "no such file")
        self.expect(66, run("topo", "--from", self.host + "/x"), "no such file")
        self.expect(66, run("topo", "--from", self.folder.name), "is a directory")
        self.expect(66, run("topo", "--from", "/" + "x" * 5000))

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_what_may_not_be_read(self):
        os.chmod(self.host, 0)
        self.expect(77, run("topo", "--from", self.host), "may not be read")

    def test_what_is_no_input(self):
        for name, text in (("empty", ""), ("blank", "\n \n"), ("noise", "hello\nworld\n")):
            with self.subTest(name=name):
                done = run("topo", "--from", self.write(name, text))
                self.assertIn(done.returncode, (65, 69))
                self.assertTrue(done.stderr.startswith(b"gpucoop: "))
        with open(self.path("binary"), "wb") as file:
            file.write(bytes(range(256)) * 64)
        self.assertIn(run("topo", "--from", self.path("binary")).returncode, (65, 69))

    def test_two_hosts_are_named_and_one_can_be_chosen(self):
        other = self.write("other.txt", OTHER_HOST)
        self.expect(65, run("topo", "--from", self.host, "--from", other), "--dump")
        for number, name in (("1", "7900 XTX"), ("2", "Radeon VII")):
            done = run("topo", "--from", self.host, "--from", other, "--dump", number)
            self.expect(0, done)
            self.assertIn(name, done.stdout.decode())

    def test_the_same_file_twice_is_one_host(self):
        done = run("topo", "--from", self.host, "--from", self.host, "--format", "json")
        self.expect(0, done)
        self.assertEqual(len(json.loads(done.stdout)["gpus"]), 1)

    def test_control_characters_of_a_name_are_escaped(self):
        done = run("topo", "--from", self.path("a\x1b[31mb"))
        self.expect(66, done, "\\x1b[31m")
        self.assertNotIn(b"\x1b", done.stderr)


class Answers(Case):
    def test_no_gpu_is_69_with_a_report(self):
        done = run("topo", "--from", self.write("none.txt", NO_GPU), "--format", "json")
        self.expect(69, done, "no GPU")
        self.assertEqual(json.loads(done.stdout)["gpus"], [])
        text = run("topo", "--from", self.path("none.txt"))
        self.assertEqual(text.returncode, 69)
        self.assertTrue(text.stdout.startswith(b"No GPU in this "))

    def test_quiet_is_one_line(self):
        done = run("topo", "--from", self.host, "--quiet")
        self.expect(0, done)
        self.assertEqual(done.stdout.count(b"\n"), 1)
        self.assertIn(b"1 AMD GPU (01:00.0)", done.stdout)

    def test_the_first_line_is_the_answer(self):
        done = run("topo", "--from", self.host)
        self.expect(0, done)
        self.assertTrue(done.stdout.startswith(b"1 AMD GPU (01:00.0): "), done.stdout)

    def test_verbose_shows_more(self):
        plain = run("topo", "--from", self.host).stdout
        verbose = run("topo", "--from", self.host, "-v").stdout
        self.assertGreater(len(verbose), len(plain))
        self.assertIn(b"AtomicOps Routing- 32bit+ 64bit+", verbose)

    def test_color(self):
        plain = run("topo", "--from", self.host)
        self.assertNotIn(b"\x1b", plain.stdout)
        always = run("topo", "--from", self.host, "--color", "always", env={"NO_COLOR": "1"})
        self.assertIn(b"\x1b[1m", always.stdout)
        self.assertNotIn(b"\x1b", run("topo", "--from", self.host, "--color", "never").stdout)

    def terminal(self, env):
        environment = dict(os.environ, TERM="xterm")
        environment.pop("NO_COLOR", None)
        environment.update(env)
        return terminal.output_of([GPUCOOP, "topo", "--from", self.host], env=environment)

    def test_color_on_a_terminal(self):
        self.assertIn(b"\x1b[1m", self.terminal({}))
        self.assertNotIn(b"\x1b", self.terminal({"NO_COLOR": "1"}))
        self.assertIn(b"\x1b", self.terminal({"NO_COLOR": ""}))
        self.assertNotIn(b"\x1b", self.terminal({"TERM": "dumb"}))


class Output(Case):
    def test_a_file_is_made_whole(self):
        done = run("topo", "--from", self.host, "-o", self.path("out.txt"))
        self.expect(0, done)
        self.assertEqual(done.stdout, b"")
        self.assertIn("1 AMD GPU", self.read("out.txt"))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["host.txt", "out.txt"])
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(os.stat(self.path("out.txt")).st_mode & 0o777, 0o644 & ~mask)

    def test_an_existing_file_is_kept_unless_overwrite(self):
        self.write("out.txt", "precious")
        done = run("topo", "--from", self.host, "-o", self.path("out.txt"))
        self.expect(73, done, "exists and is kept", "--overwrite")
        self.assertEqual(self.read("out.txt"), "precious")
        self.expect(0, run("topo", "--from", self.host, "-o", self.path("out.txt"), "--overwrite"))
        self.assertIn("1 AMD GPU", self.read("out.txt"))

    def test_a_failed_run_leaves_nothing_behind(self):
        self.write("out.txt", "precious")
        self.expect(66, run("topo", "--from", self.path("none"), "-o", self.path("new.txt")))
        self.expect(66, run("topo", "--from", self.path("none"), "-o", self.path("out.txt"), "--overwrite"))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["host.txt", "out.txt"])
        self.assertEqual(self.read("out.txt"), "precious")

    def test_a_bad_path_is_told_before_the_work(self):
        missing = self.path("none")
        self.expect(73, run("topo", "--from", missing, "-o", self.path("no/such/folder")), "cannot be made")
        self.expect(73, run("topo", "--from", missing, "-o", self.folder.name), "cannot be made")

    def test_overwrite_follows_a_link(self):
        self.write("real.txt", "old")
        os.symlink("real.txt", self.path("link.txt"))
        self.expect(0, run("topo", "--from", self.host, "-o", self.path("link.txt"), "--overwrite"))
        self.assertTrue(os.path.islink(self.path("link.txt")))
        self.assertIn("1 AMD GPU", self.read("real.txt"))

    def test_a_device_is_written_as_it_is(self):
        self.expect(0, run("topo", "--from", self.host, "-o", "/dev/null"))
        self.assertIn(b"1 AMD GPU", run("topo", "--from", self.host, "-o", "/dev/stdout").stdout)
        self.assertIn(b"1 AMD GPU", run("topo", "--from", self.host, "-o", "-").stdout)

    def test_an_output_that_fails(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([GPUCOOP, "topo", "--from", self.host], stdout=full, stderr=subprocess.PIPE,
                                  timeout=60, check=False)
        self.expect(73, done, "standard output: cannot be written")

    def test_a_closed_standard_output(self):
        script = '"$0" topo --from "$1" >&-'
        done = subprocess.run(["sh", "-c", script, GPUCOOP, self.host], stderr=subprocess.PIPE, timeout=60, check=False)
        self.expect(73, done, "standard output: cannot be written")

    def test_a_reader_that_went_away_is_no_complaint(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([GPUCOOP, "topo", "--from", self.host], stdout=writer, stderr=subprocess.PIPE, timeout=60,
                              check=False)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
