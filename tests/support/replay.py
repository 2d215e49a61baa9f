"""A recording must give the report that the host gave. replay.py GPUCOOP RECORDING REPORT prints what differs."""
import json
import subprocess
import sys

NOT_REPLAYED = {"sources", "taken_at", "holders"}
HOST_NOT_REPLAYED = {"source", "live", "holders_complete"}


def kept(report):
    """A report without what a recording does not carry over."""
    out = {key: value for key, value in report.items() if key not in NOT_REPLAYED}
    out["host"] = {key: value for key, value in report["host"].items() if key not in HOST_NOT_REPLAYED}
    out["gpus"] = [{key: value for key, value in gpu.items() if key not in NOT_REPLAYED} for gpu in report["gpus"]]
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


def differences_between(before, after):
    """Of two reports as `kept` leaves them: the first difference in each part, in words."""
    found = (difference(before.get(key), after.get(key), key) for key in sorted(set(before) | set(after)))
    return [line for line in found if line]


def differences(gpucoop, recording, report):
    """In which parts the report from a recording differs from `report`: the first difference of each, in words."""
    done = subprocess.run([gpucoop, "topo", "--from", str(recording), "--format", "json"], capture_output=True, text=True,
                          timeout=60, check=False)
    try:
        again = kept(json.loads(done.stdout))
    except ValueError:
        return ["no report from the recording: %d %s" % (done.returncode, done.stderr.strip())]
    return differences_between(kept(report), again)


def main(argv):
    if len(argv) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    with open(argv[2], encoding="utf-8") as report:
        found = differences(argv[0], argv[1], json.load(report))
    print("\n".join(found) if found else "the replay gives the report of the live run")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
