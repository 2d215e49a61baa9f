"""`gpucoop probe` on a recorded host with two NVIDIA GPUs, whose driver and NCCL are stand-ins that refuse, lie, hang or
crash: each fault ends in its own finding, within the deadline and 5 seconds.

    fakes_test.py GPUCOOP FAKES [Faults.test_…]

The recorded sysfs is mounted over that of this host, in a mount namespace of its own; where that is not allowed, the
tests are skipped. The probe runs as an ordinary user: root's ranks take no library from a variable.
"""
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import parallel_cases  # noqa: E402
import patience  # noqa: E402
import sysfs_tree  # noqa: E402

FIXTURE = HERE.parent.parent / "fixtures" / "x570-dual-rtx3090-idle" / "sysfs.tree"
NOBODY = 65534
EXTRA = 5  # seconds that may pass after a deadline
SHORT = 4  # seconds that what must hang is waited for
LONG = 60  # of everything else, which may take as long as a busy machine needs
AFTER = 10  # of what may be followed by something that hangs
TOGETHER = 6  # probes at a time: most of them wait
NOT_REACHED = re.compile(r"\(--budget\)|no answer within")
MOUNT = 'mount --bind "$0/sys/devices" /sys/devices && mount --bind "$0/sys/bus" /sys/bus && exec "$@"'
GPUCOOP = FAKES = ""


class Host:
    """The recorded host, as folders to be mounted: as many as there are probes at a time, since each locks its GPUs."""

    def __init__(self, tree=None):
        tree = tree or sysfs_tree.Tree.parse(FIXTURE.read_text())
        self.folder = tempfile.mkdtemp(prefix="gpucoop-fakes-")
        os.chmod(self.folder, 0o755)
        self.user = []
        self.space = ["unshare", "-m"]
        if os.geteuid() == 0:
            self.user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        else:
            self.space += ["-U", "--map-current-user", "--keep-caps"]
        self.free = queue.Queue()
        for number in range(TOGETHER):
            place = pathlib.Path(self.folder, str(number))
            (place / "home").mkdir(parents=True)
            (place / "tree").mkdir()
            if os.geteuid() == 0:
                os.chown(place / "home", NOBODY, NOBODY)
            tree.unpack(str(place / "tree"))
            self.free.put(place)

    def run(self, argv, told=None, limit=300):
        place = self.free.get()
        env = {k: v for k, v in os.environ.items() if not k.startswith(("NCCL_", "GPUCOOP_", "LD_"))}
        env.update(told or {})
        env.update(HOME=str(place / "home"), XDG_STATE_HOME=str(place / "home"), GPUCOOP_FAKE_CUDA_BUS="0a", NO_COLOR="1")
        # `env` last: it sets what the loader would otherwise use for `mount` and `setpriv` as well.
        inside = self.user + ["env", "LD_LIBRARY_PATH=" + FAKES, *argv]
        try:
            return subprocess.run(self.space + ["sh", "-c", MOUNT, str(place / "tree"), *inside], env=env,
                                  capture_output=True, text=True, timeout=limit, check=False)
        finally:
            self.free.put(place)

    def close(self):
        for place in pathlib.Path(self.folder).iterdir():
            sysfs_tree.removable(str(place / "tree"))
        shutil.rmtree(self.folder, ignore_errors=True)


HOST = None


def setUpModule(tree=None):
    global HOST
    HOST = Host(tree)
    tried = HOST.run(["true"])
    if tried.returncode != 0:
        HOST.close()
        raise unittest.SkipTest("no mount namespace can be had here: " + tried.stderr.strip())


def tearDownModule():
    HOST.close()


class Faults(unittest.TestCase):
    def probe(self, words, told, timeout, budget, text=False):
        argv = [GPUCOOP, "probe", *words, "--force", "--timeout", str(timeout), "--budget", str(budget)]
        done = HOST.run(argv + ([] if text else ["--format", "json"]), told)
        if text:
            return done
        self.assertTrue(done.stdout, f"exit {done.returncode}: {done.stderr}")
        return done, json.loads(done.stdout)

    @staticmethod
    def not_reached(runs, what):
        """Raises TooBusy where the time was over, of one step or of all."""
        out_of_time = [f"{run['rung']}: {run['reason']}" for run in runs if NOT_REACHED.search(run.get("reason") or "")]
        if out_of_time:
            raise patience.TooBusy(f"{what}: {out_of_time}")

    def check(self, what, words, told, rung, state, said, codes, budget):
        """`budget`: how many seconds steps may begin in: what failed is looked into that long."""
        timeout = SHORT if state == "hung" else AFTER if rung.startswith("p2p.") else LONG

        def attempt(factor):
            done, document = self.probe(words, told, factor * timeout, factor * budget)
            found = [run for run in document["probes"]
                     if run["rung"] == rung and not run.get("variant") and run["state"] != "skipped"]
            if state not in [run["state"] for run in found]:
                self.not_reached(document["probes"], what)
            return done, document["probes"], found

        done, runs, found = patience.with_more_time(attempt)
        for run in runs:
            if run.get("seconds") is not None and run.get("deadline_s") is not None:
                self.assertLess(run["seconds"], run["deadline_s"] + EXTRA, what)
        states = [run["state"] for run in found]
        self.assertIn(state, states, f"{what}: {[(r['rung'], r['state'], r.get('reason')) for r in runs]}")
        run = found[states.index(state)]
        words_said = " ".join([run.get("reason") or "", *map(str, run.get("findings") or [])])
        self.assertRegex(words_said, said, what)
        self.assertIn(done.returncode, codes, what)
        return run

    def together(self, calls):
        """Does what is named, several at a time."""
        with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
            going = {name: pool.submit(call) for name, call in calls.items()}
        for name, one in going.items():
            with self.subTest(fault=name):
                one.result()

    def check_all(self, variable, words, rung, cases, budget):
        def call(told, case):
            state, said, codes = case
            return lambda: self.check(told, words, {variable: told}, rung, state, said, codes, budget)
        self.together({told: call(told, case) for told, case in cases.items()})

    def test_a_driver_that_does_not_start(self):
        self.check_all("GPUCOOP_FAKE_CUDA", ["--dispatch"], "gpu.dispatch", {
            "init-803": ("refused", r"cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH \(803\)", (1,)),
            "no-device": ("refused", r"CUDA_ERROR_NO_DEVICE \(100\)", (1,)),
            "context-46": ("refused", r"CUDA_ERROR_DEVICE_UNAVAILABLE \(46\)", (1,)),
            "module-222": ("refused", r"CUDA_ERROR_UNSUPPORTED_PTX_VERSION \(222\)", (1,)),
            "init-hang": ("hung", r".", (4,)),
            "init-crash": ("crashed", r"signal 11|SIGSEGV", (1,)),
            "enumerate-crash": ("crashed", r"signal 11|SIGSEGV", (1,)),
            "launch-719": ("failed", r"CUDA_ERROR_LAUNCH_FAILED \(719\)", (1,)),
            "dispatch-hang": ("hung", r"has not ended|no answer", (4,)),
            "dispatch-wrong": ("wrong-data", r"stored 0x", (1,)),
        }, budget=1)

    def test_peers_that_refuse_and_lie(self):
        # Where time is left for it, a handshake over such memory never ends.
        self.check_all("GPUCOOP_FAKE_CUDA", ["--p2p"], "p2p.write", {
            "peer-ones": ("wrong-data", r"all.ones", (1, 4)),
            "peer-lost": ("wrong-data", r"lost", (1, 4)),
            "peer-stale": ("wrong-data", r"stale|lost", (1, 4)),
            "peer-mirror": ("wrong-data", r"lost", (1, 4)),
        }, budget=5)

    def test_peers_that_are_not_reached(self):
        self.check_all("GPUCOOP_FAKE_CUDA", ["--p2p"], "p2p.access", {"peer-no": ("refused", r".", (1, 2, 3))}, budget=8)

    def test_a_library_that_does_not_load(self):
        self.check_all("GPUCOOP_FAKE_NCCL", ["--collective"], "gpu.dispatch", {
            "load-hang": ("hung", r".", (4,)),
            "load-crash": ("crashed", r"signal 11|SIGSEGV", (1,)),
        }, budget=1)

    def unusable(self, words, told, said):
        done, document = self.probe(["--collective", *words], told, LONG, budget=LONG)
        run = next(r for r in document["probes"] if r["rung"] == "ccl.init")
        self.assertEqual(run["state"], "refused", run)
        self.assertRegex(run["reason"], said)
        self.assertEqual(done.returncode, 1)
        # Nothing was tried with it: neither a pass nor a failure.
        self.assertEqual({f["status"] for f in document["facts"] if f["id"] in ("ccl.init", "ccl.allreduce")}, {"unknown"})

    def test_a_library_of_no_use_is_refused(self):
        self.together({
            "version-old": lambda: self.unusable([], {"GPUCOOP_FAKE_NCCL": "version-old"},
                                                 r"version 2\.17\.1; gpucoop needs 2\.18\.0 or newer"),
            "another": lambda: self.unusable(["--library", FAKES + "/libcuda.so.1"], {},
                                             r"libcuda\.so\.1: has no ncclGetVersion: not NCCL or RCCL"),
        })

    def test_communicators_that_do_not_come_to_be(self):
        self.check_all("GPUCOOP_FAKE_NCCL", ["--collective"], "ccl.init", {
            "id-hang": ("hung", r".", (4,)),
            "init-hang": ("hung", r".", (4,)),
            "init-block": ("hung", r".", (4,)),
            "init-crash": ("crashed", r"signal 11|SIGSEGV", (1,)),
            "init-refuse": ("refused", r"Duplicate GPU detected", (1, 3)),
        }, budget=5)

    def test_operations_that_fail(self):
        self.check_all("GPUCOOP_FAKE_NCCL", ["--collective"], "ccl.allreduce", {
            "op-hang": ("hung", r"wait", (4,)),
            "op-refuse": ("failed", r"the operation cannot be performed in the present state", (1,)),
            "op-late-error": ("failed", r"remote process exited or there was a network error", (1,)),
            "op-crash": ("crashed", r"signal 11|SIGSEGV", (1,)),
            "wrong-data": ("wrong-data", r"wrong on 2 of 2 ranks", (1,)),
        }, budget=5)

    def test_large_messages_that_are_wrong_while_small_ones_are_right(self):
        run = self.check("wrong-large", ["--collective"], {"GPUCOOP_FAKE_NCCL": "wrong-large"}, "ccl.allreduce", "wrong-data",
                         r"words wrong", (1,), budget=5)
        self.assertGreaterEqual(run["bytes"], 1 << 20)

    def test_a_rank_that_is_missing(self):
        run = self.check("missing", ["--collective", "--inject", "hang:rank1@all_reduce"], {}, "ccl.allreduce", "hung",
                         r"rank 1", (4,), budget=5)
        self.assertRegex(" ".join(run["findings"]), "a fault was injected")

    def test_a_path_on_which_one_operation_takes_seconds_is_timed_and_not_called_hung(self):
        _, document = self.probe(["--collective"], {"GPUCOOP_FAKE_NCCL": "slow-largest"}, LONG, budget=4 * LONG)
        run = next(r for r in document["probes"] if r["rung"] == "ccl.latency" and not r.get("variant"))
        self.assertEqual(run["state"], "passed", run)
        self.assertGreaterEqual(float(re.search(r" 128 MiB ([0-9.]+) us", " ".join(run["findings"])).group(1)), 2e6)

    def test_a_gigabyte_of_log(self):
        done, document = self.probe(["--collective"], {"GPUCOOP_FAKE_NCCL": "spam", "GPUCOOP_FAKE_NCCL_SPAM": "1024"},
                                    2 * LONG, budget=2 * LONG)
        run = next(r for r in document["probes"] if r["rung"] == "ccl.allreduce")
        self.assertEqual(run["state"], "passed", run)
        self.assertLess(len(done.stdout), 1 << 20)

    def guarded(self, told):
        return HOST.run([GPUCOOP, "probe", "--dispatch", "--timeout", str(LONG), "--budget", str(LONG), "--format", "json"],
                        {"GPUCOOP_FAKE_NVML": told})

    def test_who_is_hidden_is_told_by_the_driver(self):
        done = self.guarded("")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        document = json.loads(done.stdout)
        ran = [run["state"] for run in document["probes"] if run["rung"] == "gpu.dispatch"]
        self.assertEqual(ran, ["passed", "passed"])
        said = [w["text"] for w in document["warnings"] if w["code"] == "probe.driver-list"]
        self.assertEqual(len(said), 2, document["warnings"])
        self.assertRegex(said[0], r"NVIDIA's driver lists no process on 0000:0a:00\.0 \(NVML\)")

    def test_who_is_hidden_and_listed_by_the_driver_is_a_holder(self):
        done = self.guarded("busy")
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertRegex(done.stderr, r"0000:0b:00\.0 is used by .*\(pid 4242")
        self.assertNotIn("0000:0a:00.0", done.stderr)

    def not_proven(self, told, said):
        done = self.guarded(told)
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("cannot all be seen: some processes are hidden from this one, and its driver", done.stderr)
        self.assertIn(said, done.stderr)

    def test_a_driver_that_gives_no_list_proves_nothing(self):
        cases = (("init-9", "Driver Not Loaded"), ("init-18", "version mismatch"), ("init-hang", "in time"),
                 ("init-crash", "signal 11"), ("no-holders", "does not list processes to this user"),
                 ("no-list", "does not list processes of this GPU"))
        self.together({told: lambda told=told, said=said: self.not_proven(told, said) for told, said in cases})

    def told_in_text(self, told, said, timeout):
        def attempt(factor):
            done = self.probe(["--collective"], {"GPUCOOP_FAKE_NCCL": told}, factor * timeout, budget=factor * 5, text=True)
            flat = re.sub(r"\s+", " ", done.stdout)
            if said not in flat and NOT_REACHED.search(flat):
                raise patience.TooBusy(flat)
            return flat

        flat = patience.with_more_time(attempt)
        self.assertIn(said, flat)
        self.assertIn("ccl.allreduce", flat)

    def test_the_text_says_it_too(self):
        self.together({
            "op-refuse": lambda: self.told_in_text("op-refuse", "the operation cannot be performed", LONG),
            "op-hang": lambda: self.told_in_text("op-hang", "All wait for each other", SHORT),
        })


def run_one(test):
    result = unittest.TestResult()
    begin = time.monotonic()
    test.run(result)
    bad = [text for _, text in result.failures + result.errors]
    print(f"{test.id().split('.')[-1]} ... {'FAILED' if bad else 'ok'} ({time.monotonic() - begin:.1f} s)", flush=True)
    return bad


def main():
    """Of this script and those beside it: all tests at once, for most of their time is waiting, and the host lends a limited
    number of places. Ends the process: status 77 where nothing could be tried."""
    global GPUCOOP, FAKES
    GPUCOOP, FAKES = map(os.path.abspath, sys.argv[1:3])
    module = sys.modules["__main__"]
    loader, names = unittest.defaultTestLoader, sys.argv[3:]
    tests = list(parallel_cases.leaves(loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)))
    try:
        module.setUpModule()
    except unittest.SkipTest as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    try:
        with concurrent.futures.ThreadPoolExecutor(max(1, len(tests))) as pool:
            bad = [text for texts in pool.map(run_one, tests) for text in texts]
    finally:
        module.tearDownModule()
    for text in bad:
        print(text)
    print(f"{len(tests)} tests, {len(bad)} failures")
    sys.exit(1 if bad or not tests else 0)


if __name__ == "__main__":
    main()
