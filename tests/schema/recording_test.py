#!/usr/bin/env python3
"""The schema of recordings and the reader of them refuse the same documents: recording_test.py GPUCOOP SCHEMA FIXTURES."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import validate

GPUCOOP, SCHEMA_FILE, FIXTURES = sys.argv[1:4]
with open(SCHEMA_FILE, encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)

RECORDING = {
    "schema": "gpucoop.recording/1", "tool": {"name": "gpucoop", "version": "0.1.0"}, "sources": ["live"],
    "taken_at": "2026-11-30T06:44:55Z",
    "host": {"kernel": "6.12.63+deb13-amd64", "board": None, "command_line": {"unknown": "hidden-by-container"},
             "slots": [{"designation": "PCIEX16_1", "type": "a5", "width": 16, "address": None}],
             "modules": [{"name": "amdgpu", "version": None}],
             "nodes": [{"path": "/dev/kfd", "mode": 432, "may_open": False, "device": None, "group": "render"}]},
    "devices": [
        {"address": "0000:00:01.1", "vendor_id": "1022", "device_id": "14db", "class_code": "0604", "header_type": 1,
         "buses": {"primary": "00", "secondary": "0b", "subordinate": "0b"},
         "express": {"type": "Root Port", "speed_gts": 2.5, "width": 16, "atomic_completer32": True}},
        {"address": "0000:0b:00.0", "vendor_id": "1002", "device_id": "7551", "class_code": "0300",
         "express": {"unknown": "no-root"}, "bars": [{"index": 0, "size": 34359738368, "memory": True}],
         "resizable_bars": [{"index": 0, "supported": [268435456]}]}],
    "fabric": [{"a": "0000:0b:00.0", "b": "0000:0c:00.0", "kind": "xgmi", "links": 1, "gbytes_per_s": 64.5}],
    "driver_links": [{"from": "0000:0b:00.0", "to": "0000:0c:00.0", "kind": "pcie", "weight": 40}],
    "log": [{"cause": "amdgpu-no-atomics", "text": "PCIE atomic ops is not supported", "device": "0000:0b:00.0"}],
    "disagreements": [{"device": "0000:0b:00.0", "field": "LnkSta width", "kept": "x1", "other": "x16"}],
    "warnings": [{"code": "live.no-pci", "text": "The kernel shows no PCI bus here."}],
    "lists_devices": True, "listing_complete": True,
}
DEVICE = ["devices", 0]


def changed(path, value):
    return validate.changed(RECORDING, path, value)


def by_schema(document):
    return [e.message[:200] for e in validate.jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)]


def by_reader(document):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "host.json"
        file.write_text(json.dumps(document), encoding="ascii")
        return subprocess.run([GPUCOOP, "topo", "--from", str(file), "--format", "json"], capture_output=True, text=True,
                              timeout=60, check=False)


def measured_here():
    """The example with results of probes on this very host."""
    fingerprint = json.loads(by_reader(RECORDING).stdout)["host"]["fingerprint"]
    run = {"rung": "p2p.write", "gpus": ["0000:0b:00.0"], "ranks": 1, "state": "passed", "seconds": 0.25,
           "library_name": "librccl.so.1", "library_version": "2.22.3", "facts": ["gpu.dispatch@0000:0b:00.0"]}
    fact = {"id": "gpu.dispatch", "subject": {"kind": "gpu", "of": ["0000:0b:00.0"]}, "value": True, "tier": "probed"}
    return {**RECORDING, "measured": {"fingerprint": fingerprint, "taken_at": "2026-11-30T06:44:55Z", "runs": [run],
                                      "facts": [fact]}}


class Schema(unittest.TestCase):
    def test_it_is_a_schema(self):
        validate.jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_the_example_is_accepted_by_both(self):
        self.assertEqual(by_schema(RECORDING), [])
        done = by_reader(RECORDING)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertFalse([w for w in report["warnings"] if w["code"].startswith("recording.")])
        self.assertEqual([gpu["address"] for gpu in report["gpus"]], ["0000:0b:00.0"])

    def test_additions_are_free(self):
        for path in (["colour"], DEVICE + ["colour"], ["host", "colour"], DEVICE + ["express", "colour"]):
            document = changed(path, {"red": 1})
            self.assertEqual(by_schema(document), [])
            self.assertEqual(by_reader(document).returncode, 0)

    def test_both_refuse(self):
        wrong = [
            (["schema"], ...), (["schema"], "gpucoop.recording/2"), (["schema"], 1), (["devices"], {}), (["devices"], "none"),
            (["devices", 1], 7), (DEVICE + ["address"], ...), (DEVICE + ["address"], "0b:00"),
            (DEVICE + ["address"], "0000:0b:20.0"), (DEVICE + ["address"], "0000:0b:00.8"), (DEVICE + ["address"], None),
            (DEVICE + ["vendor_id"], 4130), (DEVICE + ["header_type"], "1"), (DEVICE + ["buses"], [0, 1, 1]),
            (DEVICE + ["buses", "primary"], ...), (DEVICE + ["buses", "primary"], 0), (DEVICE + ["express"], "x16"),
            (DEVICE + ["express", "width"], "16"), (DEVICE + ["express", "width"], 1.5),
            (DEVICE + ["express", "speed_gts"], "2.5"), (DEVICE + ["express", "type"], 4),
            (DEVICE + ["express", "atomic_completer32"], 1), (DEVICE + ["lost"], None), (DEVICE + ["express"], {"unknown": 1}),
            (["devices", 1, "bars", 0, "index"], ...), (["devices", 1, "bars", 0, "index"], -1),
            (["devices", 1, "bars"], None), (["devices", 1, "resizable_bars", 0, "supported"], 5),
            (["host"], []), (["host", "kernel"], 6), (["host", "slots"], {}), (["host", "modules", 0, "name"], ...),
            (["host", "nodes", 0, "path"], ...), (["host", "nodes", 0, "device"], "gpu"), (["fabric", 0, "kind"], "rope"),
            (["fabric", 0, "a"], ...), (["driver_links", 0, "to"], "cpu"), (["log", 0, "cause"], ...), (["log", 0, "text"], ...),
            (["disagreements", 0, "field"], ...), (["warnings", 0, "code"], ...), (["lists_devices"], "yes"),
            (["listing_complete"], 1), (["taken_at"], 1796000000),
        ]
        for path, value in wrong:
            with self.subTest(path=path, value=value):
                document = changed(path, value)
                self.assertNotEqual(by_schema(document), [])
                done = by_reader(document)
                self.assertEqual(done.returncode, 65, done.stderr)
                self.assertIn("host.json", done.stderr)

    def test_the_reader_refuses_what_a_schema_cannot_say(self):
        first, second = RECORDING["devices"]
        for devices in ([second, first], [first, first]):
            self.assertEqual(by_reader(changed(["devices"], devices)).returncode, 65)

    def test_results_of_probes(self):
        document = measured_here()
        self.assertEqual(by_schema(document), [])
        done = by_reader(document)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual([probe["rung"] for probe in report["probes"]], ["p2p.write"])
        fact = next(fact for fact in report["facts"] if fact["id"] == "gpu.dispatch")
        self.assertEqual(fact["evidence"], "measured on 2026-11-30 by p2p.write (librccl.so.1 2.22.3)")
        self.assertIs(fact["value"], True)
        for path, value in (([], []), (["runs"], {}), (["runs", 0, "rung"], ...), (["runs", 0, "state"], "fine"),
                            (["runs", 0, "ranks"], "2"), (["facts", 0, "id"], ...), (["facts", 0, "subject", "kind"], "heap"),
                            (["facts", 0, "subject", "of"], ["0b"]), (["facts", 0, "value"], []), (["facts", 0, "tier"], "sure")):
            with self.subTest(path=path, value=value):
                wrong = validate.changed(document, ["measured"] + path, value)
                self.assertNotEqual(by_schema(wrong), [])
                self.assertEqual(by_reader(wrong).returncode, 65)
        for path, value in ((["runs", 0, "rung"], "jdoe's rung"), (["runs", 0, "backend"], "a|b"),
                            (["facts", 0, "id"], "Not.An.Id")):
            with self.subTest(path=path, value=value):
                wrong = validate.changed(document, ["measured"] + path, value)
                self.assertNotEqual(by_schema(wrong), [])
                done = by_reader(wrong)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("recording.damaged", [w["code"] for w in json.loads(done.stdout)["warnings"]])

    def test_values_that_cannot_be_are_left_out_with_a_warning(self):
        for path, value in ((DEVICE + ["vendor_id"], "10022"), (DEVICE + ["express", "width"], 3), (["taken_at"], "yesterday"),
                            (DEVICE + ["express", "speed_gts"], 7), (DEVICE + ["express", "type"], "Teapot"),
                            (["host", "kernel"], "/boot/vmlinuz"), (["log", 0, "cause"], "A B"),
                            (["host", "nodes", 0, "path"], "/home/x"), (DEVICE + ["express"], {"unknown": "because"})):
            with self.subTest(path=path, value=value):
                document = changed(path, value)
                self.assertNotEqual(by_schema(document), [])
                done = by_reader(document)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("recording.damaged", [w["code"] for w in json.loads(done.stdout)["warnings"]])

    def test_every_recording_of_the_fixtures_is_valid(self):
        files = sorted(f for f in pathlib.Path(FIXTURES).glob("*/*") if f.suffix in (".txt", ".xml", ".log", ".json")
                       and not f.name.startswith("truth"))
        count = 0
        for file in files:
            done = subprocess.run([GPUCOOP, "record", "-q", "-o", "-", "--from", str(file)], capture_output=True, text=True,
                                  timeout=60, check=False)
            if done.returncode == 65:
                continue
            with self.subTest(fixture=str(file)):
                self.assertIn(done.returncode, (0, 69), done.stderr)
                self.assertEqual(by_schema(json.loads(done.stdout)), [])
                count += 1
        self.assertGreater(count, 40)


if __name__ == "__main__":
    if validate.jsonschema is None:
        print("python3-jsonschema is not installed", file=sys.stderr)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
