#!/usr/bin/env python3
"""Validate reports against the schema: validate.py SCHEMA FILE... (`-` is standard input).

Beyond the schema, what it cannot say is checked: references between the parts of a report.
One line per mistake; exit 0 all valid, 1 some invalid, 64 usage, 77 python3-jsonschema missing.
"""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None


def changed(document, path, value):
    """A copy with one value replaced; `...` removes the key."""
    document = copy.deepcopy(document)
    node = document
    for key in path[:-1]:
        node = node[key]
    if value is ...:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return document


def dangling(report):
    """Names that one part of the report uses and no other part defines."""
    gpus = {gpu["address"] for gpu in report["gpus"]}
    remedies = {remedy["id"] for remedy in report["remedies"]}
    facts = set()
    for fact in report["facts"]:
        of = ",".join(fact["subject"]["of"])
        facts.add(fact["id"] + ("@" + of if of else ""))
    for part in ("sets", "modes"):
        for entry in report[part]:
            for address in entry["gpus" if part == "sets" else "set"]:
                if address not in gpus:
                    yield "%s: %s is no GPU of the report" % (part, address)
    for mode in report["modes"]:
        for remedy in mode["remedies"]:
            if remedy not in remedies:
                yield "mode %s: remedy %s is not listed" % (mode["id"], remedy)
        for name in mode["decided_by"]:
            if name not in facts:
                yield "mode %s: decided by %s, which is no fact of the report" % (mode["id"], name)
    for gpu in report["gpus"]:
        if gpu["chain"][-1]["address"] != gpu["address"]:
            yield "gpu %s: the chain ends in %s" % (gpu["address"], gpu["chain"][-1]["address"])
        hops = {hop["address"] for hop in gpu["chain"]}
        for address in gpu["atomics"]["blocking"]:
            if address not in hops:
                yield "gpu %s: blocking hop %s is not in the chain" % (gpu["address"], address)
    for pair in report["pairs"]:
        for end in ("a", "b"):
            if pair[end] not in gpus:
                yield "pairs: %s is no GPU of the report" % pair[end]


def mistakes(schema, report):
    """Every mistake of `report`, as text."""
    validator = jsonschema.Draft202012Validator(schema)
    found = ["%s: %s" % ("/".join(map(str, e.absolute_path)) or "report", e.message[:200])
             for e in validator.iter_errors(report)]
    return found or list(dangling(report))


def main(argv):
    if len(argv) < 3:
        print(__doc__.strip().splitlines()[0], file=sys.stderr)
        return 64
    if jsonschema is None:
        print("validate: python3-jsonschema is not installed", file=sys.stderr)
        return 77
    with open(argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    bad = 0
    for name in argv[2:]:
        try:
            text = sys.stdin.read() if name == "-" else open(name, encoding="utf-8").read()
            found = mistakes(schema, json.loads(text))
        except (OSError, ValueError) as error:
            found = [str(error)]
        for line in found:
            print("%s: %s" % (name, line))
        bad += bool(found)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
