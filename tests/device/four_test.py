"""`gpucoop probe` on a host with four NVIDIA GPUs, whose driver and NCCL are stand-ins: groups that cross, and a library
whose communicators disturb each other there, while each works alone.

    four_test.py GPUCOOP FAKES [FourGpus.test_…]

The host is that of fakes_test.py with a second pair of root ports and GPUs beside the recorded one.
"""
import json
import re
import unittest

import fakes_test
import patience
import sysfs_tree

SECOND = {"0000:00:03.1": "0000:00:03.3", "0000:00:03.2": "0000:00:03.4", "0000:0a:": "0000:0c:", "0000:0b:": "0000:0d:",
          "card0": "card2", "card1": "card3", "renderD128": "renderD130", "renderD129": "renderD131"}
OF_PAIR = re.compile("|".join(map(re.escape, SECOND)))
GPUS = ["0000:0a:00.0", "0000:0b:00.0", "0000:0c:00.0", "0000:0d:00.0"]
SECONDARY_BUS, SUBORDINATE_BUS, BRIDGE = 0x19, 0x1a, 1


def second(text):
    return OF_PAIR.sub(lambda found: SECOND[found.group()], text)


def of_four():
    tree = sysfs_tree.Tree.parse(fakes_test.FIXTURE.read_text())
    for path, (kind, content, mode) in list(tree.entries.items()):
        if not OF_PAIR.search(path):
            continue
        if kind == "bytes" and path.endswith("/config") and content[0x0e] & 0x7f == BRIDGE:
            content = bytearray(content)
            content[SECONDARY_BUS] += 2
            content[SUBORDINATE_BUS] += 2
        elif isinstance(content, str):
            content = second(content)
        tree.entries[second(path)] = (kind, bytes(content) if kind == "bytes" else content, mode)
    return tree


def setUpModule():
    fakes_test.setUpModule(of_four())


def tearDownModule():
    fakes_test.tearDownModule()


def runs_of(document, rung):
    return [run for run in document["probes"] if run["rung"] == rung and not run["variant"]]


class FourGpus(unittest.TestCase):
    def probe(self, words, timeout, budget, told):
        argv = [fakes_test.GPUCOOP, "probe", *words, "--force", "--timeout", str(timeout), "--budget", str(budget),
                "--format", "json"]
        done = fakes_test.HOST.run(argv, {"GPUCOOP_FAKE_CUDA_DEVICES": "4", **told}, limit=1200)
        self.assertTrue(done.stdout, f"exit {done.returncode}: {done.stderr}")
        return done, json.loads(done.stdout)

    def test_crossed_groups_work_in_every_sequence(self):
        done, document = self.probe(["--groups", "tp=2,dp=2"], fakes_test.LONG, 4 * fakes_test.LONG, {})
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertEqual([gpu["address"] for gpu in document["gpus"]], GPUS)
        self.assertEqual({run["state"] for run in document["probes"]}, {"passed"})
        self.assertEqual([run["op"] for run in runs_of(document, "ccl.switching")], ["alternate", "moe-dp", "moe-ep"])
        self.assertEqual(len(runs_of(document, "gpu.dispatch")), 4)
        self.assertEqual(self.state_of(document, "expert-dp"), "yes")

    def test_stages_and_tensor_groups_cross_as_well(self):
        done, document = self.probe(["--groups", "tp=2,pp=2"], fakes_test.LONG, 4 * fakes_test.LONG, {})
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertEqual([run["state"] for run in runs_of(document, "ccl.switching")], ["passed"])

    def test_communicators_that_disturb_each_other_are_found_though_each_works_alone(self):
        def attempt(factor):
            done, document = self.probe(["--groups", "tp=2,dp=2"], 15 * factor, 120 * factor, {"GPUCOOP_FAKE_NCCL": "crossed"})
            if [run["state"] for run in runs_of(document, "ccl.switching")][:3] != ["hung", "passed", "passed"]:
                fakes_test.Faults.not_reached(document["probes"], "crossed")
            return done, document

        done, document = patience.with_more_time(attempt)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual({run["state"] for run in runs_of(document, "ccl.subgroups")}, {"passed"})
        alternate, stream, rendezvous = runs_of(document, "ccl.switching")[:3]
        self.assertEqual(alternate["state"], "hung")
        self.assertRegex(alternate["reason"], r"all wait: rank 0 waits in dp0 \(ranks 0, 2\) at round 0, operation 1")
        self.assertIn("crossed communicators disturb each other unless each rank waits for its own operation",
                      " ".join(alternate["findings"]))
        self.assertEqual([(run["op"], run["state"]) for run in (stream, rendezvous)],
                         [("alternate, stream wait", "passed"), ("alternate, rendezvous", "passed")])
        self.assertEqual((self.state_of(document, "tensor"), self.state_of(document, "expert-dp")), ("yes", "no"))

    def test_a_kernel_that_hangs_in_one_group_is_found_and_fresh_processes_work(self):
        def attempt(factor):
            done, document = self.probe(["--groups", "tp=2,dp=2", "--inject", "spin:rank1@dp1"], 5 * factor, 8 * factor, {})
            if not runs_of(document, "ccl.switching") or runs_of(document, "ccl.switching")[0]["state"] != "hung":
                fakes_test.Faults.not_reached(document["probes"], "spin")
            return done, document

        done, document = patience.with_more_time(attempt)
        self.assertEqual(done.returncode, 4, done.stderr)
        hung = runs_of(document, "ccl.switching")[0]
        self.assertEqual(hung["state"], "hung")
        self.assertIn("rank 1 waits in dp1 (ranks 1, 3) at round 0, operation 1", hung["reason"])
        self.assertIn("rank 0 waits in ep0 (ranks 0, 1, 2, 3) at round 0, operation 2", hung["reason"])
        self.assertLess(hung["seconds"], hung["deadline_s"] + fakes_test.EXTRA)
        self.assertEqual(runs_of(document, "ccl.recovery")[0]["state"], "passed")

    @staticmethod
    def state_of(document, mode):
        return next(m["state"] for m in document["modes"] if m["id"] == mode)


if __name__ == "__main__":
    fakes_test.main()
