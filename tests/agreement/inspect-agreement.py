#!/usr/bin/env python3
"""Compares what `gpucoop inspect` finds with what other tools list of the same files.

    inspect-agreement.py GPUCOOP FILE…

A bare AMD code object: target, kernels and hostcall buffers by `llvm-readelf --notes`. Another file: how many images
there are for each NVIDIA architecture, native and PTX, by `cuobjdump` (which writes sm_100 for native code of the family
sm_100f). LLVM_READELF and CUOBJDUMP in the environment name the tools.
Exit 0: no difference. 1: differences, each printed. 77: there is no tool to compare any of the files with.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

AMD_MACHINE = 224


def tool(variable, *names):
    named = os.environ.get(variable)
    return named or next((found for found in map(shutil.which, names) if found), None)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def by_readelf(readelf, path):
    notes = output(readelf, "--notes", path)
    target = re.search(r"amdhsa\.target: *'?amdgcn-amd-amdhsa--([^'\s]+)", notes)
    return {"target": target and target.group(1),
            "kernels": len(re.findall(r"^\s*(?:\.symbol|SymbolName): ", notes, re.M)),
            "hostcall": len(re.findall(r"hidden_hostcall_buffer|HiddenHostcallBuffer", notes))}


def amd_difference(readelf, path, library):
    theirs = by_readelf(readelf, path)
    if len(library["targets"]) != 1:
        return f"{len(library['targets'])} targets in one code object"
    found = library["targets"][0]
    # Versions before 4 have no target in their note.
    ours = {"target": found["name"] if theirs["target"] else None, "kernels": found["kernels"],
            "hostcall": found["hostcall_kernels"]}
    return None if ours == theirs else f"{ours}, readelf {theirs}"


def by_cuobjdump(cuobjdump, path):
    images = collections.Counter()
    for option, prefix in (("--list-elf", "sm_"), ("--list-ptx", "compute_")):
        listed = subprocess.run([cuobjdump, option, path], capture_output=True, text=True, check=False).stdout
        images.update(prefix + name for name in re.findall(r"\.sm_([0-9]+[af]?)\.(?:cubin|ptx)$", listed, re.M))
    return images


def nvidia_difference(cuobjdump, path, library):
    theirs = by_cuobjdump(cuobjdump, path)
    ours = collections.Counter()
    for target in library["targets"]:
        if target["vendor"] == "nvidia":
            name = target["name"]
            ours[name.rstrip("f") if target["form"] == "native" else name] += target["code_objects"]
    return None if ours == theirs else f"{dict(ours)}, cuobjdump {dict(theirs)}"


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 64
    readelf = tool("LLVM_READELF", "llvm-readelf", "llvm-readelf-19", "llvm-readelf-18", "llvm-readelf-15",
                   "llvm-readelf-14")
    cuobjdump = tool("CUOBJDUMP", "cuobjdump")
    compared = differences = 0
    for path in sys.argv[2:]:
        with open(path, "rb") as file:
            head = file.read(20)
        amd = head[:4] == b"\x7fELF" and int.from_bytes(head[18:20], "little") == AMD_MACHINE
        if (readelf if amd else cuobjdump) is None:
            continue
        library = json.loads(output(sys.argv[1], "inspect", path, "--format", "json"))["libraries"][0]
        difference = amd_difference(readelf, path, library) if amd else nvidia_difference(cuobjdump, path, library)
        compared += 1
        if difference:
            differences += 1
            print(f"{pathlib.Path(path).name}: {difference}")
    print(f"{compared} files compared, {differences} differ")
    if compared == 0:
        return 77
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
