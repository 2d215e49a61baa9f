#!/usr/bin/env python3
"""Runs `gpucoop probe` on simulated devices many times with random faults, deadlines and signals, SIGKILL of the program
among them, and checks after each run that nothing is left: no process, no file in /dev/shm or /tmp, no lock, and a journal
that can be read.

usage: probe_stress.py GPUCOOP [RUNS [SEED]]
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

FAULTS = ("hang", "wrong-data", "crash", "slow", "refuse", "exit", "garbage")
PLACES = ("gpu.dispatch", "host.copy", "host.handshake", "p2p.write", "p2p.ipc", "ccl.init", "ccl.allreduce", "ccl.barrier",
          "ccl.concurrent", "")
EXPECTED = {0, 1, 2, 3, 4, 130}
SLACK = 15  # seconds over the bounds that are promised: the machine may be busy


def marked(mark):
    """Processes that carry the mark in their environment, apart from those that have ended."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark.encode() not in (entry / "environ").read_bytes():
                continue
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z":
                found.append((int(entry.name), (entry / "comm").read_text().strip(), state))
        except OSError:
            continue
    return found


def listing(folder):
    try:
        return {name for name in os.listdir(folder) if "gpucoop" in name}
    except OSError:
        return set()


def cgroups():
    return {str(path) for path in pathlib.Path("/sys/fs/cgroup").glob("**/gpucoop*")}


class Stress:
    def __init__(self, program, seed):
        self.program = program
        self.random = random.Random(seed)
        self.state = tempfile.TemporaryDirectory()
        self.mark = "GPUCOOP_STRESS=%d-%d" % (os.getpid(), seed)
        self.environment = dict(os.environ, XDG_STATE_HOME=self.state.name)
        name, value = self.mark.split("=")
        self.environment[name] = value
        self.before = [listing("/dev/shm"), listing("/tmp"), cgroups()]
        self.codes = {}

    def arguments(self):
        pick = self.random
        ranks = pick.choice((1, 2, 2, 2, 3, 4))
        timeout = pick.choice((0.2, 0.5, 1, 2))
        budget = pick.choice((0.3, 1, 2, 4))
        args = ["probe", "--backend", "host", "--ranks", str(ranks), "--timeout", str(timeout), "--budget", str(budget),
                "--format", pick.choice(("json", "json", "text"))]
        args += pick.choice(([], ["--dispatch"], ["--p2p"], ["--collective"]))
        if ranks == 4 and pick.random() < 0.3:
            args += ["--groups", "tp=2,dp=2"]
        for _ in range(pick.choice((0, 1, 1, 1, 2))):
            fault = pick.choice(FAULTS)
            place = pick.choice(PLACES)
            rank = ":rank%d" % pick.randrange(ranks) if pick.random() < 0.7 else ""
            args += ["--inject", fault + rank + ("@" + place if place else "")]
        return args, timeout, budget

    def run(self):
        args, timeout, budget = self.arguments()
        number = self.random.choice((None, None, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGKILL))
        process = subprocess.Popen([self.program, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment)
        if number is not None:
            try:
                process.wait(self.random.uniform(0, 1.5))
            except subprocess.TimeoutExpired:
                process.send_signal(number)
        # One step may run over the budget; its failure brings a check, a second try and as many ends.
        bound = budget + 4 * (timeout + 5) + SLACK
        try:
            out, err = process.communicate(timeout=bound)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "no answer within %g s" % bound, args
        code = process.returncode
        self.codes[code] = self.codes.get(code, 0) + 1
        if code not in EXPECTED and not (number is not None and code == -number):
            return "exit code %d\n%s" % (code, err[-2000:]), args
        if code != -signal.SIGKILL and "json" in args and code >= 0 and out:
            document = json.loads(out)
            if not document["simulated"]:
                return "the report is not marked as simulated", args
        return self.left(), args

    def left(self):
        until = time.monotonic() + 10 + SLACK
        while True:
            alive = marked(self.mark)
            rest = [listing("/dev/shm") - self.before[0], listing("/tmp") - self.before[1], cgroups() - self.before[2]]
            if not alive and not any(rest):
                break
            if time.monotonic() > until:
                return "left behind: %s %s" % (alive, rest)
            time.sleep(0.05)
        return self.journal()

    def journal(self):
        """Every line of it can be read, and the next probe is not kept from anything."""
        kept = "/var/lib/gpucoop" if os.geteuid() == 0 else self.state.name
        for path in pathlib.Path(kept).rglob("*"):
            if not path.is_file():
                continue
            if path.stat().st_size > (1 << 20):
                return "%s has %d bytes" % (path, path.stat().st_size)
            path.read_text(encoding="utf-8")
        return None

    def last_look(self):
        done = subprocess.run([self.program, "probe", "--backend", "host", "--dispatch", "--format", "json"],
                              capture_output=True, text=True, env=self.environment, check=False)
        codes = [w["code"] for w in json.loads(done.stdout)["warnings"]] if done.stdout else []
        return None if done.returncode == 0 and "probe.no-journal" not in codes else (done.returncode, codes, done.stderr)


def main():
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    stress = Stress(str(pathlib.Path(sys.argv[1]).resolve()), seed)
    began = time.monotonic()
    for number in range(runs):
        wrong, args = stress.run()
        if wrong:
            print("run %d of seed %d: %s\n  %s" % (number, seed, wrong, " ".join(args)))
            return 1
    wrong = stress.last_look()
    if wrong:
        print("the journal keeps the next probe from something: %s" % (wrong,))
        return 1
    print("%d runs in %.0f s, nothing left behind; exit codes: %s" %
          (runs, time.monotonic() - began, ", ".join("%d x%d" % item for item in sorted(stress.codes.items()))))
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    sys.exit(main())
