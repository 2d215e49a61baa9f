"""What the driver and its libraries say ends as a finding with a next step, in text and JSON: through the stand-ins of
tests/fakes, on the recorded host of fakes_test.py.

    findings_test.py GPUCOOP FAKES [Findings.test_…]
"""
import json
import unittest

import fakes_test

WIDTH = 80


def setUpModule():
    fakes_test.setUpModule()


def tearDownModule():
    fakes_test.tearDownModule()


class Findings(unittest.TestCase):
    def probe(self, words, told, force=True):
        argv = [fakes_test.GPUCOOP, "probe", *words, "--timeout", "60", "--budget", "60"] + (["--force"] if force else [])
        return fakes_test.HOST.run(argv, told)

    def document(self, words, told):
        done = self.probe(words + ["--format", "json"], told)
        self.assertTrue(done.stdout, done.stderr)
        return done, json.loads(done.stdout)

    def warning(self, document, code):
        texts = [w["text"] for w in document["warnings"] if w["code"] == code]
        self.assertEqual(len(texts), 1, document["warnings"])
        return texts[0]

    def test_why_the_driver_refuses_peers(self):
        told = {"GPUCOOP_FAKE_CUDA": "peer-no", "GPUCOOP_FAKE_NVML": "p2p-cns,no-nvlink"}
        _, document = self.document(["--p2p"], told)
        self.assertRegex(self.warning(document, "probe.peer-refused"),
                         r"direct traffic of 0000:0a:00\.0 - 0000:0b:00\.0, reads: it does not trust the processor's host "
                         r"bridge with it \(chipset not supported\)")
        text = self.probe(["--p2p"], told).stdout
        self.assertIn("refuses direct traffic", text)
        self.assertLessEqual(max(map(len, text.splitlines())), WIDTH)

    def test_mig(self):
        _, document = self.document(["--p2p"], {"GPUCOOP_FAKE_CUDA": "peer-no", "GPUCOOP_FAKE_NVML": "mig"})
        self.assertIn("sudo nvidia-smi -i 0000:0b:00.0 -mig 0", self.warning(document, "probe.mig"))

    def test_a_library_that_does_not_fit_the_module(self):
        # Who uses the GPUs is hidden here, and the driver does not help.
        done = self.probe(["--dispatch"], {"GPUCOOP_FAKE_NVML": "init-18"}, force=False)
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertRegex(done.stderr, r"Driver/library version mismatch \(18\)")
        self.assertIn("reboot, or unload the nvidia modules", done.stderr)
        _, document = self.document(["--dispatch"], {"GPUCOOP_FAKE_CUDA": "init-803", "GPUCOOP_FAKE_NVML": "init-18"})
        self.assertIn("of different versions: reboot", self.warning(document, "probe.driver"))
        run = next(r for r in document["probes"] if r["rung"] == "gpu.dispatch")
        self.assertEqual(run["state"], "refused")
        said = [f for f in run["findings"] if "gpucoop explain cuda-driver-mismatch" in f]
        self.assertEqual(len(said), 1, run["findings"])
        self.assertIn("What to do: reboot", said[0])

    def test_a_driver_that_shows_no_gpu(self):
        _, document = self.document(["--dispatch"], {"GPUCOOP_FAKE_CUDA": "no-device"})
        run = next(r for r in document["probes"] if r["rung"] == "gpu.dispatch")
        self.assertIn("CUDA_VISIBLE_DEVICES", " ".join(run["findings"]))

    def test_nothing_is_said_where_all_is_well(self):
        _, document = self.document(["--dispatch"], {})
        self.assertEqual([w for w in document["warnings"] if w["code"].startswith(("probe.peer", "probe.mig", "probe.driver"))
                          and w["code"] != "probe.driver-list"], [])


if __name__ == "__main__":
    fakes_test.main()
