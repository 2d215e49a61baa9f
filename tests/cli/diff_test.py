#!/usr/bin/env python3
"""What `gpucoop diff` promises: exit codes, text, JSON, its inputs. diff_test.py SOURCE_DIR GPUCOOP."""
import json
import os
import pathlib
import re
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
import validate  # noqa: E402

SCHEMA = json.loads((SOURCE / "src/render/diff.schema.json").read_text(encoding="utf-8"))
CHIPSET = FIXTURES / "asus-tuf-b650e-dual-r9700/lspci-vv.txt"
PROCESSOR = FIXTURES / "asus-proart-b850-dual-r9700/lspci-vv.txt"


def run(*args, **more):
    return subprocess.run([GPUCOOP, *map(str, args)], capture_output=True, text=True, timeout=120, check=False, **more)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def expect(self, code, done, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def diff(self, code, *args, **more):
        done = run("diff", *args, **more)
        self.expect(code, done)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def words(self, code, *args, **more):
        """The text without its line breaks."""
        return " ".join(self.diff(code, *args, **more).split())

    def json(self, code, *args):
        document = json.loads(self.diff(code, "--format", "json", *args))
        if validate.jsonschema is not None:
            found = ["%s: %s" % ("/".join(map(str, e.absolute_path)), e.message[:200])
                     for e in validate.jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)]
            self.assertEqual(found, [])
        self.assertEqual(document["changed"], code == 1)
        return document

    def make(self, name, *args):
        file = self.folder / name
        done = run(*args, "-o", file)
        self.expect(0, done)
        return file


class Boards(Case):
    """The card behind the chipset gets a slot of the processor."""

    def test_text(self):
        text = self.diff(1, CHIPSET, PROCESSOR)
        for line in text.replace(str(FIXTURES), "").splitlines():
            self.assertLessEqual(len(line), 80, line)
        words = " ".join(text.split())
        self.assertIn("tensor: expected no → expected yes", words)
        self.assertIn("card 0 (03:00.0): link 16 GT/s x16 → 32 GT/s x8", words)
        self.assertIn("card 1 (07:00.0, before 0b:00.0): 1.97 → 31.5 GB/s; the chipset left its way; AtomicOps now reach the "
                      "CPU;", words)
        self.assertLess(words.index("tensor:"), words.index("card 1"))

    def test_json(self):
        document = self.json(1, CHIPSET, PROCESSOR)
        tensor = next(mode for mode in document["modes"] if mode["id"] == "tensor")
        self.assertEqual((tensor["before"]["state"], tensor["before"]["expected"]), ("unknown", "no"))
        self.assertEqual((tensor["after"]["state"], tensor["after"]["expected"]), ("unknown", "yes"))
        first, card = document["gpus"]
        self.assertEqual((first["change"], first["before"], first["after"]), ("changed", "0000:03:00.0", "0000:03:00.0"))
        self.assertEqual((card["change"], card["before"], card["after"]), ("moved", "0000:0b:00.0", "0000:07:00.0"))
        self.assertTrue(card["left"] and all(bridge["chipset"] for bridge in card["left"]))
        self.assertIn("0000:06:09.0", [bridge["address"] for bridge in card["left"] if bridge["blocks_atomics"]])
        self.assertEqual(card["joined"], [])
        changes = {change["what"]: change for change in card["changes"]}
        self.assertEqual((changes["link.rate"]["before"], changes["link.rate"]["after"]), (1.969, 31.508))
        self.assertEqual(changes["atomics.state"], {"what": "atomics.state", "kind": "changed", "before": False, "after": True})

    def test_verbose_says_why(self):
        verbose = self.diff(1, "-v", CHIPSET, PROCESSOR)
        self.assertGreater(len(verbose), len(self.diff(1, CHIPSET, PROCESSOR)))
        self.assertIn("link.rate: 1.96923 → 31.5077", verbose)

    def test_every_kind_of_input_says_the_same(self):
        recording = self.make("host.json", "record", "-q", "--from", CHIPSET)
        report = self.make("report.json", "topo", "--format", "json", "--from", CHIPSET)
        for one in (CHIPSET, recording, report):
            for other in (CHIPSET, recording, report):
                with self.subTest(one=one.name, other=other.name):
                    self.assertIn("nothing differs", self.words(0, one, other))
                    self.assertEqual(self.json(0, "-v", one, other)["facts"], [])
            self.assertIn("tensor: expected no → expected yes", self.words(1, one, PROCESSOR))

    def test_exit_status_alone(self):
        self.assertEqual(self.diff(1, "--quiet", CHIPSET, PROCESSOR), "")
        self.assertEqual(self.diff(0, "-q", CHIPSET, CHIPSET), "")

    def test_standard_input(self):
        self.assertIn("standard input", self.diff(1, "-", PROCESSOR, input=CHIPSET.read_text(encoding="utf-8")))

    def test_output_file(self):
        file = self.folder / "changes"
        self.assertEqual(self.diff(1, CHIPSET, PROCESSOR, "-o", file), "")
        self.assertIn("Hardware", file.read_text(encoding="utf-8"))
        self.expect(73, run("diff", CHIPSET, PROCESSOR, "-o", file), "exists and is kept")
        self.diff(0, CHIPSET, CHIPSET, "-o", file, "--overwrite")
        self.assertIn("nothing differs", " ".join(file.read_text(encoding="utf-8").split()))

    def test_colour(self):
        self.assertIn("\x1b[", self.diff(1, "--color", "always", CHIPSET, PROCESSOR))
        self.assertNotIn("\x1b[", self.diff(1, CHIPSET, PROCESSOR))


class Readings(Case):
    def test_root_knows_more_and_nothing_has_changed(self):
        host = FIXTURES / "asus-tuf-b650e-dual-r9700/lspci-vv.txt"
        lines = [line for line in host.read_text(encoding="utf-8").splitlines() if not line.startswith("\t\t")]
        lines = ["\tCapabilities: <access denied>" if line.startswith("\tCapabilities:") else line for line in lines]
        kept = [line for i, line in enumerate(lines) if i == 0 or line != lines[i - 1]]
        nobody = self.folder / "nobody.txt"
        nobody.write_text("\n".join(kept) + "\n", encoding="utf-8")
        text = self.diff(1, nobody, host)
        self.assertIn("now known: link 31.5 GB/s", " ".join(text.split()))
        self.assertNotIn("Hardware", text)
        document = self.json(1, nobody, host)
        self.assertTrue(document["gpus"])
        for gpu in document["gpus"]:
            self.assertEqual((gpu["change"], gpu["left"], gpu["joined"]), ("known", [], []))

    def test_results_of_a_probe(self):
        report = json.loads(run("topo", "--format", "json", "--from", PROCESSOR).stdout)
        results = self.folder / "probe.json"
        results.write_text(json.dumps(probe_results.all_good(report)), encoding="utf-8")
        before = self.make("before.json", "record", "-q", "--from", PROCESSOR)
        after = self.make("after.json", "record", "-q", "--from", PROCESSOR, "--probe-results", results)
        text = self.diff(1, before, after)
        self.assertIn("tensor: expected yes → yes", text)
        self.assertIn("ccl.allreduce now known: true", text)
        self.assertNotIn("Hardware", text)
        # And the other way round, of all that had been measured.
        back = self.diff(1, after, before)
        self.assertIn("tensor: yes → expected yes", back)
        self.assertEqual(sorted(re.findall(r"(\S+) now known: ", text)), sorted(re.findall(r"(\S+) no longer known, was ", back)))

    def test_a_card_less(self):
        one = FIXTURES / "vm-one-h200-flat/recording-root.json"
        two = FIXTURES / "vm-two-h200-flat/recording-root.json"
        self.assertIn("is gone", self.diff(1, two, one))
        self.assertIn("is new", self.diff(1, one, two))
        added = [gpu for gpu in self.json(1, one, two)["gpus"] if gpu["change"] == "added"]
        self.assertEqual([gpu["before"] for gpu in added], [None])

    def test_every_fixture_differs_from_itself_in_nothing(self):
        files = sorted(f for f in FIXTURES.glob("*/lspci-vv.txt"))
        self.assertGreater(len(files), 15)
        for file in files:
            done = run("topo", "--format", "json", "--from", file)
            if done.returncode != 0:
                continue
            with self.subTest(file.parent.name):
                report = self.folder / "report.json"
                report.write_text(done.stdout, encoding="utf-8")
                self.assertEqual(self.json(0, "-v", report, file)["gpus"], [])


class Errors(Case):
    def test_misuse_is_64(self):
        for args in ([], [CHIPSET], [CHIPSET, PROCESSOR, CHIPSET], ["-", "-"], ["-q", "-v", CHIPSET, PROCESSOR],
                     ["-q", "--format", "json", CHIPSET, PROCESSOR], ["-q", "-o", self.folder / "x", CHIPSET, PROCESSOR],
                     ["--format", "xml", CHIPSET, PROCESSOR], ["--from", CHIPSET, PROCESSOR]):
            with self.subTest(args=args):
                self.expect(64, run("diff", *args))
        self.assertEqual(os.listdir(self.folder), [])

    def test_wrong_files(self):
        self.expect(66, run("diff", self.folder / "none", PROCESSOR), "no such file")
        self.expect(65, run("diff", CHIPSET, os.devnull), "empty")
        report = json.loads(run("topo", "--format", "json", "--from", PROCESSOR).stdout)
        file = self.folder / "report.json"
        for path, value, words in ((["gpus", 0, "address"], "gpu0", "/gpus/0/address"), (["schema"], "gpucoop.report/2", "newer"),
                                   (["modes", 0, "state"], "fine", "/modes/0/state"), (["gpus"], ..., "`gpus` is missing"),
                                   (["gpus", 0, "link", "width"], 3, "/gpus/0/link/width"),
                                   (["gpus", 1, "link", "gbytes_per_s"], 1e300, "/gpus/1/link/gbytes_per_s"),
                                   (["pairs", 0, "path"], "rope", "/pairs/0/path"), (["facts", 3, "tier"], 1, "/facts/3/tier")):
            with self.subTest(path=path):
                file.write_text(json.dumps(validate.changed(report, path, value)), encoding="utf-8")
                self.expect(65, run("diff", CHIPSET, file), str(file), words)
        facts = [fact for fact in report["facts"] if fact["id"] == "atomics.path"]
        for path, value, words in ((["gpus"], report["gpus"] * 2, "/gpus/2: is the second GPU of 0000:03:00.0"),
                                   (["facts"], report["facts"] + [dict(facts[0], value=False)], "the second entry of atomics.path@"),
                                   (["modes"], report["modes"] + [dict(report["modes"][0], state="yes")], "the second verdict of"),
                                   (["engines"], report["engines"] * 2, "the second verdict of"),
                                   (["pairs"], report["pairs"] * 2, "/pairs/1: is the second pair of"),
                                   (["pairs", 0, "b"], report["pairs"][0]["a"], "pairs a GPU with itself"),
                                   (["pairs", 0, "b"], "0000:99:00.0", "/pairs/0/b: is no GPU of this report"),
                                   (["gpus", 0, "link", "gbytes_per_s"], -4, "/gpus/0/link/gbytes_per_s: has to be a number from 0")):
            with self.subTest(words=words):
                file.write_text(json.dumps(validate.changed(report, path, value)), encoding="utf-8")
                self.expect(65, run("diff", CHIPSET, file), words)
        file.write_text(json.dumps(report).replace('"simulated": false', '"simulated": true, "simulated": false', 1), encoding="utf-8")
        self.expect(65, run("diff", file, CHIPSET), "has the key `simulated` twice")
        file.write_text(json.dumps(report)[:-20], encoding="utf-8")
        self.expect(65, run("diff", file, CHIPSET), "not whole", "%s:1" % file)

    def test_two_hosts_in_one_file_are_told_how_to_be_parted(self):
        done = run("diff", FIXTURES / "two-hosts-in-one-file/lspci-vv.txt", CHIPSET)
        self.expect(65, done, "describe", "gpucoop record --from")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
