#!/usr/bin/env python3
"""Runs clang-tidy with the checks of .clang-tidy over src/ and tools/.

usage: tidy.py SOURCE_DIR BUILD_DIR [FILE…]
Exit status 77 (skipped) where clang-tidy is missing.

Most of its time goes into the standard headers, so several sources are checked as one text. A text that does not
compile (two sources may use one name for themselves) is halved until it does, down to the sources one by one. Every
finding is told by the file and line of its source.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

AT_ONCE = 12
ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
OWN_NAME = re.compile(r"(\w+)\s*(?:\(|=|\{|;|\[)")
USING_DECLARATION = re.compile(r"^\s*using [\w:]+::\w+;", re.MULTILINE)
BARE_INCLUDE = re.compile(r'^#include "[^/"]+"$', re.MULTILINE)
LEFT_OUT = {"-c", "-o", "-MD", "-MT", "-MF"}


def flags_of(entry):
    """The compile command without the compiler, its launcher, the source and the output."""
    words = shlex.split(entry["command"])
    first = next(i for i, word in enumerate(words) if word.startswith("-"))
    kept, skip = [], False
    for word in words[first:]:
        if skip:
            skip = False
        elif word in LEFT_OUT:
            skip = word in ("-o", "-MT", "-MF")
        elif word != entry["file"]:
            kept.append(word)
    return tuple(kept)


def own_names(text):
    """What stands at the left margin of an anonymous namespace and could be a name there."""
    return {name for part in ANONYMOUS.findall(text) for line in part.splitlines() if line[:1].strip()
            for name in OWN_NAME.findall(line)}


def batches(sources, flags):
    """Sources of equal flags that, as far as their margins tell, share no name.

    Those that include a neighbour by its bare name are kept to their folder. One with a using-declaration stays alone:
    beside others it would count as used.
    """
    open_batches = collections.defaultdict(list)
    closed = []
    for path in sources:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        if USING_DECLARATION.search(text):
            closed.append([path])
            continue
        names = own_names(text)
        folder = os.path.dirname(path) if BARE_INCLUDE.search(text) else None
        candidates = open_batches[folder, flags[path]]
        batch = next((b for b in candidates if not b["names"] & names), None)
        if batch is None:
            batch = {"names": set(), "sources": []}
            candidates.append(batch)
        batch["names"] |= names
        batch["sources"].append(path)
        if len(batch["sources"]) == AT_ONCE:
            candidates.remove(batch)
            closed.append(batch["sources"])
    return closed + [batch["sources"] for candidates in open_batches.values() for batch in candidates]


class Tidy:
    def __init__(self, program, root, folder):
        self.program = program
        self.root = root
        self.folder = folder

    def run(self, path, flags):
        # The compilers' own warnings are the build's business, and some of them are about names in a joined text.
        argv = [self.program, "--quiet", f"--config-file={self.root / '.clang-tidy'}", path, "--", *flags, "-Wno-everything"]
        return subprocess.run(argv, capture_output=True, text=True, check=False)

    def check(self, sources, flags):
        """The findings of these sources, as text; empty when there are none."""
        if len(sources) == 1:
            done = self.run(sources[0], flags)
            return "" if done.returncode == 0 else done.stdout + done.stderr
        lines, begins = [], []
        for source in sources:
            begins.append((len(lines), source))
            lines += pathlib.Path(source).read_text(encoding="utf-8").splitlines()
        with tempfile.NamedTemporaryFile("w", suffix=".cpp", dir=self.folder, encoding="utf-8") as joined:
            joined.write("\n".join(lines) + "\n")
            joined.flush()
            done = self.run(joined.name, [*flags, "-iquote", os.path.dirname(sources[0])])
        if done.returncode == 0:
            return ""
        if "clang-diagnostic-" in done.stdout:
            half = len(sources) // 2
            return self.check(sources[:half], flags) + self.check(sources[half:], flags)

        def place(match):
            line = int(match.group(1))
            begin, source = next(b for b in reversed(begins) if b[0] < line)
            return f"{source}:{line - begin}"

        return re.sub(re.escape(joined.name) + r":(\d+)", place, done.stdout + done.stderr)


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 64
    root, build = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    program = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if not program:
        print("skipped: no clang-tidy")
        return 77
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as handle:
        flags = {entry["file"]: flags_of(entry) for entry in json.load(handle)}
    wanted = tuple(str(root / part) + os.sep for part in ("src", "tools"))
    files = sorted(f for f in flags if f.startswith(wanted))
    if len(sys.argv) > 3:
        files = [os.path.abspath(f) for f in sys.argv[3:]]

    bad = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        tidy = Tidy(program, root, folder)
        for said in pool.map(lambda sources: tidy.check(sources, flags[sources[0]]), batches(files, flags)):
            if said:
                bad += 1
                print(said)
    print(f"{len(files)} files, " + (f"{bad} texts with findings" if bad else "no findings"))
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
