#!/usr/bin/env python3
"""Runs gpucoop over recorded machines and holds its reports against what is true about them.

usage: run.py BINARY FIXTURE_DIR…            every truth*.json of these folders
       run.py BINARY TRUTH_FILE…             single cases
       run.py --golden [--update] BINARY GOLDEN_FILE FILE… [-- WORD…]    text view of FILE… against GOLDEN_FILE: of
                                          `topo`, or of the command that WORD… are, with paths from the folder of fixtures

fixtures/README.md describes truth.json. Every report is also validated against src/render/report.schema.json.
Exit status: 0 all right, 1 something is wrong, 64 usage. Updates golden texts with GPUCOOP_UPDATE=1 or --update.
"""
import difflib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
sys.dont_write_bytecode = True

import replay  # noqa: E402
import sysfs_tree  # noqa: E402

LIMIT_S = 60
SCHEMA_FILE = pathlib.Path(__file__).resolve().parents[2] / "src" / "render" / "report.schema.json"
KEYS = {"command", "inputs", "exit", "host", "gpu_count", "gpus", "pairs", "links", "modes", "modes_expected", "facts",
        "warnings", "no_warnings", "error", "note", "sysroot", "view", "same_as", "probe_results", "engines",
        "requirements", "remedies_of", "decided_by"}
UNORDERED = {"blocking", "gpus"}
ORDERED = {"chain"}


class Missing:
    def __repr__(self):
        return "nothing"


MISSING = Missing()


# ---------------------------------------------------------------------------------------------- comparing

def agrees(wanted, got):
    if got is MISSING:
        got = None
    if isinstance(wanted, bool) or isinstance(got, bool) or wanted is None or got is None:
        return wanted is got
    if isinstance(wanted, (int, float)) and isinstance(got, (int, float)):
        return math.isclose(wanted, got, rel_tol=1e-9)
    return type(wanted) is type(got) and wanted == got


def fits(key, wanted, got):
    name = key.rsplit(".", 1)[-1]
    if name in ORDERED:
        choices = wanted if wanted and isinstance(wanted[0], list) else [wanted]
        return got in choices
    if name in UNORDERED:
        return isinstance(got, list) and sorted(got) == sorted(wanted)
    if isinstance(wanted, list):
        numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in wanted)
        if name.endswith("_per_s") and len(wanted) == 2 and numbers:
            return isinstance(got, (int, float)) and not isinstance(got, bool) and wanted[0] <= got <= wanted[1]
        return any(agrees(x, got) for x in wanted)
    return agrees(wanted, got)


def look_up(node, dotted):
    for part in dotted.split("."):
        if not isinstance(node, dict) or part not in node:
            return MISSING
        node = node[part]
    return node


class Findings:
    def __init__(self):
        self.checked = 0
        self.wrong = []

    def expect(self, what, ok, wanted, got):
        self.checked += 1
        if not ok:
            self.wrong.append("%s: wanted %s, got %s" % (what, short(wanted), short(got)))

    def fit(self, what, key, wanted, got):
        self.expect(what, fits(key, wanted, got), wanted, got)


def short(value):
    text = value if isinstance(value, str) else repr(value) if value is MISSING else json.dumps(value, ensure_ascii=False)
    return text if len(text) < 240 else text[:237] + "..."


def fact_reference(fact):
    members = ",".join(fact["subject"]["of"])
    return fact["id"] + ("@" + members if members else "")


def compare(truth, report, findings):
    for key, wanted in truth.get("host", {}).items():
        findings.fit("host." + key, key, wanted, look_up(report["host"], key))
    gpus = {gpu["address"]: gpu for gpu in report["gpus"]}
    findings.expect("addresses of GPUs are unique", len(gpus) == len(report["gpus"]), len(report["gpus"]), len(gpus))
    if "gpu_count" in truth:
        findings.expect("number of GPUs", truth["gpu_count"] == len(report["gpus"]), truth["gpu_count"],
                        [gpu["address"] for gpu in report["gpus"]])
    for address, expectations in truth.get("gpus", {}).items():
        if address not in gpus:
            findings.expect("GPU " + address, False, "listed", sorted(gpus))
            continue
        compare_gpu(address, expectations, gpus[address], findings)
    for ends, expectations in truth.get("pairs", {}).items():
        wanted_ends = set(ends.split())
        found = [p for p in report["pairs"] if {p["a"], p["b"]} == wanted_ends]
        findings.expect("pair %s is listed once" % ends, len(found) == 1, 1, len(found))
        for pair in found:
            for key, wanted in expectations.items():
                findings.fit("pair %s %s" % (ends, key), key, wanted, look_up(pair, key))
    for upper, expectations in truth.get("links", {}).items():
        found = [link for link in report["links"] if link["upper"] == upper]
        findings.expect("link below %s is listed once" % upper, len(found) == 1, 1, len(found))
        for link in found:
            for key, wanted in expectations.items():
                findings.fit("link below %s %s" % (upper, key), key, wanted, look_up(link, key))
    for table, key in (("modes", "state"), ("modes_expected", "expected")):
        for mode, wanted in truth.get(table, {}).items():
            got = [m[key] for m in report["modes"] if m["id"] == mode]
            findings.expect("mode %s is judged" % mode, bool(got), "at least once", "never")
            for one in got:
                findings.fit("mode %s %s" % (mode, key), key, wanted, one)
    for row, wanted in truth.get("engines", {}).items():
        got = [e["state"] for e in report["engines"] if e["id"] == row]
        findings.expect("%s is judged" % row, bool(got), "at least once", "never")
        for one in got:
            findings.fit("%s state" % row, "state", wanted, one)
    if "requirements" in truth:
        got = ["hung" if r["exit_code"] == 4 else r["state"] for r in report.get("requirements", [])]
        findings.expect("requirements", got == truth["requirements"], truth["requirements"], got)
    for key, field in (("remedies_of", "remedies"), ("decided_by", "decided_by")):
        for mode, wanted in truth.get(key, {}).items():
            for one in [m for m in report["modes"] if m["id"] == mode]:
                for item in wanted if isinstance(wanted, list) else [wanted]:
                    findings.expect("mode %s %s" % (mode, field), item in one[field], item, one[field])
    facts = {fact_reference(fact): fact for fact in report["facts"]}
    for reference, wanted in truth.get("facts", {}).items():
        fact = facts.get(reference)
        if fact is None:
            findings.expect("fact " + reference, False, wanted, "no such fact")
        elif isinstance(wanted, dict):
            for key, one in wanted.items():
                findings.fit("fact %s %s" % (reference, key), key, one, fact.get(key, MISSING))
        else:
            findings.fit("fact " + reference, "value", wanted, fact.get("value") if fact["status"] == "known" else MISSING)
    codes = [w["code"] for w in report["warnings"]]
    for code in truth.get("warnings", []):
        findings.expect("warning " + code, code in codes, "present", codes)
    if truth.get("no_warnings"):
        findings.expect("no warnings", not codes, [], report["warnings"])


def compare_gpu(address, expectations, gpu, findings):
    for key, wanted in expectations.items():
        what = "GPU %s %s" % (address, key)
        if key == "chain":
            findings.fit(what, key, wanted, [hop["address"] for hop in gpu["chain"]])
        elif key == "hops":
            hops = {hop["address"]: hop for hop in gpu["chain"]}
            for hop, fields in wanted.items():
                if hop not in hops:
                    findings.expect(what, False, hop, sorted(hops))
                    continue
                for field, value in fields.items():
                    findings.fit("GPU %s hop %s %s" % (address, hop, field), field, value, look_up(hops[hop], field))
        else:
            findings.fit(what, key, wanted, look_up(gpu, key))


# ---------------------------------------------------------------------------------------------- running

def strict(word):
    raise ValueError("%s is not JSON" % word)


def run(argv, cwd=None):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S,
                          check=False, cwd=cwd)


def validate(report, findings):
    try:
        import jsonschema
    except ImportError:
        findings.expect("python3-jsonschema is installed", False, "installed", "missing")
        return
    with open(SCHEMA_FILE, encoding="utf-8") as handle:
        schema = json.load(handle)
    validator = jsonschema.validators.validator_for(schema)(schema)
    for error in list(validator.iter_errors(report))[:5]:
        findings.expect("schema at /" + "/".join(map(str, error.absolute_path)), False, error.validator, error.message)
    findings.checked += 1


def check_case(binary, path):
    findings = Findings()
    with open(path, encoding="utf-8") as handle:
        truth = json.load(handle)
    unknown = set(truth) - KEYS
    findings.expect("keys of " + path.name, not unknown, "known", sorted(unknown))
    with tempfile.TemporaryDirectory() as folder:
        if "sysroot" in truth:
            sysfs_tree.of_case(path, truth).unpack(folder, truth["view"])
        try:
            judge(binary, path, truth, folder, findings)
        finally:
            sysfs_tree.removable(folder)
    return findings


def compare_record(binary, folder, report, findings):
    """A recording of the tree gives the same report, and nothing personal is in either."""
    findings.expect("report without secrets", "SECRET-" not in json.dumps(report), "none", "one")
    with tempfile.TemporaryDirectory() as out:
        recording = pathlib.Path(out) / "recording.json"
        done = run(sysfs_tree.without_overriding([binary, "record", "--sysroot", folder, "-o", str(recording)]))
        errors = done.stderr.decode("utf-8", "replace")
        findings.expect("record", done.returncode in (0, 69) and recording.is_file(), 0, "%d %s" % (done.returncode, errors))
        if not recording.is_file():
            return
        findings.expect("recording without secrets", b"SECRET-" not in recording.read_bytes(), "none", "one")
        for line in replay.differences(binary, recording, report):
            findings.expect("replay of a recording", False, "the same report", line)


def registers(report):
    """What configuration space alone decides."""
    gpus = [{"address": gpu["address"], "chain": [{key: hop[key] for key in ("address", "role", "on_card", "atomics", "link",
                                                                             "acs")} for hop in gpu["chain"]],
             "atomics": {key: gpu["atomics"][key] for key in ("path", "requester_enabled", "blocking")},
             "link": {key: value for key, value in gpu["link"].items() if key != "why"}} for gpu in report["gpus"]]
    return {"gpus": gpus, "links": report["links"]}


def printed(ours, theirs):
    """`ours` without what is null in `theirs`: a text leaves out bits that have no meaning for a type of port."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return {key: printed(value, theirs.get(key)) for key, value in ours.items()}
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        return [printed(*both) for both in zip(ours, theirs)]
    return None if theirs is None else ours


def compare_registers(binary, path, names, report, findings):
    """The same registers in another form give the same chains, links and AtomicOps."""
    for name in names:
        other = registers(json.loads(run([binary, "topo", "--from", str(path.parent / name), "--format", "json"]).stdout))
        ours = registers(report)
        if "-vv" in name:
            ours = printed(ours, other)
        findings.expect("as from " + name, ours == other, "the same", replay.difference(other, ours))


def judge(binary, path, truth, folder, findings):
    argv = [binary, *truth["command"]]
    if "sysroot" in truth:
        argv = sysfs_tree.without_overriding(argv + ["--sysroot", folder])
    for name in truth.get("inputs", []):
        argv += ["--from", str(path.parent / name)]
    if "probe_results" in truth:
        argv += ["--probe-results", str(path.parent / truth["probe_results"])]
    argv += ["--format", "json"]
    try:
        result = run(argv)
    except subprocess.TimeoutExpired:
        findings.expect("end within %d s" % LIMIT_S, False, "an end", "none")
        return
    errors = result.stderr.decode("utf-8", "replace")
    allowed = truth.get("exit", 0)
    allowed = allowed if isinstance(allowed, list) else [allowed]
    findings.expect("exit status", result.returncode in allowed, allowed, "%d: %s" % (result.returncode, errors.strip()))
    findings.expect("no sanitizer report", not re.search(r"runtime error:|ERROR: \w+Sanitizer", errors), "none", errors)
    for words in truth.get("error", []):
        findings.expect("error message", words in errors, words, errors.strip())
    if not set(truth) - {"command", "inputs", "sysroot", "view", "exit", "error", "note", "probe_results"}:
        return
    try:
        report = json.loads(result.stdout, parse_constant=strict)
    except ValueError as error:
        findings.expect("JSON on standard output", False, "a report", str(error))
        return
    validate(report, findings)
    if not findings.wrong or "schema" not in findings.wrong[-1]:
        compare(truth, report, findings)
        compare_registers(binary, path, truth.get("same_as", []), report, findings)
        if "sysroot" in truth:
            compare_record(binary, folder, report, findings)


def golden(binary, update, expected_file, inputs):
    command = ["topo"]
    if "--" in inputs:
        at = inputs.index("--")
        inputs, command = inputs[:at], inputs[at + 1:]
    argv = [binary] + command
    folder = pathlib.Path(inputs[0]).resolve().parents[1]     # the text names its inputs: let them be short
    for name in inputs:
        argv += ["--from", str(pathlib.Path(name).resolve().relative_to(folder))]
    result = run(argv, cwd=folder)
    text = result.stdout.decode("utf-8")
    if result.returncode != 0:
        print("exit status %d: %s" % (result.returncode, result.stderr.decode("utf-8", "replace")))
        return 1
    path = pathlib.Path(expected_file)
    if update:
        path.write_text(text, encoding="utf-8")
        print("%s written" % path)
        return 0
    expected = path.read_text(encoding="utf-8")
    if text == expected:
        print("1 text, as expected")
        return 0
    sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), text.splitlines(True), str(path), "printed now"))
    print("The view has changed. If it is meant to: GPUCOOP_UPDATE=1 and the same command again.")
    return 1


def main(argv):
    update = "--update" in argv or os.environ.get("GPUCOOP_UPDATE") == "1"
    words = [w for w in argv if w not in ("--golden", "--update")]
    if len(words) < 2:
        print(__doc__, file=sys.stderr)
        return 64
    binary = os.path.abspath(words[0])
    if "--golden" in argv:
        return golden(binary, update, words[1], words[2:])
    paths = []
    for word in words[1:]:
        path = pathlib.Path(word)
        paths += sorted(path.glob("truth*.json")) if path.is_dir() else [path]
    wrong = checked = 0
    for path in paths:
        findings = check_case(binary, path)
        checked += findings.checked
        wrong += len(findings.wrong)
        for line in findings.wrong:
            print("%s/%s: %s" % (path.parent.name, path.name, line))
    print("%d cases, %d expectations, %d wrong" % (len(paths), checked, wrong))
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
