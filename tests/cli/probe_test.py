#!/usr/bin/env python3
"""What `gpucoop probe` does on simulated devices: every fault with its finding and exit code, formats, and that nothing is
left behind. probe_test.py SOURCE_DIR GPUCOOP."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE, GPUCOOP = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path[:0] = [str(SOURCE / "tests/schema"), str(SOURCE / "tests/support")]
sys.dont_write_bytecode = True

import parallel_cases  # noqa: E402
import validate  # noqa: E402
from marked_processes import marked_processes  # noqa: E402

SCHEMA = json.loads((SOURCE / "src/render/report.schema.json").read_text(encoding="utf-8"))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = dict(os.environ, XDG_STATE_HOME=os.path.join(self.folder, "state"))

    def start(self, *args, **more):
        return subprocess.Popen([GPUCOOP, "probe", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=self.environment, **more)

    def run_probe(self, *args, seconds=120):
        with self.start(*args) as process:
            try:
                process.out, process.err = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return process

    def host(self, *args, ranks=2, seconds=120):
        return self.run_probe("--backend", "host", "--ranks", str(ranks), *args, seconds=seconds)

    def document(self, done):
        document = json.loads(done.out)
        if validate.jsonschema is not None:
            self.assertEqual(validate.mistakes(SCHEMA, document), [])
        return document

    def expect(self, code, done, *in_stderr):
        self.assertEqual(done.returncode, code, done.out + done.err)
        for part in in_stderr:
            self.assertIn(part, done.err)

    def expect_no_ranks(self):
        until = time.monotonic() + 10
        while marked_processes(self.folder) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(marked_processes(self.folder), [])


def runs_of(document, rung, variant=None):
    return [run for run in document["probes"] if run["rung"] == rung and run["variant"] == variant]


def fact_of(document, name, members):
    found = [fact for fact in document["facts"] if fact["id"] == name and len(fact["subject"]["of"]) == members]
    return found[0]["value"] if found else None


def state_of(document, mode):
    return next(m["state"] for m in document["modes"] if m["id"] == mode)


class Usage(Case):
    def test_what_does_not_fit_together_is_told(self):
        for args, words in ((["--ranks", "2"], "--ranks is for simulated devices"),
                            (["--inject", "global-state"], "global-state is a fault of simulated devices"),
                            (["--backend", "host", "--library", "x.so"], "--backend host uses none"),
                            (["--backend", "host", "--gpus", "0"], "--gpus chooses GPUs"),
                            (["--all", "--p2p"], "--all and a part of it"),
                            (["--from", "x.json"], "a recorded host cannot be probed"),
                            (["--sysroot", "/"], "a recorded host cannot be probed"),
                            (["--backend", "host", "--groups", "tp=2,dp=2"], "that is 4 GPUs, and there are 2"),
                            (["--backend", "host", "--groups", "tp"], "'tp' is no NAME=N"),
                            (["--backend", "host", "--inject", "hangs"], "hang"),
                            (["--backend", "host", "--inject", "hang@dp1"], "with tp=2 the groups are tp0"),
                            (["--backend", "host", "--ranks", "4", "--inject", "hang:rank0@dp1"],
                             "with tp=2,dp=2 the groups of this rank are tp0, dp0 and ep0"),
                            (["--backend", "host", "--ranks", "65"], "65"),
                            (["--backend", "host", "--timeout", "0"], "is no number of seconds"),
                            (["--backend", "opencl"], "none of auto|cuda|host")):
            with self.subTest(args=args):
                self.expect(64, self.run_probe(*args), words)

    @unittest.skipIf(any(pathlib.Path("/dev").glob("nvidia[0-9]*")), "there are GPUs here")
    def test_without_a_gpu_nothing_is_simulated_by_itself(self):
        done = self.run_probe("--format", "json")
        self.expect(69, done, "gpucoop probe --backend host")
        self.assertEqual(done.out, "")

    def test_an_existing_file_is_kept_and_nothing_is_run(self):
        path = os.path.join(self.folder, "there")
        pathlib.Path(path).write_text("mine", encoding="utf-8")
        done = self.host("-o", path)
        self.expect(73, done, "exists and is kept")
        self.assertNotIn("gpu.dispatch", done.err)
        self.assertEqual(pathlib.Path(path).read_text(encoding="utf-8"), "mine")


class Plan(Case):
    def test_it_names_rungs_ranks_sizes_and_deadlines_and_runs_nothing(self):
        done = self.host("--dry-run", ranks=4)
        self.expect(0, done)
        self.assertRegex(done.out, r"(?m)^  gpu.dispatch +each of 4 +a trivial kernel +10 s$")
        self.assertRegex(done.out, r"(?m)^  p2p.handshake +12 pairs .* 15 s$")
        self.assertRegex(done.out, r"(?m)^  ccl.allreduce +all 4 +all_reduce float32 sum +4 B to 64 MiB +30 s$")
        self.assertNotIn("simulated devices: nothing", done.err)
        for line in done.out.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_json_of_a_plan_is_a_report_of_runs_that_were_not(self):
        document = self.document(self.host("--dry-run", "--format", "json"))
        self.assertEqual({run["state"] for run in document["probes"]}, {"skipped"})
        self.assertEqual(runs_of(document, "ccl.allreduce")[0]["reason"], "nothing was run (--dry-run)")
        self.assertEqual(runs_of(document, "ccl.allreduce")[0]["deadline_s"], 30)
        self.assertTrue(document["simulated"])


class Good(Case):
    def test_four_ranks_pass_everything(self):
        done = self.host("--format", "json", "--budget", "300", ranks=4, seconds=300)
        document = self.document(done)
        bad = [(run["rung"], run["op"], run["state"], run["reason"]) for run in document["probes"]
               if run["state"] not in ("passed", "skipped")]
        self.assertEqual(bad, [])
        self.expect(0, done)
        self.assertTrue(document["simulated"])
        self.assertTrue(all(run["simulated"] and run["backend"] == "host" for run in document["probes"]))
        for rung in ("gpu.dispatch", "p2p.write", "ccl.allreduce", "ccl.switching", "host.loopback"):
            self.assertTrue(runs_of(document, rung), rung)
        self.assertIs(fact_of(document, "ccl.switching", 4), True)
        self.assertIn(state_of(document, "tensor"), ("yes", "degraded"))
        self.assertIn(state_of(document, "expert-dp"), ("yes", "degraded"))
        self.assertEqual([gpu["address"] for gpu in document["gpus"]], ["host:0", "host:1", "host:2", "host:3"])
        self.expect_no_ranks()
        # What is simulated is refused where real results count.
        path = os.path.join(self.folder, "results.json")
        pathlib.Path(path).write_text(done.out, encoding="utf-8")
        refused = subprocess.run([GPUCOOP, "verdict", "--require", "tensor", "--from",
                                  str(SOURCE / "fixtures/asus-proart-b850-dual-r9700/lspci-vv.txt"), "--probe-results", path],
                                 capture_output=True, text=True, check=False)
        self.assertEqual(refused.returncode, 65)
        self.assertIn("simulated", refused.stderr)

    def test_text_says_first_that_it_is_simulated_and_ends_with_the_verdict(self):
        done = self.host("--dispatch")
        self.expect(0, done)
        lines = done.out.splitlines()
        self.assertEqual(lines[0], "Simulated devices: nothing here is about a GPU.")
        self.assertRegex(done.out, r"(?m)^  passed +gpu.dispatch +each of 2$")
        self.assertRegex(done.out, r"(?m)^2 simulated devices \(host:0 and host:1\): ")
        self.assertIn("gpucoop: gpu.dispatch: a trivial kernel\n", done.err)
        for line in lines:
            self.assertLessEqual(len(line), 80, line)

    def test_quiet_is_one_line_and_no_progress(self):
        done = self.host("--dispatch", "--quiet")
        self.expect(0, done)
        self.assertEqual(done.err, "")
        self.assertEqual(len(done.out.splitlines()), 1)
        self.assertTrue(done.out.startswith("Simulated devices: nothing here is about a GPU. "))

    def test_what_the_budget_does_not_reach_is_skipped(self):
        done = self.host("--budget", "0.05", "--format", "json")
        document = self.document(done)
        skipped = [run for run in document["probes"] if run["state"] == "skipped" and "budget" in run["reason"]]
        self.assertGreater(len(skipped), 0)
        self.assertIsNone(fact_of(document, "ccl.allreduce", 2))


class Faults(Case):
    """Every fault: its state, what is said, its exit code, and that it is there within its deadline and 5 s."""

    def fault(self, spec, code, state, words, rung="ccl.allreduce", ranks=2, more=()):
        timeout = 15
        began = time.monotonic()
        done = self.host("--collective", "--timeout", str(timeout), "--inject", spec, "--budget", "25", "--format", "json",
                         *more, ranks=ranks)
        self.expect(code, done)
        document = self.document(done)
        hit = [run for run in runs_of(document, rung) if run["state"] == state]
        self.assertTrue(hit, [(run["rung"], run["state"], run["reason"]) for run in document["probes"]])
        self.assertLess(hit[0]["seconds"] or 0, timeout + 5)
        said = " ".join([hit[0]["reason"]] + hit[0]["findings"])
        self.assertRegex(said, words)
        self.assertIn("a fault was injected: ", said)
        self.assertTrue(any(w["code"] == "probe.injected" for w in document["warnings"]))
        self.assertIsNot(fact_of(document, rung, ranks), True)
        self.assertLess(time.monotonic() - began, 25 + 4 * (timeout + 5))
        self.expect_no_ranks()
        return document

    def test_hang(self):
        document = self.fault("hang:rank1@ccl.allreduce", 4, "hung", r"no answer within 15 s.*rank 1")
        self.assertIs(fact_of(document, "ccl.allreduce", 2), False)
        self.assertRegex(" ".join(runs_of(document, "ccl.allreduce")[0]["findings"]), "it works with GPUCOOP_HOST_FAULTS=none")
        self.assertIs(fact_of(document, "ccl.recovery", 2), True)

    def test_wrong_data(self):
        document = self.fault("wrong-data:rank1@ccl.allreduce", 1, "wrong-data", r"\d+ of \d+ words wrong")
        self.assertGreater(runs_of(document, "ccl.allreduce")[0]["wrong_words"], 0)

    def test_crash(self):
        self.fault("crash:rank0@ccl.allreduce", 1, "crashed", r"rank 0 \(host:0\) crashed \(SIG[A-Z]+\)")

    def test_exit(self):
        self.fault("exit:rank1@ccl.allreduce", 1, "crashed", r"rank 1 \(host:1\) ended by itself with status 3")

    def test_garbage(self):
        self.fault("garbage:rank1@ccl.allreduce", 1, "failed", r"something else than an answer came back")

    def test_refuse(self):
        document = self.host("--collective", "--inject", "refuse@all_reduce", "--format", "json")
        self.expect(1, document)
        run = runs_of(self.document(document), "ccl.allreduce")[0]
        self.assertEqual(run["state"], "refused")
        self.assertIn("injected", run["reason"])

    def test_slow_is_slow_and_no_failure(self):
        done = self.host("--dispatch", "--inject", "slow@gpu.dispatch", "--format", "json")
        self.expect(0, done)
        document = self.document(done)
        self.assertGreaterEqual(runs_of(document, "gpu.dispatch")[0]["seconds"], 0.1)
        self.assertTrue(any(w["code"] == "probe.injected" for w in document["warnings"]))

    def test_a_failure_on_the_lowest_rung_ends_it(self):
        done = self.host("--inject", "hang:rank0@gpu.dispatch", "--timeout", "5", "--format", "json")
        self.expect(4, done)
        document = self.document(done)
        self.assertEqual(runs_of(document, "ccl.init")[0]["state"], "skipped")
        self.assertIs(fact_of(document, "ccl.recovery", 2), False)

    def test_every_text_names_the_fault(self):
        done = self.host("--dispatch", "--inject", "slow:rank1")
        self.assertIn("Injected on request: slow:rank1.", done.out.splitlines()[1])
        quiet = self.host("--dispatch", "--inject", "slow:rank1", "--quiet")
        self.assertIn("Injected on request: slow:rank1.", quiet.out)

    def test_crossed_groups_whose_communicators_disturb_each_other(self):
        done = self.host("--groups", "tp=2,dp=2", "--inject", "global-state", "--timeout", "25", "--budget", "240",
                         "--format", "json", ranks=4, seconds=500)
        self.expect(4, done)
        document = self.document(done)
        self.assertTrue(all(run["state"] == "passed" for run in runs_of(document, "ccl.subgroups")))
        hung = [run for run in runs_of(document, "ccl.switching") if run["op"] == "alternate"][0]
        self.assertEqual(hung["state"], "hung")
        self.assertRegex(hung["reason"], r"rank \d waits in (tp|dp|ep)\d .*at round \d+")
        self.assertRegex(" ".join(hung["findings"]), r"crossed communicators disturb each other")
        self.assertRegex(" ".join(hung["findings"]), r"it works with GPUCOOP_HOST_STATE=communicator")
        met = [run for run in runs_of(document, "ccl.switching") if run["op"] == "alternate, rendezvous"]
        self.assertEqual([run["state"] for run in met], ["passed"])
        self.assertIn(state_of(document, "tensor"), ("yes", "degraded"))
        self.assertEqual(state_of(document, "expert-dp"), "no")


class Ending(Case):
    def interrupted(self, number):
        process = self.start("--backend", "host", "--inject", "hang:rank1@ccl.allreduce", "--collective", "--timeout", "60",
                             "--format", "json")
        until = time.monotonic() + 60
        while time.monotonic() < until:
            line = process.stderr.readline()
            if "ccl.allreduce" in line or not line:
                break
        time.sleep(0.3)
        began = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err, time.monotonic() - began

    def test_ctrl_c_leaves_nothing_and_keeps_what_there_is(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                code, out, err, seconds = self.interrupted(number)
                self.assertEqual(code, 130, err)
                self.assertLess(seconds, 30)
                document = json.loads(out)
                self.assertEqual(runs_of(document, "gpu.dispatch")[0]["state"], "passed")
                self.assertTrue(any(run["reason"] == "interrupted" for run in document["probes"]))
                self.expect_no_ranks()

    def test_a_killed_probe_leaves_nothing_and_the_next_one_tells(self):
        code, _, _, _ = self.interrupted(signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        self.expect_no_ranks()
        done = self.host("--dispatch", "--format", "json")
        told = [w["text"] for w in self.document(done)["warnings"] if w["code"] == "probe.unfinished"]
        self.assertTrue(any("ccl.allreduce" in text for text in told), told)
        again = self.document(self.host("--dispatch", "--format", "json"))
        self.assertFalse([w for w in again["warnings"] if w["code"] == "probe.unfinished"])

    def test_two_at_once_do_not_disturb_each_other(self):
        both = [self.start("--backend", "host", "--dispatch", "--quiet") for _ in range(2)]
        for process in both:
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, out + err)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    parallel_cases.main()
