#!/usr/bin/env python3
"""Checks the layering of src/: who includes whom, and that only tools/ prints or exits.

usage: layers.py SOURCE_DIR
"""
import pathlib
import re
import sys

# What the files of a layer may include, apart from their own layer.
ALLOWED = {
    "base": set(),
    "model": {"base"},
    "rules": {"base", "model"},
    "read": {"base", "model", "rules"},
    "analyse": {"base", "model", "rules", "codeobj"},
    "codeobj": {"base", "model"},
    "wire": {"base", "model"},
    "runtime": {"base", "model", "wire"},
    "collective": {"base", "model", "wire", "runtime"},
    "rank": {"base", "model", "wire", "runtime", "collective"},
    "probe": {"base", "model", "rules", "read", "wire"},  # never what loads a vendor's library
    "judge": {"base", "model", "rules"},
    "render": {"base", "model"},
}
# Headers that are slow to compile: only in these layers, and never by way of one of our headers in another layer.
HEAVY = {
    "nlohmann/": {"render", "read", "tools"},
    "toml++/": {"rules"},
    "pugixml.hpp": {"read"},
    "CLI/": {"tools"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
PRINTS_OR_EXITS = re.compile(
    r"\bstd::(?:cout|cerr|clog|cin)\b|#\s*include\s*<iostream>"
    r"|\b(?:printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|fmt::print|fmt::println)\s*\("
    r"|\b(?:exit|_exit|_Exit|quick_exit|abort|terminate|raise|kill)\s*\(")
# What may not come to an end is in processes of its own, which are ended from outside: a reading, a question, and ranks.
OWN_PROCESS = {
    "src/probe/ask.cpp",
    "src/read/live/reader_child.cpp",
    "src/probe/process_ending.cpp",
    "src/probe/rank_start.cpp",
    "src/rank/injector.cpp",
}


def code_only(text):
    """The text with comments and literals blanked, line breaks kept."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)

    def blank(match):
        return "".join("\n" if c == "\n" else " " for c in match.group(0))

    return pattern.sub(blank, text)


def check(root):
    problems = []
    includes = []          # (file, line, its layer, what it includes)
    slow = {}              # our file, as an include names it -> the slow header in it
    files = sorted(p for p in (root / "src").rglob("*") if p.suffix in (".hpp", ".cpp", ".h", ".in"))
    files += sorted(p for p in (root / "tools").rglob("*") if p.suffix in (".hpp", ".cpp"))
    for path in files:
        parts = path.relative_to(root).parts
        layer = parts[1] if parts[0] == "src" else "tools"
        if layer != "tools" and layer not in ALLOWED:
            problems.append(f"{path}:1: layer {layer} is not in ALLOWED of {__file__}")
            continue
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            name = found.group(1)
            top = name.split("/")[0]
            if layer != "tools" and top in ALLOWED and top != layer and top not in ALLOWED[layer]:
                problems.append(f"{path}:{number}: {layer} must not include {name}")
            for heavy, layers in HEAVY.items():
                if name.startswith(heavy):
                    if layer not in layers:
                        problems.append(f"{path}:{number}: {layer} must not include {name}")
                    slow.setdefault(str(path.relative_to(root / "src")) if parts[0] == "src" else str(path), name)
            includes.append((path, number, layer, name))
        if layer != "tools" and str(path.relative_to(root)) not in OWN_PROCESS:
            for number, line in enumerate(code_only(text).splitlines(), 1):
                found = PRINTS_OR_EXITS.search(line)
                if found:
                    problems.append(f"{path}:{number}: only tools/ prints or exits: {found.group(0)}")
    known = None
    while known != len(slow):          # headers that include a slow one are slow themselves
        known = len(slow)
        for path, _, layer, name in includes:
            if layer != "tools" and name in slow:
                slow.setdefault(str(path.relative_to(root / "src")), slow[name])
    for path, number, layer, name in includes:
        if name in slow and name.split("/")[0] != layer:
            problems.append(f"{path}:{number}: {name} drags {slow[name]} into {layer}")
    return len(files), problems


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 64
    count, problems = check(pathlib.Path(sys.argv[1]))
    for problem in problems:
        print(problem)
    print(f"{count} files, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
