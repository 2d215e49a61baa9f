#!/usr/bin/env python3
"""Runs `gpucoop probe` on simulated devices many times with random faults, deadlines and signals, SIGKILL of the program
and of the keeper of its ranks among them, and checks after each run that nothing is left: no process, no file in /dev/shm
or /tmp, no lock, no control group, and a journal that can be read.

usage: probe_stress.py GPUCOOP [RUNS [SEED [FIRST]]]

Run N of a seed is the same whatever ran before it: `probe_stress.py GPUCOOP 1 SEED N` does it again.
"""
import collections
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
sys.dont_write_bytecode = True
from marked_processes import marked_processes  # noqa: E402

FAULTS = ("hang", "wrong-data", "crash", "slow", "refuse", "exit", "garbage", "spin")
PLACES = ("gpu.dispatch", "host.copy", "host.handshake", "p2p.write", "p2p.ipc", "ccl.init", "ccl.allreduce", "ccl.barrier",
          "ccl.concurrent", "ccl.soak", "")
EXPECTED = {0, 1, 2, 3, 4, 130}
SLACK = 20  # seconds over the bounds that are promised: the machine may be busy


class Ending:
    """How a run is ended from outside: whom a signal goes to, and when."""
    KINDS = (None, None, None, "SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "SIGKILL", "keeper", "keeper stopped", "both")

    def __init__(self, pick):
        self.kind = pick.choice(self.KINDS)
        # Many of them early, when everything is only just being made.
        self.after = pick.choice((pick.uniform(0, 0.05), pick.uniform(0, 0.4), pick.uniform(0, 1.2)))
        self.caught = False  # the program had its handler when the signal was sent

    def signal(self):
        return getattr(signal, self.kind) if self.kind and self.kind.startswith("SIG") else None

    def send(self, process):
        try:
            if self.signal() is not None:
                status = pathlib.Path("/proc/%d/status" % process.pid).read_text(encoding="utf-8")
                mask = int(re.search(r"(?m)^SigCgt:\s*([0-9a-f]+)$", status).group(1), 16)
                self.caught = bool(mask >> (self.signal() - 1) & 1)
                process.send_signal(self.signal())
                return
            keeper = keeper_of(process.pid)
            if keeper is None:
                return
            if self.kind == "both":
                for pid in (process.pid, keeper):
                    os.kill(pid, signal.SIGSTOP)
                for pid in (process.pid, keeper):
                    os.kill(pid, signal.SIGKILL)
            else:
                os.kill(keeper, signal.SIGSTOP if self.kind == "keeper stopped" else signal.SIGKILL)
        except (OSError, AttributeError):
            pass  # it has ended meanwhile


def keeper_of(parent):
    try:
        children = pathlib.Path("/proc/%d/task/%d/children" % (parent, parent)).read_text(encoding="utf-8").split()
        return next((int(pid) for pid in children
                     if pathlib.Path("/proc/%s/comm" % pid).read_text(encoding="utf-8").strip() == "gpucoop-keeper"), None)
    except OSError:
        return None


def listing(folder):
    try:
        # gpucoop-test-… and the like are of other tests, which may run beside this.
        return {name for name in os.listdir(folder) if "gpucoop" in name and not re.match(r"gpucoop-[a-z]+-", name)}
    except OSError:
        return set()


def cgroups(pids):
    """The control groups that these processes have made."""
    return {str(path) for path in pathlib.Path("/sys/fs/cgroup").glob("**/gpucoop-*-*")
            if path.name.split("-")[1] in pids}


class Stress:
    def __init__(self, program, seed):
        self.program = program
        self.seed = seed
        self.state = tempfile.TemporaryDirectory()
        self.mark = "GPUCOOP_STRESS=%d-%d" % (os.getpid(), seed)
        self.environment = dict(os.environ, XDG_STATE_HOME=self.state.name)
        name, value = self.mark.split("=")
        self.environment[name] = value
        self.before = [listing("/dev/shm"), listing("/tmp")]
        self.pids = set()
        self.codes = collections.Counter()
        self.endings = collections.Counter()
        self.faults = collections.Counter()

    def arguments(self, pick):
        ranks = pick.choice((1, 2, 2, 2, 3, 4))
        timeout = pick.choice((0.2, 0.3, 0.5, 1))
        budget = pick.choice((0.2, 0.3, 0.6, 1.2))
        args = ["probe", "--backend", "host", "--ranks", str(ranks), "--timeout", str(timeout), "--budget", str(budget),
                "--format", pick.choice(("json", "json", "text"))]
        args += pick.choice(([], ["--dispatch"], ["--dispatch"], ["--p2p"], ["--collective"]))
        soak = pick.random() < 0.05
        if soak:
            args += ["--soak", "1"]
        if ranks == 4 and pick.random() < 0.3:
            args += ["--groups", "tp=2,dp=2"]
        for _ in range(pick.choice((0, 1, 1, 1, 2))):
            fault = pick.choice(FAULTS)
            place = pick.choice(PLACES)
            rank = ":rank%d" % pick.randrange(ranks) if pick.random() < 0.7 else ""
            args += ["--inject", fault + rank + ("@" + place if place else "")]
            self.faults[fault] += 1
        # A step may begin when the budget is all but over. Its failure brings a check and a second try, each with a start
        # of its own; and a start has 10 s.
        return args, budget + 3 * (timeout + 5) + 10 + (22 if soak else 0) + SLACK

    def run(self, number):
        pick = random.Random("%d-%d" % (self.seed, number))
        args, bound = self.arguments(pick)
        ending = Ending(pick)
        process = subprocess.Popen([self.program, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment)
        self.pids = {str(process.pid)}
        if ending.kind is not None:
            try:
                process.wait(ending.after)
            except subprocess.TimeoutExpired:
                ending.send(process)
        try:
            out, err = process.communicate(timeout=bound)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "no answer within %g s" % bound, args, ending
        code = process.returncode
        self.codes[code] += 1
        self.endings[ending.kind or "by itself"] += 1
        return self.verdict(ending, code, out, err, args), args, ending

    def verdict(self, ending, code, out, err, args):
        killed = ending.kind in ("SIGKILL", "both") and code == -signal.SIGKILL
        # Nobody can catch a signal before the program has begun.
        early = ending.signal() is not None and code == -ending.signal() and not ending.caught and not out
        if code not in EXPECTED and not killed and not early:
            return "exit code %d\n%s" % (code, err[-2000:])
        if code >= 0 and "json" in args:
            try:
                document = json.loads(out)
            except ValueError as error:
                return "exit code %d, and no report: %s\n%s" % (code, error, err[-2000:])
            if not document["simulated"]:
                return "the report is not marked as simulated"
        # Killed together with its keeper, or before there was one, it may leave an empty control group, which the next probe
        # removes.
        return self.left(sweep=ending.kind in ("SIGKILL", "both"))

    def next_probe(self, *more):
        return subprocess.run([self.program, "probe", "--backend", "host", "--ranks", "1", "--dispatch", "--format", "json",
                               *more], capture_output=True, text=True, env=self.environment, check=False)

    def left(self, sweep=False):
        until = time.monotonic() + 10 + SLACK
        swept = time.monotonic() + 4 if sweep else until
        while True:
            alive = marked_processes(self.mark)
            rest = [listing("/dev/shm") - self.before[0], listing("/tmp") - self.before[1], cgroups(self.pids)]
            if not alive and not any(rest):
                break
            if time.monotonic() > swept and not alive:
                self.next_probe()
                swept = until
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
        done = self.next_probe("--timeout", "30")
        codes = [w["code"] for w in json.loads(done.stdout)["warnings"]] if done.stdout else []
        return None if done.returncode == 0 and "probe.no-journal" not in codes else (done.returncode, codes, done.stderr)

    def counts(self):
        def listed(counter):
            return ", ".join("%s x%d" % pair for pair in sorted(counter.items(), key=lambda pair: str(pair[0])))
        return "exit codes: %s\nended: %s\nfaults: %s" % (listed(self.codes), listed(self.endings), listed(self.faults))


def main():
    runs, seed, first = ([int(word) for word in sys.argv[2:]] + [1000, 1, 0][len(sys.argv) - 2:])[:3]
    stress = Stress(str(pathlib.Path(sys.argv[1]).resolve()), seed)
    began = time.monotonic()
    print("seed %d, runs %d to %d" % (seed, first, first + runs - 1), flush=True)
    for number in range(first, first + runs):
        wrong, args, ending = stress.run(number)
        if wrong:
            print("run %d of seed %d (%s after %.3f s): %s\n  %s\nagain: probe_stress.py GPUCOOP 1 %d %d" %
                  (number, seed, ending.kind, ending.after, wrong, " ".join(args), seed, number))
            print(stress.counts())
            return 1
        if (number - first) % 100 == 99:
            print("%d runs in %.0f s" % (number - first + 1, time.monotonic() - began), flush=True)
    wrong = stress.last_look()
    if wrong:
        print("the journal keeps the next probe from something: %s" % (wrong,))
        return 1
    print("%d runs in %.0f s, nothing left behind\n%s" % (runs, time.monotonic() - began, stress.counts()))
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    sys.exit(main())
