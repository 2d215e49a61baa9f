#!/usr/bin/env python3
"""What every report keeps to, over all fixtures: width, characters, the same bytes each time.

usage: views_test.py SOURCE_DIR BINARY
"""
import json
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

SOURCE = pathlib.Path(sys.argv[1]) if len(sys.argv) > 2 else None
BINARY = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
TREES = tempfile.mkdtemp()
CONTROL = r"[\x00-\x09\x0b-\x1f\x7f-\x9f]"


def run(*words, **more):
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    environment["SOURCE_DATE_EPOCH"] = "1700000000"
    return subprocess.run([BINARY, *words], stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=120,
                          check=False, **more)


def cases():
    """(name, command line) of each truth file, run in its folder so that file names are short."""
    for path in sorted((SOURCE / "fixtures").glob("*/truth*.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        words = list(truth["command"])
        for name in truth.get("inputs", []):
            words += ["--from", name]
        if "sysroot" in truth:
            yield "%s/%s" % (path.parent.name, path.name), words + ["--sysroot", unpacked(path, truth)], TREES
        else:
            yield "%s/%s" % (path.parent.name, path.name), words, path.parent


def unpacked(path, truth):
    """The name in TREES of the folder that a truth file's tree is unpacked to."""
    name = path.parent.name + "." + truth["view"]
    folder = pathlib.Path(TREES) / name
    if not folder.exists():
        sysfs_tree.of_case(path, truth).unpack(folder, truth["view"])
    return name


class Views(unittest.TestCase):
    def test_text_fits_80_columns_and_has_no_control_characters(self):
        printed = 0
        for name, words, folder in cases():
            for more in ([], ["--verbose"], ["--quiet"]):
                with self.subTest(case=name, options=more):
                    result = run(*words, *more, cwd=folder)
                    text = result.stdout.decode("utf-8")
                    for line in text.splitlines() if more != ["--quiet"] else []:
                        self.assertLessEqual(len(line), 80, line)
                    self.assertNotRegex(text + result.stderr.decode("utf-8"), CONTROL)
                    self.assertNotRegex(text, r" \n")
                    printed += bool(text)
        self.assertGreater(printed, 100)

    def test_quiet_is_one_line_and_the_first_words_of_the_whole(self):
        for name, words, folder in cases():
            with self.subTest(case=name):
                whole, line = (run(*words, *more, cwd=folder).stdout.decode() for more in ([], ["--quiet"]))
                if not whole:
                    continue
                self.assertEqual(line.count("\n"), 1)
                self.assertEqual(whole[:12], line[:12])

    def test_json_is_the_same_each_time_and_ascii(self):
        for name, words, folder in cases():
            with self.subTest(case=name):
                first, second = (run(*words, "--format", "json", cwd=folder) for _ in range(2))
                self.assertEqual((first.returncode, first.stdout), (second.returncode, second.stdout))
                self.assertTrue(first.stdout.isascii())
                if first.stdout:
                    report = json.loads(first.stdout)
                    self.assertNotRegex(first.stdout.decode(), CONTROL)
                    if report["host"]["source"] != "recording":   # which says itself when the host was read
                        self.assertEqual(report["taken_at"], "2023-11-14T22:13:20Z")

    def test_color_adds_nothing_but_color(self):
        for name, words, folder in cases():
            with self.subTest(case=name):
                plain = run(*words, cwd=folder).stdout
                colored = run(*words, "--color", "always", cwd=folder).stdout
                self.assertEqual(re.sub(rb"\x1b\[[0-9;]*m", b"", colored), plain)


if __name__ == "__main__":
    if BINARY is None:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    try:
        unittest.main(argv=[sys.argv[0]])
    finally:
        sysfs_tree.removable(TREES)
        shutil.rmtree(TREES)
