#!/usr/bin/env python3
"""The schema accepts what gpucoop prints and refuses what it must never print: schema_test.py GPUCOOP SCHEMA FIXTURES."""
import glob
import json
import os
import subprocess
import sys
import unittest

import validate

GPUCOOP, SCHEMA_FILE, FIXTURES = sys.argv[1:4]
with open(SCHEMA_FILE, encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)

# The smallest report with one of everything.
REPORT = {
    "schema": "gpucoop.report/1", "tool": {"name": "gpucoop", "version": "0.1.0"},
    "taken_at": "2026-11-30T00:00:00Z", "simulated": False,
    "sources": [{"file": "host.txt", "kind": "lspci-text"}],
    "host": {"source": "lspci-text", "live": False, "label": None, "virtualized": "unknown", "board": None,
             "kernel": None, "iommu": None, "fingerprint": "0123abcd", "lists_devices": True,
             "listing_complete": None, "holders_complete": False},
    "gpus": [{
        "address": "0000:0b:00.0", "vendor": "amd", "name": None, "ids": {"vendor": "1002", "device": "7551"},
        "driver": None, "integrated": False, "compute": True, "lost": False, "virtual_function": False,
        "numa_node": None, "package": None, "slot": None, "power_state": None, "bar": {"bytes": 268435456},
        "holders": [{"pid": 812, "process": "llama-server", "class": "compute", "user": "ai", "unit": None,
                     "container": None, "seconds": 10800.5, "memory_bytes": 1, "engine_seconds": None,
                     "evidence": "/proc/812/fdinfo/9"}],
        "chain_reaches_root": False,
        "chain": [{
            "address": "0000:0b:00.0", "name": None, "role": "endpoint", "on_card": False, "chipset": False,
            "slot": None,
            "atomics": {"routing": None, "completer32": True, "completer64": True, "requester_enabled": False,
                        "egress_blocked": None},
            "link": {"speed_gts": 16, "width": 1, "max_speed_gts": 32, "max_width": 16},
            "acs": {"supported": None, "source_validation": None, "translation_blocking": None,
                    "request_redirect": None, "completion_redirect": None, "upstream_forwarding": None,
                    "egress_control": None, "direct_translated": None}}],
        "atomics": {"state": "unknown", "path": "unknown", "driver": "unknown", "requester_enabled": False,
                    "blocking": [], "why": ""},
        "link": {"gbytes_per_s": None, "ceiling_gbytes_per_s": None, "card_gbytes_per_s": None, "speed_gts": None,
                 "width": None, "at": None, "state": "unknown", "why": ""}}],
    "links": [{"upper": "0000:06:09.0", "lower": "0000:09:00.0", "speed_gts": 16, "width": 1, "max_speed_gts": 16,
               "max_width": 1, "gbytes_per_s": 1.969, "ceiling_gbytes_per_s": 1.969, "state": "full", "why": "",
               "on_card": False, "gpus": ["0000:0b:00.0"]}],
    "pairs": [{"a": "0000:0b:00.0", "b": "0000:0b:00.0", "path": "unknown",
               "fabric": {"kind": "xgmi", "links": None, "gbytes_per_s": None}, "ceiling_gbytes_per_s": None,
               "acs_redirect": None,
               "p2p": {"expected": "unknown", "why": "",
                       "a_to_b": {"access": None, "write": None, "read": None, "handshake": None, "ipc": None},
                       "b_to_a": {"access": None, "write": None, "read": None, "handshake": None, "ipc": None}}}],
    "facts": [{"id": "atomics.path", "subject": {"kind": "gpu", "of": ["0000:0b:00.0"]}, "status": "unknown",
               "value": None, "reason": "no-root", "tier": "static", "evidence": ""}],
    "sets": [{"gpus": ["0000:0b:00.0"], "why": "the only GPU"}],
    "modes": [{"id": "tensor", "title": "", "set": ["0000:0b:00.0"], "state": "unknown", "expected": "no", "why": "",
               "decided_by": ["atomics.path@0000:0b:00.0"], "settled_by": None, "remedies": ["cpu-slot"]}],
    "engines": [],
    "remedies": [{"id": "cpu-slot", "text": "Move the card", "changes": ["atomics.path"], "cost": "", "risk": ""}],
    "probes": [],
    "warnings": [{"code": "input.truncated", "text": "the dump ends early", "where": "host.txt:12"}],
}


def changed(path, value):
    return validate.changed(REPORT, path, value)


class Schema(unittest.TestCase):
    def test_the_example_is_valid(self):
        self.assertEqual(validate.mistakes(SCHEMA, REPORT), [])

    def test_additions_are_free(self):
        self.assertEqual(validate.mistakes(SCHEMA, changed(["gpus", 0, "colour"], "red")), [])

    def test_wrong_documents_are_refused(self):
        gpu = ["gpus", 0]
        wrong = [
            (["schema"], "gpucoop.report/2"), (["modes"], ...), (["taken_at"], "yesterday"),
            (gpu + ["address"], "0b:00.0"), (gpu + ["address"], "0000:0B:00.0"), (gpu + ["vendor"], "AMD"),
            (gpu + ["driver"], ""), (gpu + ["chain"], []), (gpu + ["atomics", "state"], True),
            (gpu + ["atomics", "requester_enabled"], "yes"), (gpu + ["link", "gbytes_per_s"], -1),
            (gpu + ["link", "state"], "good"), (gpu + ["link", "width"], 3), (gpu + ["link", "speed_gts"], 0),
            (gpu + ["ids", "vendor"], "0x1002"), (gpu + ["holders", 0, "class"], "game"),
            (gpu + ["holders", 0, "evidence"], ""), (["host", "holders_complete"], "yes"), (gpu + ["chain", 0, "role"], "unknown"),
            (gpu + ["chain", 0, "atomics", "routing"], 0), (gpu + ["link"], ...),
            (["facts", 0, "status"], "known"), (["facts", 0, "reason"], None), (["facts", 0, "reason"], "because"),
            (["facts", 0, "value"], False), (["facts", 0, "id"], "S7"), (["facts", 0, "tier"], "guessed"),
            (["modes", 0, "state"], "maybe"), (["modes", 0, "expected"], "unknown"), (["modes", 0, "state"], "no"),
            (["pairs", 0, "path"], "near"), (["pairs", 0, "fabric", "kind"], "PCIe"),
            (["pairs", 0, "p2p", "a_to_b", "write"], "works"), (["sources", 0, "kind"], "text"),
            (["host", "virtualized"], False), (["host", "source"], None), (["warnings", 0, "text"], ""),
            (["probes"], [{"rung": "x", "state": "ok"}]),
        ]
        for path, value in wrong:
            with self.subTest(path=path, value=value):
                self.assertNotEqual(validate.mistakes(SCHEMA, changed(path, value)), [])

    def test_names_that_nothing_defines_are_found(self):
        for path, value in [(["modes", 0, "remedies"], ["magic"]), (["modes", 0, "decided_by"], ["atomics.path"]),
                            (["modes", 0, "set"], ["0000:01:00.0"]), (["pairs", 0, "a"], "0000:01:00.0"),
                            (["gpus", 0, "atomics", "blocking"], ["0000:05:00.0"])]:
            with self.subTest(path=path):
                self.assertNotEqual(validate.mistakes(SCHEMA, changed(path, value)), [])

    def test_the_report_of_every_fixture_is_valid(self):
        files = sorted(f for f in glob.glob(os.path.join(FIXTURES, "*", "*"))
                       if f.endswith((".txt", ".xml")) and os.path.isfile(f))
        self.assertTrue(files, "no fixtures in " + FIXTURES)
        for name in files:
            with self.subTest(fixture=os.path.relpath(name, FIXTURES)):
                run = subprocess.run([GPUCOOP, "topo", "--format", "json", "--from", name], capture_output=True,
                                     timeout=60, check=False)
                self.assertIn(run.returncode, (0, 65, 69), run.stderr.decode("utf-8", "replace"))
                if run.returncode != 65:
                    self.assertEqual(validate.mistakes(SCHEMA, json.loads(run.stdout)), [])


if __name__ == "__main__":
    if validate.jsonschema is None:
        print("python3-jsonschema is not installed", file=sys.stderr)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
