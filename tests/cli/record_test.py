#!/usr/bin/env python3
"""What `gpucoop record` promises: the file, the replay, the wrong files. record_test.py SOURCE_DIR GPUCOOP."""
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

SOURCE, GPUCOOP = pathlib.Path(sys.argv[1]).resolve(), os.path.abspath(sys.argv[2])
FIXTURES = SOURCE / "fixtures"
sys.path.insert(0, str(SOURCE / "tests/support"))
sys.path.insert(0, str(SOURCE / "tests/schema"))
sys.dont_write_bytecode = True

import probe_results  # noqa: E402
import replay  # noqa: E402
import sysfs_tree  # noqa: E402
import terminal  # noqa: E402
import validate  # noqa: E402

SCHEMA = json.loads((SOURCE / "src/read/recording/recording.schema.json").read_text(encoding="utf-8"))
HOST = FIXTURES / "asus-tuf-b650e-dual-r9700"


def run(*args, command=None, **more):
    return subprocess.run([*(command or [GPUCOOP]), *map(str, args)], capture_output=True, text=True, timeout=120,
                          check=False, **more)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "host.json"

    def expect(self, code, done, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def record(self, *args, code=0, **more):
        done = run("record", "-o", self.out, *args, **more)
        self.expect(code, done)
        return done

    def check_schema(self, document):
        if validate.jsonschema is None:
            return
        found = ["%s: %s" % ("/".join(map(str, e.absolute_path)), e.message[:200])
                 for e in validate.jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)]
        self.assertEqual(found, [])


class File(Case):
    def test_it_is_made_whole_and_readable(self):
        done = self.record("--from", HOST / "lspci-vv.txt")
        self.assertEqual(done.stdout, "")
        self.assertIn("PCI devices", done.stderr)
        for line in done.stderr.replace(str(self.out), "host.json").splitlines():
            self.assertLessEqual(len(line), 80, line)
        self.assertEqual(os.listdir(self.folder), ["host.json"])
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(stat.S_IMODE(self.out.stat().st_mode), 0o644 & ~mask)
        document = json.loads(self.out.read_text(encoding="ascii"))
        self.assertEqual(document["schema"], "gpucoop.recording/1")
        self.assertEqual(document["sources"], ["lspci-text"])
        self.check_schema(document)

    def test_umask_is_respected(self):
        self.record("--from", HOST / "lspci-vv.txt", "-q", preexec_fn=lambda: os.umask(0o077))
        self.assertEqual(stat.S_IMODE(self.out.stat().st_mode), 0o600)

    def test_quiet_says_nothing(self):
        self.assertEqual(self.record("--from", HOST / "lspci-vv.txt", "--quiet").stderr, "")

    def test_standard_output(self):
        done = run("record", "--from", HOST / "lspci-vv.txt", "-o", "-")
        self.expect(0, done)
        self.assertEqual(json.loads(done.stdout)["schema"], "gpucoop.recording/1")

    def test_misuse_is_64(self):
        for args in (["record"], ["record", "--from", "x"], ["record", "-o"], ["record", "-o", "x", "--format", "json"]):
            with self.subTest(args=args):
                self.expect(64, run(*args, cwd=self.folder))
        self.assertEqual(os.listdir(self.folder), [])

    def test_an_existing_file_is_kept(self):
        self.out.write_text("precious", encoding="ascii")
        self.expect(73, run("record", "-o", self.out, "--from", HOST / "lspci-vv.txt"), "exists and is kept", str(self.out))
        self.assertEqual(self.out.read_text(encoding="ascii"), "precious")
        self.record("--from", HOST / "lspci-vv.txt", "--overwrite")
        self.assertIn("gpucoop.recording/1", self.out.read_text(encoding="ascii"))

    def test_a_file_that_comes_meanwhile_is_kept(self):
        fifo = self.folder / "input"
        os.mkfifo(fifo)
        process = subprocess.Popen([GPUCOOP, "record", "--from", str(fifo), "-o", str(self.out)], stderr=subprocess.PIPE)
        with open(fifo, "wb") as writer:  # opened for reading by now: the output has been prepared
            self.assertEqual(sorted(n[:9] for n in os.listdir(self.folder)), [".gpucoop-", "input"])
            self.out.write_text("precious", encoding="ascii")
            writer.write((HOST / "lspci-vv.txt").read_bytes())
        self.assertIn(b"exists and is kept", process.communicate(timeout=60)[1])
        self.assertEqual(process.returncode, 73)
        self.assertEqual(self.out.read_text(encoding="ascii"), "precious")
        self.assertEqual(sorted(os.listdir(self.folder)), ["host.json", "input"])

    def test_an_interrupted_run_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                fifo = self.folder / "input"
                os.mkfifo(fifo)
                process = subprocess.Popen([GPUCOOP, "record", "--from", str(fifo), "-o", str(self.out)],
                                           stderr=subprocess.DEVNULL)
                with open(fifo, "wb"):
                    self.assertEqual(len(os.listdir(self.folder)), 2)
                    process.send_signal(number)
                    process.wait(timeout=60)
                self.assertEqual(process.returncode, -number)
                self.assertEqual(os.listdir(self.folder), ["input"])
                fifo.unlink()

    def test_what_fails_leaves_nothing(self):
        self.expect(66, run("record", "-o", self.out, "--from", self.folder / "none"))
        self.expect(65, run("record", "-o", self.out, "--from", os.devnull))
        self.assertEqual(os.listdir(self.folder), [])
        self.expect(73, run("record", "-o", self.folder / "no/such/folder", "--from", self.folder / "none"), "cannot be made")
        self.expect(73, run("record", "-o", self.folder, "--from", self.folder / "none"), "cannot be made")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_may_not_be_written(self):
        self.folder.chmod(0o500)
        self.expect(73, run("record", "-o", self.out, "--from", HOST / "lspci-vv.txt"), "cannot be made", str(self.out))
        self.folder.chmod(0o700)

    @unittest.skipIf(os.geteuid() != 0, "only root may give files away")
    def test_a_link_that_another_has_put_there_is_not_followed(self):
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        victim = self.folder / "victim"
        victim.write_text("precious", encoding="ascii")
        os.symlink(victim, shared / "host.json")
        os.lchown(shared / "host.json", 65534, 65534)
        done = run("record", "-o", shared / "host.json", "--overwrite", "--from", HOST / "lspci-vv.txt")
        self.expect(73, done, "cannot be made")
        self.assertEqual(victim.read_text(encoding="ascii"), "precious")

    def test_a_link_to_nothing_is_kept(self):
        os.symlink("nowhere", self.out)
        self.expect(73, run("record", "-o", self.out, "--from", HOST / "lspci-vv.txt"), "exists and is kept")
        self.assertFalse((self.folder / "nowhere").exists())

    def test_this_host(self):
        done = self.record()
        document = json.loads(self.out.read_text(encoding="ascii"))
        self.check_schema(document)
        self.assertIn("live", document["sources"])
        self.assertIs(document["direct"], True)
        self.assertRegex(document["taken_at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertIn("no serial numbers", done.stderr)

    def test_a_host_without_a_list_of_devices_is_69_and_is_written(self):
        (self.folder / "root/sys/devices").mkdir(parents=True)
        self.record("--sysroot", self.folder / "root", code=69)
        self.check_schema(json.loads(self.out.read_text(encoding="ascii")))


class ProbeResults(Case):
    """Results of probes that are put into a recording."""

    def setUp(self):
        super().setUp()
        self.dump = HOST / "lspci-vv.txt"
        self.report = json.loads(run("topo", "--format", "json", "--from", self.dump).stdout)
        self.gpus = [gpu["address"] for gpu in self.report["gpus"]]
        self.file = self.folder / "probe.json"
        self.write(probe_results.all_good(self.report))

    def write(self, document):
        self.file.write_text(json.dumps(document), encoding="utf-8")

    def verdicts(self, report):
        return [(m["id"], m["set"], m["state"], m["expected"], m["why"]) for m in report["modes"]] + \
               [(e["engine"], e["mode"], e["set"], e["state"], e["expected"]) for e in report["engines"]]

    def judged(self, *args):
        done = run("topo", "--format", "json", *args)
        self.expect(0, done)
        return json.loads(done.stdout)

    def test_they_are_in_it_and_decide(self):
        done = self.record("--from", self.dump, "--probe-results", self.file)
        self.assertIn("Of the probes of 2026-11-30: 2 runs, ", done.stderr)
        document = json.loads(self.out.read_text(encoding="ascii"))
        self.check_schema(document)
        self.assertEqual(document["measured"]["fingerprint"], self.report["host"]["fingerprint"])
        replayed = self.judged("--from", self.out)
        self.assertEqual({m["id"]: m["state"] for m in self.report["modes"]}["tensor"], "unknown")
        self.assertIn({m["id"]: m["state"] for m in replayed["modes"]}["tensor"], ("yes", "degraded"))
        self.assertEqual(replayed["measured_at"], "2026-11-30T06:44:55Z")
        self.assertEqual([(p["rung"], p["op"], p["state"]) for p in replayed["probes"]],
                         [("collective", "all_reduce", "passed"), ("p2p.write", None, "passed")])
        self.assertEqual(replayed["probes"][0]["library"], {"name": "librccl.so.1", "version": "2.22.3"})
        pair = replayed["pairs"][0]["p2p"]["a_to_b"]
        self.assertEqual(pair, {"access": True, "write": True, "read": True, "handshake": True, "ipc": True})
        reduce = next(fact for fact in replayed["facts"] if fact["id"] == "ccl.allreduce")
        self.assertEqual(reduce["evidence"], "measured on 2026-11-30 by collective (librccl.so.1 2.22.3)")
        text = " ".join(run("topo", "--from", self.out).stdout.split())
        self.assertIn("Measured on 2026-11-30: all_reduce with librccl.so.1 2.22.3 passed; p2p.write passed.", text)
        self.assertNotIn("Nothing was measured", text)

    def test_a_recording_of_a_recording_keeps_them(self):
        self.record("--from", self.dump, "--probe-results", self.file)
        once = self.judged("--from", self.out)
        again = self.folder / "again.json"
        self.expect(0, run("record", "-q", "-o", again, "--from", self.out))
        documents = [json.loads(file.read_text(encoding="ascii")) for file in (self.out, again)]
        self.assertEqual([document.pop("sources") for document in documents], [["lspci-text"], ["recording"]])
        self.assertEqual(documents[0], documents[1])
        # As results for another recording of the same host, they say the same.
        plain = self.folder / "plain.json"
        self.expect(0, run("record", "-q", "-o", plain, "--from", self.dump))
        third = self.folder / "third.json"
        self.expect(0, run("record", "-q", "-o", third, "--from", plain, "--probe-results", self.out))
        self.assertEqual(self.verdicts(self.judged("--from", third)), self.verdicts(once))
        # So does the report that was made with them.
        report = self.folder / "report.json"
        report.write_text(json.dumps(once), encoding="utf-8")
        self.expect(0, run("record", "-q", "-o", third, "--overwrite", "--from", plain, "--probe-results", report))
        self.assertEqual(self.verdicts(self.judged("--from", third)), self.verdicts(once))

    def test_newer_results_replace_those_of_the_recording(self):
        self.record("--from", self.dump, "--probe-results", self.file)
        self.write(probe_results.results(self.report, [probe_results.fact("ccl.allreduce", "set", self.gpus, False)],
                                         day="2026-12-24T00:00:00Z"))
        third = self.folder / "third.json"
        self.expect(0, run("record", "-q", "-o", third, "--from", self.out, "--probe-results", self.file))
        report = self.judged("--from", third)
        self.assertEqual({m["id"]: m["state"] for m in report["modes"]}["tensor"], "no")
        self.assertEqual((report["measured_at"], report["probes"]), ("2026-12-24T00:00:00Z", []))
        self.assertIn("probe-results.replaced", [w["code"] for w in report["warnings"]])

    def test_results_of_another_host_are_refused(self):
        self.expect(65, run("record", "-o", self.out, "--from", FIXTURES / "asus-proart-b850-dual-r9700/lspci-vv.txt",
                            "--probe-results", self.file), "of another host", self.report["host"]["fingerprint"], str(self.file))
        self.record("--from", self.dump, "--probe-results", self.file)
        document = json.loads(self.out.read_text(encoding="ascii"))
        document["measured"]["fingerprint"] = "0123456789abcdef"
        self.out.write_text(json.dumps(document), encoding="ascii")
        self.expect(65, run("topo", "--from", self.out), "of another host", "0123456789abcdef", str(self.out))

    def test_wrong_results_are_refused_and_leave_no_file(self):
        good = probe_results.all_good(self.report)
        wrong = [(["simulated"], True, "simulated"), (["probes", 0, "gpus"], ["host:0", "host:1"], "simulated"),
                 (["probes", 0, "gpus", 0], "0000:ff:1f.7", "no GPU of this host"), (["probes", 0, "gpus", 0], "gpu", "PCI address"),
                 (["facts"], ..., "`facts` is missing"), (["host", "fingerprint"], None, "fingerprint"), (["schema"], "x", "no report")]
        for path, value, words in wrong:
            with self.subTest(path=path, value=value):
                self.write(validate.changed(good, path, value))
                self.expect(65, run("record", "-o", self.out, "--from", self.dump, "--probe-results", self.file), words,
                            str(self.file))
        self.write(probe_results.results(self.report, []))
        self.expect(65, run("record", "-o", self.out, "--from", self.dump, "--probe-results", self.file), "no results")
        self.expect(66, run("record", "-o", self.out, "--from", self.dump, "--probe-results", self.folder / "none"))
        self.assertEqual(os.listdir(self.folder), ["probe.json"])

    def test_results_that_contradict_themselves_are_refused(self):
        fact = probe_results.fact
        self.write(probe_results.results(self.report, [fact("ccl.allreduce", "set", self.gpus, True),
                                                       fact("ccl.allreduce", "set", self.gpus[::-1], False)]))
        self.expect(65, run("record", "-o", self.out, "--from", self.dump, "--probe-results", self.file), "both true and false")
        self.assertFalse(self.out.exists())
        # Not even a recording that says so, which gpucoop would not have written.
        self.write(probe_results.all_good(self.report))
        self.record("--from", self.dump, "--probe-results", self.file)
        document = json.loads(self.out.read_text(encoding="ascii"))
        document["measured"]["runs"][0]["state"] = "skipped"
        self.out.write_text(json.dumps(document), encoding="ascii")
        self.expect(65, run("topo", "--from", self.out), "establishes nothing", str(self.out))

    def test_facts_of_a_newer_version_are_a_warning(self):
        good = probe_results.all_good(self.report)
        good["facts"].append(probe_results.fact("ccl.telepathy", "set", self.gpus, True))
        self.write(good)
        self.record("--from", self.dump, "--probe-results", self.file)
        self.assertIn("probe-results.unknown-fact", [w["code"] for w in self.judged("--from", self.out)["warnings"]])
        self.assertIn("1 fact of the results of probes is not known",
                      run("verdict", "--require", "tensor", "--from", self.out).stdout.replace("\n  ", " "))


def without_places(value):
    """A report without where in the input something stood, which only the input has."""
    if isinstance(value, dict):
        return {key: without_places(inside) for key, inside in value.items() if key != "where"}
    if isinstance(value, list):
        return [without_places(inside) for inside in value]
    return re.sub(r" \([^()]*:\d+\)", "", value) if isinstance(value, str) else value


class Replay(Case):
    def report(self, code, *args, env=None):
        done = run("topo", "--format", "json", *args, env=dict(os.environ, **(env or {})))
        self.assertIn(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def compare(self, before, after):
        self.assertEqual(replay.differences_between(replay.kept(before), replay.kept(after)), [])

    def check(self, *args, code=(0, 69), places=True, before_args=()):
        fixed = {"SOURCE_DATE_EPOCH": "1000000000"}
        before = self.report(code, *args, *before_args, env=fixed)
        done = run("record", "-o", self.out, "--overwrite", "-q", *args, env=dict(os.environ, **fixed))
        self.assertIn(done.returncode, (0, 69), done.stderr)
        self.check_schema(json.loads(self.out.read_text(encoding="ascii")))
        after = self.report(code, "--from", self.out)
        self.assertEqual(after["sources"], [{"file": str(self.out), "kind": "recording"}])
        self.assertIs(after["host"]["live"], False)
        if not places:
            before, after = without_places(before), without_places(after)
        self.compare(before, after)
        # A recording of the recording is the recording.
        again = self.folder / "again.json"
        done = run("record", "-o", again, "--overwrite", "-q", "--from", self.out)
        a, b = (json.loads(f.read_text(encoding="ascii")) for f in (self.out, again))
        self.assertEqual(b.pop("sources"), ["recording"])
        a.pop("sources")
        self.assertEqual(a, b)
        return before, after

    def test_every_dump(self):
        files = sorted(f for f in FIXTURES.glob("*/*") if f.suffix in (".txt", ".xml", ".log", ".md", ".bin")
                       or f.name.startswith("recording"))
        count = 0
        for file in files:
            if file.name == "about.md" or run("topo", "--from", file, "--format", "json").returncode == 65:
                continue
            with self.subTest(file=str(file.relative_to(FIXTURES))):
                self.check("--from", file, places=False)
                count += 1
        self.assertGreater(count, 40)

    def test_dumps_that_belong_together(self):
        self.check("--from", HOST / "lspci-vv.txt", "--from", HOST / "lspci-xxxx.txt", places=False)
        proart = FIXTURES / "asus-proart-b850-dual-r9700"
        self.check("--from", proart / "lspci-vv.txt", "--from", proart / "kernel.log", places=False)

    def test_every_tree(self):
        count = 0
        for truth_file in sorted(FIXTURES.glob("*/truth*.json")):
            truth = json.loads(truth_file.read_text(encoding="utf-8"))
            if "sysroot" not in truth or truth["sysroot"].startswith("made:"):
                continue
            with self.subTest(case=str(truth_file.relative_to(FIXTURES))), tempfile.TemporaryDirectory() as root:
                sysfs_tree.of_case(truth_file, truth).unpack(root, truth["view"])
                try:
                    before, after = self.check("--sysroot", root)
                    self.assertEqual(before["taken_at"], "2001-09-09T01:46:40Z")
                    self.assertEqual(after["taken_at"], "2001-09-09T01:46:40Z")
                finally:
                    sysfs_tree.removable(root)
                count += 1
        self.assertGreater(count, 3)

    def test_this_host(self):
        self.check(code=(0, 69))

    def test_a_recording_and_a_log_of_the_host(self):
        proart = FIXTURES / "asus-proart-b850-dual-r9700"
        self.record("--from", proart / "lspci-vv.txt")
        report = self.report((0,), "--from", self.out, "--from", proart / "kernel.log")
        self.assertEqual([s["kind"] for s in report["sources"]], ["recording", "kernel-log"])
        self.assertTrue(report["log"])

    def test_a_disagreement_is_kept_without_its_places(self):
        text = (HOST / "lspci-vv.txt").read_text(encoding="utf-8")
        before, section, after = text.partition("06:09.0 ")
        other = self.folder / "other.txt"
        other.write_text(before + section + after.replace("Width x1,", "Width x2,", 1).replace("Width x1", "Width x2", 1),
                         encoding="utf-8")
        args = ("--from", HOST / "lspci-xxxx.txt", "--from", other)
        live = [w["text"] for w in self.report((0,), *args)["warnings"] if w["code"] == "input.disagreement"]
        self.record(*args)
        texts = [w["text"] for w in self.report((0,), "--from", self.out)["warnings"] if w["code"] == "input.disagreement"]
        self.assertEqual(len(texts), len(live))
        self.assertTrue(any("is x1 in one source and x2 in another; the first is used." in text for text in texts), texts)
        both = [w["text"] for w in self.report((0,), "--from", self.out, "--from", other)["warnings"]]
        self.assertTrue(any("x1 in %s and x2 in %s:" % (self.out, other) in text for text in both), both)

    def test_explain_reads_it(self):
        self.record("--from", HOST / "lspci-vv.txt")
        done = run("explain", "atomics.path", "--from", self.out)
        self.expect(0, done)
        self.assertIn("0b:00.0", done.stdout)

    def test_standard_input_and_a_byte_order_mark(self):
        self.record("--from", HOST / "lspci-vv.txt")
        done = run("topo", "--from", "-", "--quiet", input="\ufeff" + self.out.read_text(encoding="ascii"))
        self.expect(0, done)
        self.assertIn("2 AMD GPUs", done.stdout)

    def test_two_hosts_are_told_apart(self):
        self.record("--from", HOST / "lspci-vv.txt")
        other = self.folder / "other.json"
        self.expect(0, run("record", "-o", other, "--from", FIXTURES / "x570-dual-rtx3090-idle/lspci-vv.txt"))
        self.expect(65, run("topo", "--from", self.out, "--from", other), "--dump")
        done = run("topo", "--from", self.out, "--from", other, "--dump", "2", "--quiet")
        self.assertIn("NVIDIA", done.stdout)


class Wrong(Case):
    def test_wrong_files_are_65_with_a_place(self):
        for text, where in (("{", "host.json:1"), ('{"schema": "gpucoop.recording/1",\n"devices": [}', "host.json:2"),
                            ("{}", "host.json"), ('{"schema":"gpucoop.recording/2"}', "host.json: /schema"),
                            ('{"schema":"gpucoop.recording/1","devices":[{"address":"x"}]}', "host.json: /devices/0/address")):
            with self.subTest(text=text):
                self.out.write_text(text, encoding="ascii")
                self.expect(65, run("topo", "--from", self.out), where, "next: ")

    def test_what_cannot_be_is_a_warning(self):
        self.record("--from", HOST / "lspci-vv.txt")
        document = json.loads(self.out.read_text(encoding="ascii"))
        document["devices"][0]["class_code"] = "zz"
        document["colour"] = "red"
        self.out.write_text(json.dumps(document), encoding="ascii")
        done = run("topo", "--from", self.out, "--format", "json")
        self.expect(0, done)
        codes = {warning["code"] for warning in json.loads(done.stdout)["warnings"]}
        self.assertLessEqual({"recording.damaged", "recording.unknown-key"}, codes)


class Hint(Case):
    def on_terminal(self, *args):
        return terminal.output_of([GPUCOOP, *args]).decode()

    def test_only_the_running_host_on_a_terminal(self):
        self.assertIn("gpucoop record -o host.json", self.on_terminal("topo").splitlines()[-1])
        self.assertNotIn("gpucoop record", self.on_terminal("topo", "--quiet"))
        self.assertNotIn("gpucoop record", self.on_terminal("topo", "--format", "json"))
        self.assertNotIn("gpucoop record", self.on_terminal("topo", "--from", str(HOST / "lspci-vv.txt")))
        self.assertNotIn("gpucoop record", run("topo").stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
