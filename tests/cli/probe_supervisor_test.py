#!/usr/bin/env python3
"""What `gpucoop probe` does with ranks that end before the others, what it finds left behind, how early it can be
interrupted, and what comes of its reports. probe_supervisor_test.py SOURCE_DIR GPUCOOP."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE, GPUCOOP = pathlib.Path(sys.argv[1]).resolve(), os.path.abspath(sys.argv[2])
FIXTURES = SOURCE / "fixtures"
sys.path.insert(0, str(SOURCE / "tests/schema"))
sys.dont_write_bytecode = True

import validate  # noqa: E402


def schema(name):
    return json.loads((SOURCE / "src/render" / name).read_text(encoding="utf-8"))


def runs_of(document, rung):
    return [run for run in document["probes"] if run["rung"] == rung and run["variant"] is None]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = dict(os.environ, XDG_STATE_HOME=str(self.folder / "state"))

    def start(self, *args, before=()):
        # The leak checker cannot work in a process that is traced.
        environment = dict(self.environment, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0") \
            if before else self.environment
        return subprocess.Popen([*before, GPUCOOP, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=environment)

    def run_it(self, code, *args, seconds=120):
        with self.start(*args) as process:
            try:
                out, err = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def probe(self, code, *args, ranks=2):
        return self.run_it(code, "probe", "--backend", "host", "--ranks", ranks, *args)

    def valid(self, text):
        document = json.loads(text)
        if validate.jsonschema is not None:
            self.assertEqual(validate.mistakes(schema("report.schema.json"), document), [])
        return document

    def report(self, code, *args, **more):
        return self.valid(self.probe(code, "--format", "json", *args, **more)[0])


class OneRankEnds(Case):
    """The others are not waited for until the deadline, which is 30 s here."""

    def failed_first(self, spec, state, reason):
        document = self.report(1, "--collective", "--inject", spec, "--budget", "15")
        run = runs_of(document, "ccl.init")[0]
        self.assertEqual(run["state"], state)
        self.assertRegex(run["reason"], reason)
        self.assertLess(run["seconds"], run["deadline_s"])
        self.assertGreaterEqual(run["deadline_s"], 20)
        return run

    def test_it_refuses(self):
        run = self.failed_first("refuse:rank1@ccl.init", "refused", r"^rank 1 \(host:1\): .*injected")
        told = [f for f in run["findings"] if f.startswith("the rest could not end without it and was ended: rank 0 ")]
        self.assertTrue(told, run["findings"])

    def test_it_crashes(self):
        run = self.failed_first("crash:rank0@ccl.init", "crashed", r"^rank 0 \(host:0\) crashed \(SIG[A-Z]+\)$")
        self.assertTrue([f for f in run["findings"] if "was ended: rank 1 " in f], run["findings"])

    def test_all_refuse_and_nobody_is_ended_for_that(self):
        document = self.report(1, "--collective", "--inject", "refuse@ccl.init", "--budget", "15")
        run = runs_of(document, "ccl.init")[0]
        self.assertEqual(run["state"], "refused")
        self.assertFalse([f for f in run["findings"] if "was ended" in f], run["findings"])


class Shown(Case):
    def test_verbose_says_how_long_each_rung_took_and_nothing_is_wider_than_80(self):
        out, _ = self.probe(0, "--dispatch", "--verbose")
        self.assertRegex(out, r"(?m)^  passed +gpu.dispatch +each of 2 \(\d+\.\d s\)$")
        self.assertEqual([line for line in out.splitlines() if len(line) > 80], [])


class Soak(Case):
    def test_it_goes_on_for_its_time_whatever_the_budget_is(self):
        out, err = self.probe(0, "--dispatch", "--soak", "1", "--budget", "20", "--format", "json")
        document = self.valid(out)
        run = runs_of(document, "ccl.soak")[0]
        self.assertEqual(run["state"], "passed")
        self.assertGreaterEqual(run["seconds"], 0.9)
        self.assertRegex(" ".join(run["findings"]), r"for \d+ s every value was right")
        self.assertEqual(runs_of(document, "ccl.broadcast"), [])
        self.assertIn("gpucoop: ccl.soak: all-reduces for a while\n", err)

    def test_it_can_be_interrupted(self):
        with self.start("probe", "--backend", "host", "--dispatch", "--soak", "600", "--format", "json") as process:
            for line in process.stderr:
                if "ccl.soak" in line:
                    break
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        document = self.valid(out)
        self.assertEqual(runs_of(document, "ccl.allreduce")[0]["state"], "passed")
        self.assertEqual(runs_of(document, "ccl.soak")[0]["reason"], "interrupted")


class LeftBehind(Case):
    def test_what_a_killed_probe_left_is_ended_and_told(self):
        gone = subprocess.Popen(["/bin/true"])
        gone.wait()
        environment = dict(self.environment, GPUCOOP_RUN="%d-1" % gone.pid)
        left = subprocess.Popen(["/bin/sleep", "600"], env=environment)
        own = subprocess.Popen(["/bin/sleep", "600"], env=self.environment)
        try:
            # It may be that another probe of this user that begins right now is faster.
            document = self.report(0, "--dispatch")
            self.assertEqual(left.wait(timeout=10), -signal.SIGKILL)
            self.assertIsNone(own.poll())
            told = [w["text"] for w in document["warnings"] if w["code"] == "probe.left-behind"]
            for text in told:
                self.assertRegex(text, r"^Found at the beginning: process \d+ \(.*\), left behind by a probe that was killed "
                                       r"\(pid \d+\), was ended\.$")
        finally:
            for process in (left, own):
                process.kill()
                process.wait()


class Interrupted(Case):
    @unittest.skipUnless(shutil.which("strace"), "there is no strace")
    def test_the_handler_is_there_before_anything_is_read(self):
        trace = self.folder / "trace"
        process = self.start("probe", "--backend", "host", "--dispatch", "--quiet",
                             before=("strace", "-o", trace, "-e", "trace=rt_sigaction,openat,fork,clone,vfork,execve"))
        out, err = process.communicate(timeout=60)
        text = trace.read_text(encoding="utf-8", errors="replace") if trace.exists() else ""
        if "execve" not in text:
            self.skipTest("nothing can be traced here: " + err[:100])
        self.assertEqual(process.returncode, 0, out + err)
        lines = text.splitlines()
        handler = next(i for i, line in enumerate(lines) if re.match(r"rt_sigaction\(SIGINT, \{sa_handler=0x", line))
        for line in lines[:handler]:
            self.assertNotRegex(line, r'clone|fork|openat\(.*"(/proc/\d|/proc/self/(mountinfo|cgroup)|/sys/bus|/var/lib/gpucoop|%s)'
                                % re.escape(str(self.folder)))

    def test_who_interrupts_as_soon_as_it_can_be_gets_a_report(self):
        with self.start("probe", "--backend", "host", "--format", "json") as process:
            until = time.monotonic() + 30
            while time.monotonic() < until:
                status = pathlib.Path("/proc/%d/status" % process.pid).read_text(encoding="utf-8")
                caught = int(re.search(r"(?m)^SigCgt:\s*([0-9a-f]+)$", status).group(1), 16)
                if caught >> (signal.SIGINT - 1) & 1:
                    break
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, out + err)
        document = self.valid(out)
        self.assertTrue(all(run["state"] in ("skipped", "passed", "inconclusive") for run in document["probes"]))
        self.assertEqual(runs_of(document, "ccl.allreduce")[0]["reason"], "interrupted")


class Compared(Case):
    def written(self, name, code, *args):
        path = self.folder / name
        path.write_text(self.probe(code, "--dispatch", "--format", "json", *args)[0], encoding="utf-8")
        return path

    def test_two_simulated_reports_are_compared_and_marked(self):
        good = self.written("good.json", 0)
        bad = self.written("bad.json", 1, "--inject", "refuse:rank1@host.copy")
        out, _ = self.run_it(1, "diff", good, bad)
        self.assertTrue(out.startswith("Simulated devices: nothing here is about a GPU.\n"), out)
        self.assertIn("(2 simulated devices)", out)
        self.assertRegex(out, r"host\.copy .*was true \(host:1\)")
        for line in out.splitlines():
            self.assertLessEqual(len(line), 80, line)
        document = json.loads(self.run_it(1, "diff", "--format", "json", good, bad)[0])
        if validate.jsonschema is not None:
            wrong = validate.jsonschema.Draft202012Validator(schema("diff.schema.json")).iter_errors(document)
            self.assertEqual([error.message[:200] for error in wrong], [])
        self.assertTrue(document["before"]["simulated"] and document["after"]["simulated"])
        self.assertIn(("host.copy", ["host:1"]), [(f["id"], f["subject_after"]["of"]) for f in document["facts"]])
        same, _ = self.run_it(0, "diff", good, good)
        self.assertIn("nothing differs", same)

    def test_a_simulated_and_a_real_one_are_not(self):
        good = self.written("good.json", 0)
        real = FIXTURES / "asus-proart-b850-dual-r9700/lspci-vv.txt"
        for pair in ((good, real), (real, good)):
            out, err = self.run_it(65, "diff", *pair)
            self.assertEqual(out, "")
            self.assertIn("good.json", err)
            self.assertIn("simulated devices", " ".join(err.split()))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    unittest.main(argv=[sys.argv[0]])
