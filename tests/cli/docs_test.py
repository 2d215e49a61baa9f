#!/usr/bin/env python3
"""Checks that man pages, completions and --help name the same commands and options, and that man pages are clean.

usage: docs.py SOURCE_DIR BINARY
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1]) if len(sys.argv) > 2 else None
BINARY = sys.argv[2] if len(sys.argv) > 2 else None


def help_text(*command):
    return subprocess.run([BINARY, *command, "--help"], capture_output=True, text=True, check=True).stdout


def options_of_help(text):
    """{--long: short or None} of the option lines."""
    out = {}
    for line in text.splitlines():
        found = re.match(r"\s+(?:(-\w),\s*)?(--[a-z][\w-]*)\b", line)
        if found:
            out[found.group(2)] = found.group(1)
    return out


def commands_of_help(text):
    part = text[text.index("SUBCOMMANDS") if "SUBCOMMANDS" in text else text.index("Subcommands"):]
    return re.findall(r"^\s{2}([a-z]\w*)", part, re.M)


def options_of_page(name):
    """The same of a man page's OPTIONS section."""
    text = (SOURCE / "man" / name).read_text(encoding="utf-8")
    section = re.search(r"^\.Sh OPTIONS\n(.*?)^\.Sh ", text, re.M | re.S).group(1)
    out = {}
    for line in re.findall(r"^\.It (Fl .*)$", section, re.M):
        names = re.findall(r"Fl (-?[\w-]+)", line)
        short = [n for n in names if not n.startswith("-")]
        for name_ in names:
            if name_.startswith("-"):
                out["-" + name_] = "-" + short[0] if short else None
    return out


class Docs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = help_text()
        cls.commands = commands_of_help(cls.top)
        cls.options = {command: options_of_help(help_text(command)) for command in cls.commands}

    def test_there_are_commands_and_options(self):
        self.assertIn("topo", self.commands)
        self.assertIn("--from", self.options["topo"])
        self.assertEqual(self.options["topo"]["--output"], "-o")

    def test_help_fits_80_columns(self):
        for words in [()] + [(command,) for command in self.commands]:
            with self.subTest(command=words):
                for line in help_text(*words).splitlines():
                    self.assertLessEqual(len(line), 80, line)

    def test_every_command_has_a_page_and_every_page_a_command(self):
        pages = {p.stem for p in (SOURCE / "man").glob("*.1")}
        self.assertEqual(pages, {"gpucoop"} | {"gpucoop-" + command for command in self.commands})

    def test_pages_name_the_options_of_help(self):
        self.assertEqual(options_of_page("gpucoop.1"), options_of_help(self.top))
        for command in self.commands:
            with self.subTest(command=command):
                self.assertEqual(options_of_page("gpucoop-%s.1" % command), self.options[command])

    def test_overview_page_names_the_commands(self):
        text = (SOURCE / "man" / "gpucoop.1").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"^\.It Cm (\w+)$", text, re.M), self.commands)

    def test_pages_are_clean(self):
        if not shutil.which("mandoc"):
            self.skipTest("no mandoc")
        pages = sorted(str(p) for p in (SOURCE / "man").glob("*.[157]"))
        result = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.stdout + result.stderr, "")

    def complete_in_bash(self, *words):
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpucoop; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        out = subprocess.run(["bash", "--norc", "-c", script, "bash", SOURCE / "tools/completion/gpucoop.bash", *words],
                             capture_output=True, text=True, check=True).stdout
        return set(out.split())

    def test_bash_completes_the_commands_and_options_of_help(self):
        self.assertEqual(self.complete_in_bash("gpucoop", ""), set(self.commands) | set(options_of_help(self.top)))
        for command in self.commands:
            with self.subTest(command=command):
                self.assertEqual(self.complete_in_bash("gpucoop", command, "--"), set(self.options[command]))

    def test_bash_completes_values(self):
        self.assertEqual(self.complete_in_bash("gpucoop", "topo", "--format", ""), {"text", "json"})
        self.assertEqual(self.complete_in_bash("gpucoop", "topo", "--color", "a"), {"auto", "always"})

    def test_every_shell_completes_the_modes(self):
        names = json.loads(subprocess.run([BINARY, "explain", "--format", "json"], capture_output=True, check=True).stdout)
        modes = [name["id"] for name in names["rules"] if name["kind"] == "mode"]
        self.assertIn("tensor", modes)
        self.assertEqual(self.complete_in_bash("gpucoop", "verdict", "--require", ""), set(modes))
        for name in ("_gpucoop", "gpucoop.fish"):
            self.assertIn(" ".join(modes), (SOURCE / "tools/completion" / name).read_text(encoding="utf-8"))

    def test_bash_completes_formats_by_command(self):
        self.assertEqual(self.complete_in_bash("gpucoop", "verdict", "--format", "j"), {"json", "junit"})

    def test_zsh_and_fish_name_the_options_of_help(self):
        zsh = (SOURCE / "tools/completion/_gpucoop").read_text(encoding="utf-8")
        fish = (SOURCE / "tools/completion/gpucoop.fish").read_text(encoding="utf-8")
        groups_of = {name: words.split() for name, words in re.findall(r"^set -l (\w+) (.*)$", fish, re.M)}
        for command in self.commands:
            with self.subTest(command=command):
                part = re.search(r"^    %s\)\n(.*?)^      ;;" % command, zsh, re.M | re.S).group(1)
                self.assertEqual(set(re.findall(r"(--[a-z][\w-]*)(?=\[|\})", part)), set(self.options[command]))
                groups = [name for name, words in groups_of.items() if command in words]
                lines = [line for line in fish.splitlines()
                         if any('"__fish_seen_subcommand_from $%s"' % group in line for group in groups)
                         or "from %s\"" % command in line]
                named = {"--" + name for line in lines for name in re.findall(r" -l ([\w-]+)", line)} | {"--help"}
                self.assertEqual(named, set(self.options[command]))
                shorts = {short for line in lines for short in re.findall(r" -s (\w)", line)} | {"h"}
                self.assertEqual(shorts, {s[1] for s in self.options[command].values() if s})
        self.assertEqual(groups_of["commands"], self.commands)

    def test_completions_parse(self):
        for shell, name in (("bash", "gpucoop.bash"), ("zsh", "_gpucoop"), ("fish", "gpucoop.fish")):
            if shutil.which(shell):
                with self.subTest(shell=shell):
                    subprocess.run([shell, "-n", SOURCE / "tools/completion" / name], check=True)


if __name__ == "__main__":
    if BINARY is None:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    unittest.main(argv=[sys.argv[0]])
