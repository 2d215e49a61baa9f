#!/usr/bin/env python3
"""What `gpucoop verdict` promises scripts: exit codes, the GPUs it is about, formats. verdict_test.py SOURCE_DIR GPUCOOP."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SOURCE, GPUCOOP = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(SOURCE / "tests/schema"))
sys.dont_write_bytecode = True

import validate  # noqa: E402

SCHEMA = json.loads((SOURCE / "src/render/report.schema.json").read_text(encoding="utf-8"))
BLOCKED = "asus-tuf-b650e-dual-r9700/lspci-vv.txt"      # tensor: unknown, expected no
CLEAN = "asus-proart-b850-dual-r9700/lspci-vv.txt"      # tensor: unknown, expected yes
SOCKETS = "epyc-eight-mi210-four-switches/lspci-vv.txt"  # tensor: unknown, expected degraded
ALONE = "vm-one-h200-flat/recording-nobody.json"        # tensor: no
NO_GPU = "server-with-display-only/lspci-vv.txt"


def run(*args, **more):
    environment = dict(os.environ)
    environment.pop("NO_COLOR", None)
    return subprocess.run([GPUCOOP, "verdict", *args], capture_output=True, timeout=60, check=False, env=environment,
                          **more)


def at(fixture, *args):
    return run("--from", str(SOURCE / "fixtures" / fixture), *args)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def expect(self, code, done, *in_stderr):
        stderr = done.stderr.decode()
        self.assertEqual(done.returncode, code, done.stdout.decode() + stderr)
        for part in in_stderr:
            self.assertIn(part, stderr)
        for line in stderr.splitlines():
            self.assertRegex(line, "^(gpucoop: |  next: |        )")

    def document(self, done):
        document = json.loads(done.stdout)
        if validate.jsonschema is not None:
            self.assertEqual(validate.mistakes(SCHEMA, document), [])
        self.assertEqual(document["exit_code"], done.returncode)
        return document


class Usage(Case):
    def test_what_is_required_has_to_be_said(self):
        done = at(CLEAN)
        self.expect(64, done, "what is required", "gpucoop verdict --require tensor", "gpucoop explain lists the modes")
        self.assertEqual(done.stdout, b"")

    def test_a_wrong_mode_is_told_with_the_nearest(self):
        self.expect(64, at(CLEAN, "--require", "tensr"), "no mode 'tensr'", "did you mean tensor?", "data-parallel, ")
        self.expect(64, at(CLEAN, "--require", "="), "no mode ''")
        self.expect(64, at(CLEAN, "--require", ""), "no mode ''")

    def test_a_wrong_number_is_told(self):
        for number in ("0", "x", "", "-1", "1.5", "99999", "2=3"):
            with self.subTest(number=number):
                self.expect(64, at(CLEAN, "--require", "tensor=" + number), "is no number of GPUs")

    def test_a_wrong_engine_is_told(self):
        self.expect(64, at(CLEAN, "--require", "tensor", "--engine", "vlm"), "no engine 'vlm'")

    def test_other_misuse(self):
        for args in (["--accept", "all"], ["--accept"], ["--format", "xml"], ["-q", "-v"], ["-q", "--format", "junit"],
                     ["-q", "--format", "json"], ["more"]):
            with self.subTest(args=args):
                self.expect(64, at(CLEAN, "--require", "tensor", *args))

    def test_inputs_and_outputs(self):
        self.expect(66, run("--require", "tensor", "--from", self.folder + "/none"), "no such file")
        bad = os.path.join(self.folder, "bad.json")
        with open(bad, "w", encoding="utf-8") as file:
            file.write('{"schema": "gpucoop.recording/1"')
        self.expect(65, run("--require", "tensor", "--from", bad))
        self.expect(73, at(CLEAN, "--require", "tensor", "-o", bad), "exists and is kept")
        self.expect(73, at(CLEAN, "--require", "tensor", "-o", self.folder), "cannot be made")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_what_may_not_be_read(self):
        path = os.path.join(self.folder, "closed.txt")
        with open(path, "w", encoding="utf-8"):
            pass
        os.chmod(path, 0)
        self.expect(77, run("--require", "tensor", "--from", path), "may not be read")


class ExitCodes(Case):
    def test_without_acceptance_an_unknown_is_3(self):
        for machine in (BLOCKED, CLEAN, SOCKETS):
            with self.subTest(machine=machine):
                self.expect(3, at(machine, "--require", "tensor"))

    def test_what_is_expected_can_be_accepted(self):
        self.expect(1, at(BLOCKED, "--require", "tensor", "--accept", "expected"))
        self.expect(0, at(CLEAN, "--require", "tensor", "--accept", "expected"))
        self.expect(2, at(SOCKETS, "--require", "tensor", "--accept", "expected"))

    def test_a_no_is_1(self):
        self.expect(1, at(ALONE, "--require", "tensor"))

    def test_the_gravest_counts(self):
        require = ["--accept", "expected", "--require", "layer-split", "--require"]
        self.expect(1, at(BLOCKED, *require, "tensor"))
        self.expect(1, at(SOCKETS, *require, "tensor", "--require", "tensor=9"))
        self.expect(2, at(SOCKETS, *require, "tensor"))
        self.expect(0, at(CLEAN, *require, "tensor"))

    def test_so_many_gpus(self):
        for number, code in ((1, 0), (2, 0), (3, 1)):
            with self.subTest(number=number):
                self.expect(code, at(CLEAN, "--require", "tensor=%d" % number, "--accept", "expected"))
        text = at(CLEAN, "--require", "tensor=3").stdout.decode()
        self.assertIn("no: tensor=3 on 2 GPUs (03:00.0 and 07:00.0)\n  3 GPUs are required and only 2 are there", text)

    def test_fewer_gpus_in_an_excerpt_are_unknown(self):
        text = (SOURCE / "fixtures" / CLEAN).read_text(encoding="utf-8")
        wanted = ("00:01.1", "01:00.0", "02:00.0", "03:00.0")
        blocks = [b for b in text.split("\n\n") if b.startswith(tuple(w for a in wanted for w in (a, "0000:" + a)))]
        done = run("--require", "tensor=2", "--accept", "expected", "--from", "-", input="\n\n".join(blocks).encode())
        self.expect(3, done)
        self.assertIn("may not list every GPU", " ".join(done.stdout.decode().split()))

    def test_without_a_gpu_the_report_is_printed_and_69(self):
        for form in ("text", "json", "junit"):
            with self.subTest(form=form):
                done = at(NO_GPU, "--require", "tensor", "--format", form)
                self.expect(69, done, "no GPU")
                self.assertNotEqual(done.stdout, b"")
        self.document(at(NO_GPU, "--require", "tensor", "--format", "json"))
        error = ElementTree.fromstring(at(NO_GPU, "--require", "tensor", "--format", "junit").stdout).find(".//error")
        self.assertEqual(error.get("type"), "no-gpu")


class Measured(Case):
    """Four cards whose groups work alone and hang when they alternate."""

    def probed(self, *args):
        folder = SOURCE / "fixtures/xeon-w-four-b60"
        return run("--from", str(folder / "lspci-vv.txt"), "--probe-results",
                   str(SOURCE / "fixtures/xeon-w-four-b60-alternating/results.json"), *args)

    def test_what_ran_is_a_yes(self):
        done = self.probed("--require", "tensor=4")
        self.expect(0, done)
        self.assertTrue(done.stdout.startswith(b"yes: tensor=4 on 4 GPUs"), done.stdout)
        self.assertIn(b"Measured on 2026-11-30", b" ".join(done.stdout.split()))

    def test_what_hung_is_4_and_named(self):
        done = self.probed("--require", "tensor", "--require", "expert-dp")
        self.expect(4, done)
        self.assertIn(b"\nhung: expert-dp on 4 GPUs", done.stdout)
        done = self.probed("--require", "tensor", "--require", "expert-dp", "--format", "json")
        requirements = self.document(done)["requirements"]
        self.assertEqual([(r["state"], r["exit_code"]) for r in requirements], [("yes", 0), ("no", 4)])
        suite = ElementTree.fromstring(self.probed("--require", "expert-dp", "--format", "junit").stdout).find("testsuite")
        self.assertEqual((suite.get("failures"), suite.get("errors")), ("0", "1"))
        self.assertEqual(suite.find("testcase/error").get("type"), "hung")

    def test_a_check_that_failed_is_1_and_not_4(self):
        results = json.loads((SOURCE / "fixtures/xeon-w-four-b60-alternating/results.json").read_text("utf-8"))
        hung = [probe for probe in results["probes"] if probe["state"] == "hung"]
        self.assertTrue(hung)
        for probe in hung:
            probe["state"] = "wrong-data"
        path = os.path.join(self.folder, "wrong.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results, file)
        done = at("xeon-w-four-b60/lspci-vv.txt", "--probe-results", path, "--require", "expert-dp")
        self.expect(1, done)
        self.assertTrue(done.stdout.startswith(b"no: expert-dp"), done.stdout)

    def test_what_is_for_amd_is_offered_to_no_one_else(self):
        results = json.loads((SOURCE / "fixtures/vm-two-h200-flat/results.json").read_text("utf-8"))
        for probe in results["probes"]:
            probe["state"] = "failed"
            probe["facts"] = [name for name in probe["facts"] if name.startswith("ccl.allreduce@")]
        for fact in results["facts"]:
            if fact["id"] == "ccl.allreduce":
                fact["value"] = False
        path = os.path.join(self.folder, "failed.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results, file)
        done = at("vm-two-h200-flat/recording-root.json", "--probe-results", path, "--require", "tensor")
        self.expect(1, done)
        self.assertIn(b"NCCL_P2P_DISABLE=1", done.stdout)
        self.assertNotIn(b"RDNA4", done.stdout)

    def test_a_probe_that_hung_is_4_even_where_no_fact_came_of_it(self):
        results = json.loads((SOURCE / "fixtures/xeon-w-four-b60-alternating/results.json").read_text("utf-8"))
        hung = [probe for probe in results["probes"] if probe["state"] == "hung"]
        for fact in results["facts"]:
            if any(probe["facts"] == [fact["id"] + "@" + ",".join(fact["subject"]["of"])] for probe in hung):
                fact.update(status="unknown", value=None, reason="timeout")
        path = os.path.join(self.folder, "open.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results, file)
        for more in ((), ("--accept", "expected")):
            done = at("xeon-w-four-b60/lspci-vv.txt", "--probe-results", path, "--require", "expert-dp", *more)
            self.expect(4, done)
            self.assertIn(b"A probe of it did not come back", done.stdout)

    def test_what_did_not_pass_shows_nothing(self):
        results = json.loads((SOURCE / "fixtures/xeon-w-four-b60-alternating/results.json").read_text("utf-8"))
        path = os.path.join(self.folder, "results.json")
        reduce = [probe for probe in results["probes"] if probe["state"] == "passed" and probe["op"] == "all_reduce"]
        self.assertTrue(reduce)
        for state, words in (("skipped", "establishes nothing"), ("inconclusive", "establishes nothing"),
                             ("hung", "the fact says that it holds"), ("wrong-data", "the fact says that it holds")):
            with self.subTest(state=state):
                for probe in reduce:
                    probe["state"] = state
                    self.assertTrue(probe["facts"])
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(results, file)
                self.expect(65, at("xeon-w-four-b60/lspci-vv.txt", "--probe-results", path, "--require", "tensor"), words)

    def test_results_of_another_host_are_refused(self):
        results = str(SOURCE / "fixtures/xeon-w-four-b60-alternating/results.json")
        self.expect(65, at(CLEAN, "--require", "tensor", "--probe-results", results))
        self.expect(66, at(CLEAN, "--require", "tensor", "--probe-results", self.folder + "/none"))


class Selection(Case):
    def chosen(self, *args):
        return at(SOCKETS, "--require", "tensor", "--accept", "expected", "--format", "json", *args)

    def test_places_ranges_and_addresses(self):
        four = ["0000:23:00.0", "0000:24:00.0", "0000:43:00.0", "0000:44:00.0"]
        for words in ("0-3", "0,1,2,3", "3,2,1,0", "23:00.0,24:00.0,43:00.0,0000:44:00.0", "44:00.0,0-2"):
            with self.subTest(words=words):
                document = self.document(self.chosen("--gpus", words))
                self.assertEqual([s["gpus"] for s in document["sets"]], [four])
                self.assertEqual(document["requirements"][0]["set"], four)

    def test_a_selection_is_all_there_is(self):
        done = at(SOCKETS, "--require", "tensor=3", "--gpus", "0,1")
        self.expect(1, done)
        self.assertIn("3 GPUs are required and only 2 are there", done.stdout.decode())

    def test_one_socket_is_better_than_both(self):
        self.expect(2, self.chosen())
        self.expect(0, self.chosen("--gpus", "0,1"))

    def test_what_cannot_be_read_is_64(self):
        for words, part in (("", "--gpus"), ("0,", "a comma stands alone"), (",", "a comma stands alone"),
                            ("x", "'x' is neither"), ("0-", "'0-' is neither"), ("-1", "'-1' is neither"),
                            ("3-0", "runs backwards"), ("0b:00", "'0b:00' is neither"), ("12345", "'12345' is neither"),
                            ("0 ,1", "'0 ' is neither"), ("0,0", "named twice"), ("0,23:00.0", "named twice"),
                            ("0-2,1", "named twice")):
            with self.subTest(words=words):
                self.expect(64, self.chosen("--gpus=" + words), part)

    def test_what_the_host_does_not_have_is_65(self):
        self.expect(65, self.chosen("--gpus", "8"), "this host has no GPU 8", "0 is 23:00.0")
        self.expect(65, self.chosen("--gpus", "0-9999"), "this host has no GPU 8")
        self.expect(65, self.chosen("--gpus", "99:00.0"), "no GPU at 99:00.0")
        display = "server-with-display-only/lspci-vv.txt"
        self.expect(69, at(display, "--require", "tensor", "--gpus", "0"))


class Parts(Case):
    """Eight cards, one of them behind a port that does not route AtomicOps."""

    def setUp(self):
        super().setUp()
        blocks = (SOURCE / "fixtures" / SOCKETS).read_text(encoding="utf-8").split("\n\n")
        changed = [b.replace("Routing+", "Routing-") if "secondary=24," in b else b for b in blocks]
        self.assertEqual(sum(a != b for a, b in zip(blocks, changed)), 1)
        self.path = os.path.join(self.folder, "host.txt")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("\n\n".join(changed))

    def test_the_part_that_can_is_named_and_how_to_choose_it(self):
        done = run("--require", "tensor", "--from", self.path)
        self.expect(3, done)
        text = " ".join(done.stdout.decode().split())
        self.assertIn("c3:00.0 and c4:00.0 alone should work with limits, which nothing has proven yet; 24:00.0 stands in "
                      "the way. To judge these alone: --gpus 0,2,3,4,5,6,7", text)

    def test_the_part_is_enough_where_it_is_large_enough(self):
        for words, code in ((["tensor"], 1), (["tensor=8"], 1), (["tensor=7"], 2), (["tensor=7", "--engine", "vllm"], 2)):
            with self.subTest(words=words):
                self.expect(code, run("--from", self.path, "--accept", "expected", "--require", *words))
        document = self.document(run("--from", self.path, "--require", "tensor=7", "--format", "json"))
        requirement = document["requirements"][0]
        self.assertEqual((len(requirement["set"]), requirement["expected"]), (7, "degraded"))
        self.assertTrue(requirement["why"].startswith("7 of the 8 GPUs are enough, without 24:00.0: "))
        text = run("--from", self.path, "--require", "tensor=7", "--engine", "vllm").stdout.decode()
        self.assertIn("--tensor-parallel-size 7", text)


class Engines(Case):
    def test_an_engine_is_judged(self):
        document = self.document(at(CLEAN, "--require", "tensor", "--engine", "vllm", "--format", "json"))
        self.assertEqual(document["requirements"][0]["engine"], "vllm")
        ways = [way for way in document["engines"] if way["engine"] == "vllm" and way["mode"] == "tensor"]
        self.assertIn(document["requirements"][0]["why"], [way["why"] for way in ways])
        text = at(CLEAN, "--require", "tensor", "--engine", "vllm").stdout.decode()
        self.assertIn("How to start it: ", text)
        self.assertIn("--tensor-parallel-size 2", text)

    def test_an_engine_without_a_way_is_a_no(self):
        done = at(CLEAN, "--require", "fsdp", "--engine", "vllm")
        self.expect(1, done)
        self.assertIn("No way is known in which vLLM does fsdp", done.stdout.decode())

    def test_engines_are_completed(self):
        done = at(CLEAN, "--require", "tensor", "--engine", "none")
        self.expect(64, done, "there are: vllm, sglang, llama-cpp, pytorch")


class Formats(Case):
    def test_quiet_is_one_line(self):
        done = at(CLEAN, "--require", "tensor", "--require", "ddp", "--accept", "expected", "--quiet")
        self.expect(0, done)
        self.assertEqual(done.stdout.count(b"\n"), 1)
        self.assertTrue(done.stdout.startswith(b"expected, unproven: tensor on 2 GPUs (03:00.0 and 07:00.0): "))

    def test_json(self):
        done = at(BLOCKED, "--require", "tensor=2", "--accept", "expected", "--format", "json")
        entry = self.document(done)["requirements"][0]
        why = entry.pop("why")
        self.assertTrue(why.startswith("PCIe atomics from 0b:00.0 cannot reach the CPU"), why)
        self.assertEqual(entry, {"mode": "tensor", "engine": None, "at_least": 2,
                                 "set": ["0000:03:00.0", "0000:0b:00.0"], "state": "unknown", "expected": "no",
                                 "accepted": True, "exit_code": 1})

    def test_junit(self):
        done = at(BLOCKED, "--require", "tensor", "--require", "layer-split", "--accept", "expected", "--format", "junit")
        self.expect(1, done)
        suite = ElementTree.fromstring(done.stdout).find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("2", "1", "0"))
        failed, passed = suite.findall("testcase")
        self.assertEqual((failed.get("name"), failed.get("classname")), ("tensor", "03:00.0 and 0b:00.0"))
        self.assertEqual(failed.find("failure").get("type"), "no")
        self.assertIn("What would change it: Move 0b:00.0 to a slot", failed.find("failure").text)
        self.assertIsNone(passed.find("failure"))
        self.assertTrue(passed.find("system-out").text.startswith("expected, unproven\n"))
        unknown = ElementTree.fromstring(at(CLEAN, "--require", "tensor", "--format", "junit").stdout)
        self.assertEqual(unknown.find(".//failure").get("type"), "unknown")
        self.assertIsNone(unknown.find(".//skipped"))

    def test_text(self):
        done = at(BLOCKED, "--require", "tensor")
        text = done.stdout.decode()
        self.assertTrue(text.startswith("unknown, expected no: tensor on 2 GPUs (03:00.0 and 0b:00.0)\n"), text)
        self.assertLess(text.index("What would change it"), text.index("What would prove it"))
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertNotIn("\x1b", text)
        self.assertIn("\x1b[33munknown", at(BLOCKED, "--require", "tensor", "--color", "always").stdout.decode())
        self.assertIn("decided by atomics.", at(BLOCKED, "--require", "tensor", "--verbose").stdout.decode())

    def test_a_file_is_made(self):
        path = os.path.join(self.folder, "verdict.txt")
        done = at(CLEAN, "--require", "tensor", "-o", path)
        self.expect(3, done)
        self.assertEqual(done.stdout, b"")
        with open(path, encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("unknown, expected yes: tensor"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
