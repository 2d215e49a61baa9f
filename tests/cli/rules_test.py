#!/usr/bin/env python3
"""--rules and --no-builtin-rules: a user's own rules over the built-in ones, and every way in which they can be wrong.

usage: rules_test.py SOURCE_DIR BINARY
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BINARY = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
SOURCE = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 2 else None


def example():
    """The engine that gpucoop-rules.5 teaches to add."""
    text = (SOURCE / "man" / "gpucoop-rules.5").read_text(encoding="utf-8")
    part = text[text.index("is loaded by a test"):]
    return re.search(r"^\.Bd [^\n]*\n(.*?)^\.Ed", part, re.M | re.S).group(1)


class Rules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        self.host = str(SOURCE / "fixtures" / "vm-two-h200-flat" / "recording-root.json")

    def write(self, text, name="mine.toml"):
        (self.dir / name).write_text(text, encoding="utf-8")

    def run_it(self, *words, rules=True):
        more = ["--rules", str(self.dir)] if rules else []
        return subprocess.run([BINARY, *words, *more], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                              check=False)

    def refused(self, text, where, what):
        self.write(text)
        for command in (["topo", "--from", self.host], ["verdict", "--require", "tensor", "--from", self.host],
                        ["explain", "tensor"], ["diff", self.host, self.host]):
            with self.subTest(command=command[0]):
                done = self.run_it(*command)
                self.assertEqual(done.returncode, 65, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertIn(str(self.dir / where), done.stderr)
                self.assertIn(what, done.stderr)

    def test_the_manual_s_engine_is_judged(self):
        self.write(example(), "stencil.toml")
        results = str(SOURCE / "fixtures" / "vm-two-h200-flat" / "results.json")
        done = self.run_it("verdict", "--require", "tensor", "--engine", "stencil", "--from", self.host, "--probe-results",
                           results, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        row = [e for e in report["engines"] if e["id"] == "stencil.tensor"][0]
        self.assertEqual((row["state"], row["flags"], row["advice"]), ("yes", ["--gpus 2"], []))
        self.assertIn("vllm.tensor", [e["id"] for e in report["engines"]])
        told = self.run_it("explain", "stencil.tensor")
        self.assertIn("Stencil server, tensor parallel", told.stdout)

    def test_an_entry_replaces_the_one_of_its_id(self):
        self.write('[[gate]]\nid = "wide-link"\ntitle = "t"\nmeaning = "m"\nsource = "s"\n'
                   '[[gate.require]]\nany_of = [{ fact = "link.ceiling", at_least = 1000 }]\nwhy = "{gpu} is slow"\n')
        quad = str(SOURCE / "fixtures" / "xeon-w-four-b60" / "lspci-vv.txt")
        done = self.run_it("topo", "--from", quad, "--format", "json")
        tensor = [m for m in json.loads(done.stdout)["modes"] if m["id"] == "tensor"][0]
        self.assertEqual(tensor["expected"], "degraded")
        self.assertIn("is slow", tensor["why"])

    def test_mistakes_are_named_with_file_and_line(self):
        self.refused("[[gate]\n", "mine.toml:1", "not well-formed TOML")
        self.refused(example().replace("tensor\"]", "tenser\"]"), "mine.toml:13", "'tenser', which there is not")
        self.refused(example() + example(), "mine.toml:32", "there is already an engine of that id")
        self.refused(example().replace('source = "stencil/server.py"', ""), "mine.toml", "'source' is missing")
        self.refused(example().replace("at_least = 60", "at_least = true"), "mine.toml", "it is a number and the value is a bool")
        self.refused('[[gate]]\nid = "usable"\ntitle = "t"\nmeaning = "m"\nsource = "s"\n[[gate.require]]\n'
                     'any_of = [{ gate = "communicator" }]\n', "", "depends on itself")

    def test_nothing_that_is_no_rules_folder_is_taken_for_one(self):
        self.assertEqual(self.run_it("topo", "--from", self.host).returncode, 66)
        self.write("", "notes.txt")
        empty = self.run_it("topo", "--from", self.host)
        self.assertEqual(empty.returncode, 66)
        self.assertIn("holds no rules files", empty.stderr)
        gone = subprocess.run([BINARY, "topo", "--from", self.host, "--rules", str(self.dir / "none")], capture_output=True,
                              text=True, check=False)
        self.assertEqual(gone.returncode, 66)
        os.mkfifo(self.dir / "pipe.toml")
        pipe = self.run_it("topo", "--from", self.host)
        self.assertEqual(pipe.returncode, 65)
        self.assertIn("is no regular file", pipe.stderr)

    def test_without_the_built_in_ones(self):
        alone = self.run_it("topo", "--from", self.host, "--no-builtin-rules", rules=False)
        self.assertEqual(alone.returncode, 64)
        for file in (SOURCE / "rules").glob("*.toml"):
            self.write(file.read_text(encoding="utf-8"), file.name)
        ours = self.run_it("topo", "--from", self.host, "--no-builtin-rules", "--format", "json")
        theirs = self.run_it("topo", "--from", self.host, "--format", "json", rules=False)
        self.assertEqual(ours.returncode, 0, ours.stderr)
        self.assertEqual(json.loads(ours.stdout)["modes"], json.loads(theirs.stdout)["modes"])
        (self.dir / "modes.toml").unlink()
        (self.dir / "engines.toml").unlink()
        broken = self.run_it("topo", "--from", self.host, "--no-builtin-rules")
        self.assertEqual(broken.returncode, 65)

    def test_few_rules_alone_give_few_answers(self):
        self.write('[[fact]]\nid = "ccl.allreduce"\nsubject = "set"\ntype = "bool"\ntier = "probed"\ntitle = "it adds up"\n'
                   'meaning = "m"\nestablished = "e"\nsource = "s"\n'
                   '[[mode]]\nid = "mine"\ntitle = "t"\nmeaning = "m"\nunproven = "nobody tried"\nsource = "s"\n'
                   '[[mode.require]]\nany_of = [{ fact = "ccl.allreduce", is = true }]\nwhy = "it does not"\n')
        done = self.run_it("topo", "--from", self.host, "--no-builtin-rules", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(m["id"], m["state"]) for m in json.loads(done.stdout)["modes"]], [("mine", "unknown")])
        self.assertEqual(self.run_it("topo", "--from", self.host, "--no-builtin-rules").returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
