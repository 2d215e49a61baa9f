"""A recording must give the report that the host gave (design, section 1)."""
import json
import subprocess

NOT_REPLAYED = {"sources", "taken_at", "holders", "holders_complete"}
HOST_NOT_REPLAYED = {"source", "live", "label", "holders_complete"}
FACTS_NOT_REPLAYED = ("host.live", "holders.")


def records(gpucoop):
    """Whether this build has `record` yet."""
    return subprocess.run([gpucoop, "record", "--help"], capture_output=True, check=False).returncode == 0


def kept(report):
    """A report without what a recording does not carry over."""
    out = {key: value for key, value in report.items() if key not in NOT_REPLAYED}
    out["host"] = {key: value for key, value in report["host"].items() if key not in HOST_NOT_REPLAYED}
    out["gpus"] = [{key: value for key, value in gpu.items() if key not in NOT_REPLAYED} for gpu in report["gpus"]]
    # Evidence names the file that it is from.
    out["facts"] = [{key: value for key, value in fact.items() if key != "evidence"} for fact in report["facts"]
                    if not fact["id"].startswith(FACTS_NOT_REPLAYED)]
    return out


def difference(a, b, path=""):
    """The first difference, in words, or None."""
    if a == b:
        return None
    if isinstance(a, dict) and isinstance(b, dict):
        key = next(key for key in sorted(set(a) | set(b)) if a.get(key) != b.get(key))
        return difference(a.get(key), b.get(key), "%s.%s" % (path, key))
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        i = next(i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1])
        return difference(a[i], b[i], "%s[%d]" % (path, i))
    return "%s: %s and %s" % (path, json.dumps(a)[:160], json.dumps(b)[:160])


def differences(gpucoop, recording, report):
    """In which parts the report from a recording differs from `report`: the first difference of each, in words."""
    done = subprocess.run([gpucoop, "topo", "--from", str(recording), "--format", "json"], capture_output=True, text=True,
                          timeout=60, check=False)
    try:
        again = kept(json.loads(done.stdout))
    except ValueError:
        return ["no report from the recording: %d %s" % (done.returncode, done.stderr.strip())]
    before = kept(report)
    found = (difference(before.get(key), again.get(key), key) for key in sorted(set(before) | set(again)))
    return [line for line in found if line]
