"""Descriptions of the recorded machines in fixtures/: registers in, what must be concluded beside them.

The truths are written by hand from the specification, the kernel's rules and published measurements; nothing in them
is computed from what the program prints.
"""
import dataclasses

import dumps
import sysfs_host
from pcispace import place_bars


@dataclasses.dataclass
class Machine:
    name: str
    about: str
    files: dict                # file name -> text, or a function that makes it with lspci
    truths: dict               # truth.json and truth-*.json
    functions: list = None     # of the last listing that it was made from
    tree: object = None        # what `--sysroot` is given, where there is such a tree
    keep_tree: bool = False    # as sysfs.tree in fixtures/


_machines = {}
_listed = None


def machine(function):
    """Registers a function whose name, with - for _, is the machine's and whose docstring is its about.md."""
    name = function.__name__.strip("_").replace("_", "-")
    files, truths = function()
    _machines[name] = Machine(name, _paragraphs(function.__doc__), files, truths, _listed)
    return function


def _paragraphs(text):
    return "\n".join(line[4:] if line.startswith("    ") else line for line in text.strip().split("\n"))


def listing(*parts):
    """All functions of a machine in lspci's order, with addresses in their BARs and windows."""
    functions = []
    for part in parts:
        functions += part if isinstance(part, list) else [part]
    functions.sort(key=lambda f: f.address)
    place_bars(functions)
    global _listed
    _listed = functions
    return functions


def verbose(functions, **more):
    return lambda: dumps.verbose(functions, **more)


def both(functions, **more):
    """The two usual forms of one machine."""
    return {"lspci-vv.txt": verbose(functions, **more), "lspci-xxxx.txt": dumps.hex_dump(functions)}


def live(name, host, root, no_root, keep=True):
    """Adds to a machine its tree, and what is read from it as root and as another user.

    `root` and `no_root` are what must be said, without the way to it. Not `keep`: the tree is made when it is needed.
    """
    one = _machines[name]
    one.tree = sysfs_host.tree(one.functions, host)
    one.about += "\n\n`sysfs.tree` is this machine live" + (": " + host.about if host.about else "") + "."
    one.keep_tree = keep
    common = {"command": ["topo"], "sysroot": "sysfs.tree" if keep else "made:" + name}
    one.truths["truth-live.json"] = dict(common, view="root", **{"exit": 0, **root})
    one.truths["truth-live-no-root.json"] = dict(common, view="no-root", **{"exit": 0, **no_root})
    return one.tree


def truths(text, hexed=None, **more):
    """truth.json for the text, truth-hex.json for the same machine as bytes."""
    out = {"truth.json": text}
    if hexed is not None:
        out["truth-hex.json"] = hexed
    out.update({name.replace("_", "-") + ".json": value for name, value in more.items()})
    return out


def all_machines():
    from machines import amd, inputs, intel, nvidia  # noqa: F401
    from machines import trees  # noqa: F401  (adds to those above)
    return dict(sorted(_machines.items()))
