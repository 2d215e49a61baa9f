#!/usr/bin/env python3
"""Runs the commands of man/gpucoop-ci.7 and man/ci-example.yml as they are printed. ci_guide_test.py SOURCE_DIR GPUCOOP."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SOURCE, GPUCOOP = pathlib.Path(sys.argv[1]), sys.argv[2]
MACHINE = SOURCE / "fixtures/asus-proart-b850-dual-r9700/lspci-vv.txt"
PROBED = SOURCE / "fixtures/xeon-w-four-b60"
BLOCKED = SOURCE / "fixtures/asus-tuf-b650e-dual-r9700/lspci-vv.txt"


def commands():
    text = (SOURCE / "man/gpucoop-ci.7").read_text(encoding="utf-8")
    blocks = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed$", text, re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


class Guide(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        program = os.path.join(self.folder.name, "bin")
        os.mkdir(program)
        os.symlink(os.path.abspath(GPUCOOP), os.path.join(program, "gpucoop"))
        self.environment = dict(os.environ, PATH=program + ":" + os.environ["PATH"])

    def shell(self, command):
        return subprocess.run(["sh", "-c", command], cwd=self.folder.name, env=self.environment, capture_output=True,
                              text=True, timeout=60, check=False)

    def record(self, machine):
        """The guide's own command, on a recorded machine in place of the one it would run on."""
        command = commands()[0]
        self.assertTrue(command.startswith("sudo gpucoop record "), command)
        done = self.shell(command[len("sudo "):] + " --overwrite --from " + str(machine))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_sound_machine_passes_every_command(self):
        self.record(MACHINE)
        rest = commands()[1:-2]
        self.assertEqual(len(rest), 3)
        for command in rest:
            with self.subTest(command=command):
                done = self.shell(command)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        suites = ElementTree.parse(os.path.join(self.folder.name, "verdict.xml")).getroot()
        self.assertEqual((suites.get("tests"), suites.get("failures"), suites.get("errors")), ("2", "0", "0"))
        self.assertIn("expected, unproven", suites.find(".//system-out").text)

    def test_what_was_measured_is_kept_and_needs_no_expectation(self):
        keep, require = commands()[-2:]
        self.assertTrue(keep.startswith("sudo gpucoop record --probe-results results.json "), keep)
        shutil.copy(SOURCE / "fixtures/xeon-w-four-b60-alternating/results.json", os.path.join(self.folder.name, "results.json"))
        done = self.shell(keep[len("sudo "):] + " --from " + str(PROBED / "lspci-vv.txt"))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.shell(require)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(done.stdout.startswith("yes: tensor=2 on 4 GPUs"), done.stdout)
        done = self.shell(keep[len("sudo "):] + " --from " + str(MACHINE))
        self.assertEqual(done.returncode, 65, "results of another host were taken")

    def test_a_machine_that_lost_it_fails(self):
        self.record(BLOCKED)
        self.assertEqual(self.shell(commands()[1]).returncode, 1)

    def test_the_example_workflow_requires_the_same(self):
        text = (SOURCE / "man/ci-example.yml").read_text(encoding="utf-8")
        command = re.search(r"^\s+(gpucoop verdict .*)$", text, re.M).group(1)
        self.record(MACHINE)
        self.assertEqual(self.shell(command).returncode, 0)
        self.record(BLOCKED)
        self.assertEqual(self.shell(command + " --overwrite").returncode, 1)
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            return
        self.assertEqual(list(yaml.safe_load(text)["jobs"]), ["verdict"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
