"""Descriptions of the recorded machines in fixtures/: registers in, what must be concluded beside them.

The truths are written by hand from the specification, the kernel's rules and published measurements; nothing in them
is computed from what the program prints.
"""
import dataclasses

import dumps
from pcispace import place_bars


@dataclasses.dataclass
class Machine:
    name: str
    about: str
    files: dict                # file name -> text, or a function that makes it with lspci
    truths: dict               # truth.json and truth-*.json


_machines = {}


def machine(function):
    """Registers a function whose name, with - for _, is the machine's and whose docstring is its about.md."""
    name = function.__name__.strip("_").replace("_", "-")
    files, truths = function()
    _machines[name] = Machine(name, _paragraphs(function.__doc__), files, truths)
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
    return functions


def verbose(functions, **more):
    return lambda: dumps.verbose(functions, **more)


def both(functions, **more):
    """The two usual forms of one machine."""
    return {"lspci-vv.txt": verbose(functions, **more), "lspci-xxxx.txt": dumps.hex_dump(functions)}


def truths(text, hexed=None, **more):
    """truth.json for the text, truth-hex.json for the same machine as bytes."""
    out = {"truth.json": text}
    if hexed is not None:
        out["truth-hex.json"] = hexed
    out.update({name.replace("_", "-") + ".json": value for name, value in more.items()})
    return out


def all_machines():
    from machines import amd, inputs, intel, nvidia  # noqa: F401
    return dict(sorted(_machines.items()))
