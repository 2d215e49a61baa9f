#!/usr/bin/env python3
"""Writes the recorded machines of fixtures/ from their descriptions in machines/.

usage: make_fixture.py FIXTURES_DIR [MACHINE…]           write all machines, or the named ones
       make_fixture.py --check FIXTURES_DIR [MACHINE…]   compare instead; exit 1 where a file differs
       make_fixture.py --list
       make_fixture.py --tree MACHINE FOLDER [no-root]   unpack what --sysroot reads of a machine

The texts that lspci prints are made by the real one and so depend on its version: they are written and compared
only with the version that made the committed ones (dumps.LSPCI).
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import dumps  # noqa: E402
import machines  # noqa: E402


def files_of(machine):
    """{file name: bytes or a function that makes them with lspci}"""
    out = {}
    for name, content in machine.files.items():
        out[name] = content
    if machine.keep_tree:
        out["sysfs.tree"] = machine.tree.dump()
    for name, truth in machine.truths.items():
        out[name] = json.dumps(truth, indent=2, ensure_ascii=False) + "\n"
    out["about.md"] = "# %s\n\n%s\n" % (machine.name, machine.about.strip())
    return out


def resolve(content):
    content = content() if callable(content) else content
    return content if isinstance(content, bytes) else content.encode("utf-8")


def main(argv):
    check = "--check" in argv
    words = [w for w in argv if not w.startswith("--")]
    if "--tree" in argv:
        machines.all_machines()[words[0]].tree.unpack(*words[1:])
        return 0
    if "--list" in argv:
        for name, machine in machines.all_machines().items():
            print("%-42s %s" % (name, ", ".join(sorted(machine.files))))
        return 0
    if not words:
        print(__doc__, file=sys.stderr)
        return 64
    root = pathlib.Path(words[0])
    chosen = machines.all_machines()
    if words[1:]:
        chosen = {name: chosen[name] for name in words[1:]}
    with_lspci = dumps.lspci_version() == dumps.LSPCI
    compared = different = skipped = 0
    for name, machine in chosen.items():
        folder = root / name
        for file, content in files_of(machine).items():
            if callable(content) and not with_lspci:
                skipped += 1
                continue
            data = resolve(content)
            path = folder / file
            if check:
                compared += 1
                if not path.is_file() or path.read_bytes() != data:
                    different += 1
                    print("%s differs from what machines/ describes" % path)
            else:
                folder.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        known = set(files_of(machine))
        stray = sorted(p.name for p in folder.iterdir() if p.name not in known) if folder.is_dir() else []
        for file in stray:
            different += 1
            print("%s/%s is described nowhere" % (folder, file))
    print("%d machines%s%s" % (len(chosen), ", %d files compared, %d different" % (compared, different) if check else "",
                               ", %d made by lspci %s skipped" % (skipped, dumps.LSPCI) if skipped else ""))
    return 1 if different and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
