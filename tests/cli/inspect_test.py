#!/usr/bin/env python3
"""What `gpucoop inspect` promises, and what libraries do to verdicts and recordings. inspect_test.py SOURCE_DIR GPUCOOP."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, GPUCOOP = pathlib.Path(sys.argv[1]).resolve(), os.path.abspath(sys.argv[2])
FIXTURES = SOURCE / "fixtures"
sys.path.insert(0, str(SOURCE / "tests/support"))
sys.path.insert(0, str(SOURCE / "tests/schema"))
sys.dont_write_bytecode = True

import code_objects  # noqa: E402
import sysfs_tree  # noqa: E402
import validate  # noqa: E402

SCHEMA = json.loads((SOURCE / "src/render/inspection.schema.json").read_text(encoding="utf-8"))
RECORDING = json.loads((SOURCE / "src/read/recording/recording.schema.json").read_text(encoding="utf-8"))
GENERIC = code_objects.GENERIC
GATED = FIXTURES / "asus-tuf-b650e-dual-r9700"      # 0b:00.0: AtomicOps do not reach the CPU; both gfx1201
OPEN = FIXTURES / "asus-proart-b850-dual-r9700"     # the same cards, both with AtomicOps
NVIDIA = FIXTURES / "x570-dual-rtx3090-idle"
FREE = {"gfx1100": {GENERIC: False}, "gfx1201": {GENERIC: False, "ncclDevKernelDebug_1": True}}
NEEDS = {"gfx1201": {GENERIC: True, "ncclDevReduce": False}}
OTHERS = {"gfx90a": {GENERIC: True}, "gfx942": {GENERIC: True}}


def run(*args, env=None):
    clean = {k: v for k, v in os.environ.items()
             if k not in ("VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "LD_PRELOAD", "VLLM_NCCL_SO_PATH")}
    return subprocess.run([GPUCOOP, *map(str, args)], capture_output=True, text=True, timeout=120, check=False,
                          env={**clean, **(env or {})})


def plain(text):
    """In one line, so that it does not matter where lines are broken."""
    return " ".join(text.split())


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def put(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def text(self, *args, code=0):
        done = run(*args)
        self.assertEqual(done.returncode, code, done.stderr)
        for line in done.stdout.replace(str(self.folder), "…").splitlines():
            self.assertLessEqual(len(line), 80, line)
        return plain(done.stdout)

    def inspection(self, *args):
        done = run("inspect", "--format", "json", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        if validate.jsonschema is not None:
            found = ["%s: %s" % ("/".join(map(str, e.absolute_path)), e.message[:200])
                     for e in validate.jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)]
            self.assertEqual(found, [])
        return document

    def report(self, *args):
        done = run(*args, "--format", "json")
        self.assertIn(done.returncode, (0, 1, 2, 3), done.stderr)
        return json.loads(done.stdout)

    def mode(self, report, name):
        return [mode for mode in report["modes"] if mode["id"] == name][0]

    def fact(self, report, name, gpu):
        return [f for f in report["facts"] if f["id"] == name and f["subject"]["of"] == [gpu]][0]


class NamedFiles(Case):
    def test_a_library_that_needs_atomics_is_refused_where_they_end(self):
        library = self.put("librccl.so.1", code_objects.rccl(NEEDS))
        text = self.text("inspect", library, "--from", GATED / "lspci-vv.txt")
        self.assertIn("0b:00.0 (gfx1201): has code for it; 1 of 2 kernels declares a hostcall buffer, so that it needs "
                      "PCIe atomics, which do not reach the CPU from there: its kernels are refused.", text)
        self.assertIn("03:00.0 (gfx1201): has code for it; 1 of 2 kernels declares a hostcall buffer, so that it needs "
                      "PCIe atomics, which reach the CPU from there.", text)
        document = self.inspection(library, "--from", GATED / "lspci-vv.txt")
        only = document["libraries"][0]
        self.assertEqual((only["kind"], only["vendor"], only["version_of"], only["version"], only["found_by"]),
                         ("rccl", "amd", "RCCL", "2.27.7+hip7.2", "given"))
        self.assertEqual([a["needs_atomics"] for a in only["answers"]], ["yes", "yes"])
        self.assertEqual([a["hostcall_kernels"] for a in only["answers"]], [1, 1])
        self.assertEqual([g["atomics"] for g in document["gpus"]], ["yes", "no"])

    def test_kernels_for_debugging_do_not_count(self):
        library = self.put("librccl.so.1", code_objects.rccl(FREE))
        text = self.text("inspect", library, "--from", GATED / "lspci-vv.txt")
        self.assertIn("03:00.0 and 0b:00.0 (gfx1201): has code for it; 1 of 2 kernels declares a hostcall buffer for "
                      "debugging only, so that it needs no PCIe atomics.", text)
        self.assertIn("ncclDevKernelDebug_1", self.text("inspect", "-v", library, "--from", GATED / "lspci-vv.txt"))

    def test_a_library_without_the_gpus_code_is_the_librarys_fault(self):
        library = self.put("librccl.so.1", code_objects.rccl(OTHERS))
        text = self.text("inspect", library, "--from", GATED / "lspci-vv.txt")
        self.assertIn("has no code for it: its code is for gfx90a, gfx942. That is a no with this library, and not a "
                      "fault of the host.", text)
        answers = self.inspection(library, "--from", GATED / "lspci-vv.txt")["libraries"][0]["answers"]
        self.assertEqual({a["code"] for a in answers}, {"no"})
        self.assertEqual({a["needs_atomics"] for a in answers}, {"unknown"})

    def test_family_code_serves_its_members(self):
        library = self.put("librccl.so.1", code_objects.rccl({"gfx12-generic": {GENERIC: False}}))
        self.assertIn("has code for it (gfx12-generic)", self.text("inspect", library, "--from", GATED / "lspci-vv.txt"))

    def test_nvidia(self):
        for images, code, words in [([(2, 80), (1, 90)], "yes", "has code for it (sm_80)"),
                                    ([(2, 90), (1, 80)], "ptx-only", "has no code for it, but PTX (compute_80)"),
                                    ([(2, 90), (1, 90)], "no", "has no code for it: its code is for")]:
            with self.subTest(code=code):
                library = self.put("libnccl.so.2", code_objects.nccl(images))
                answers = self.inspection(library, "--from", NVIDIA / "lspci-vv.txt")["libraries"][0]["answers"]
                self.assertEqual([a["code"] for a in answers], [code, code])
                self.assertEqual([a["needs_atomics"] for a in answers], ["no", "no"])
                self.assertIn(words, self.text("inspect", library, "--from", NVIDIA / "lspci-vv.txt"))

    def test_without_gpus_every_target_is_told(self):
        library = self.put("librccl.so.1", code_objects.rccl(NEEDS))
        listing = self.put("host.txt", b"00:00.0 Host bridge: Advanced Micro Devices, Inc. [AMD] Device 14d8\n")
        done = run("inspect", library, "--from", listing)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("No GPU is known here", done.stdout)
        self.assertIn("gfx1201: 2 kernels, 1 with a hostcall buffer", done.stdout)

    def test_the_line(self):
        library = self.put("librccl.so.1", code_objects.rccl(OTHERS))
        self.assertEqual(run("inspect", "-q", library, "--from", GATED / "lspci-vv.txt").stdout,
                         "RCCL 2.27.7+hip7.2 for 03:00.0 and 0b:00.0 (gfx1201): has no code for it: its code is for "
                         "gfx90a, gfx942\n")

    def test_wrong_files(self):
        whole = code_objects.rccl(NEEDS)
        for name, data, code in [("notes.txt", b"hello\n", 65), ("empty.so", b"", 65), ("cut.so", whole[:40], 65),
                                 ("archive.a", b"!<arch>\n", 65)]:
            with self.subTest(name=name):
                done = run("inspect", self.put(name, data), "--from", GATED / "lspci-vv.txt")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(name, done.stderr)
                self.assertEqual(done.stdout, "")
        done = run("inspect", self.folder / "gone.so")
        self.assertEqual(done.returncode, 66)
        self.assertIn("gone.so", done.stderr)
        self.assertEqual(run("inspect", self.folder).returncode, 65)
        self.assertEqual(run("inspect", "x.so", "--root", "/").returncode, 64)
        self.assertEqual(run("inspect", "x.so", "--env", "/").returncode, 64)
        self.assertEqual(run("topo", "--inspect", "--from", GATED / "lspci-vv.txt").returncode, 64)

    def test_a_cut_library_proves_no_absence(self):
        whole = code_objects.rccl({"gfx1030": {GENERIC: False}, "gfx1201": {GENERIC: True}})
        at = whole.index(b"__CLANG_OFFLOAD_BUNDLE__")
        library = self.put("librccl.so.1", whole[:at + 4096 + 600] + bytes(4096) + whole[at + 4096 + 600 + 4096:])
        answers = self.inspection(library, "--from", GATED / "lspci-vv.txt")["libraries"][0]["answers"]
        self.assertNotIn("no", {a["code"] for a in answers})
        self.assertNotIn("no", {a["needs_atomics"] for a in answers})

    def test_names_are_escaped(self):
        library = self.put("lib\x1b[31mrccl.so.1", code_objects.rccl({"gfx1201": {"k\x1b]0;x\x07": True}}))
        for options in ((), ("-v",), ("-q",)):
            out = run("inspect", *options, library, "--from", GATED / "lspci-vv.txt").stdout
            self.assertNotIn("\x1b", out)
            self.assertNotIn("\x07", out)


class Search(Case):
    def test_a_containers_root(self):
        self.put("root/opt/rocm-7.1.1/lib/librccl.so.1.0.70101", code_objects.rccl(FREE, "2.27.7+hip7.1"))
        os.symlink("rocm-7.1.1", self.folder / "root/opt/rocm")
        os.symlink("librccl.so.1.0.70101", self.folder / "root/opt/rocm-7.1.1/lib/librccl.so.1")
        self.put("root/etc/ld.so.cache", code_objects.loader_cache([("librccl.so.1", "/opt/rocm/lib/librccl.so.1")]))
        self.put("root/usr/local/lib/python3.12/dist-packages/torch/lib/librccl.so", code_objects.rccl(NEEDS))
        document = self.inspection("--root", self.folder / "root", "--from", GATED / "lspci-vv.txt")
        self.assertTrue(document["searched"])
        found = [(library["found_by"], library["found"], library["also_found"]) for library in document["libraries"]]
        self.assertEqual(found, [("loader-cache", "ld.so.cache", ["the vendor's folder"]),
                                 ("system-python", "the system's Python", [])])
        self.assertTrue(document["libraries"][0]["path"].endswith("/root/opt/rocm-7.1.1/lib/librccl.so.1.0.70101"))

    def test_environments(self):
        site = "venv/lib/python3.11/site-packages"
        self.put(site + "/torch/lib/librccl.so", code_objects.rccl(NEEDS))
        given = self.inspection("--env", self.folder / "venv", "--from", GATED / "lspci-vv.txt")["libraries"][0]
        self.assertEqual((given["found_by"], given["found"]), ("environment", "pip: %s" % (self.folder / "venv")))
        done = run("inspect", "--format", "json", "--from", GATED / "lspci-vv.txt",
                   env={"VIRTUAL_ENV": str(self.folder / "venv")})
        self.assertEqual(json.loads(done.stdout)["libraries"][0]["found_by"], "environment")
        done = run("inspect", "--format", "json", "--from", GATED / "lspci-vv.txt",
                   env={"LD_LIBRARY_PATH": str(self.folder / site / "torch/lib")})
        self.assertEqual(json.loads(done.stdout)["libraries"][0]["found_by"], "library-path")

    def test_nothing_found_is_said(self):
        (self.folder / "root").mkdir()
        text = self.text("inspect", "--root", self.folder / "root", "--from", GATED / "lspci-vv.txt")
        self.assertIn("No collective library was found", text)
        self.assertIn("/etc/ld.so.cache", text)
        self.assertEqual(run("inspect", "-q", "--root", self.folder / "root").stdout,
                         "no collective library was found\n")
        self.assertEqual(run("inspect", "--root", self.folder / "none").returncode, 66)
        self.assertEqual(run("inspect", "--env", self.folder / "none").returncode, 66)

    def test_a_library_that_cannot_be_read_is_listed(self):
        self.put("root/opt/rocm/lib/librccl.so.1", b"no library")
        document = self.inspection("--root", self.folder / "root", "--from", GATED / "lspci-vv.txt")
        only = document["libraries"][0]
        self.assertEqual((only["kind"], only["complete"]), ("rccl", False))
        self.assertEqual({a["code"] for a in only["answers"]}, {"unknown"})
        self.assertEqual(only["warnings"][0]["code"], "library.unreadable")


class Verdicts(Case):
    def tensor(self, targets, host=GATED):
        library = self.put("librccl.so.1", code_objects.rccl(targets))
        report = self.report("topo", "--library", library, "--from", host / "lspci-vv.txt")
        mode = self.mode(report, "tensor")
        return report, (mode["state"], mode["expected"]), mode["why"]

    def test_a_gated_card_with_a_hostcall_free_library_is_no_no(self):
        report, answer, _ = self.tensor(FREE)
        self.assertEqual(answer, ("unknown", "degraded"))
        fact = self.fact(report, "library.hostcall", "0000:0b:00.0")
        self.assertEqual((fact["status"], fact["value"], fact["tier"]), ("known", False, "queried"))
        self.assertIn("1 of 2 kernels for this GPU declare hidden_hostcall_buffer", fact["evidence"])

    def test_a_gated_card_with_a_library_that_calls_the_host_is_a_no(self):
        report, answer, why = self.tensor(NEEDS)
        self.assertEqual(answer[0], "no")
        self.assertIn("0b:00.0", why)
        self.assertEqual(self.fact(report, "library.hostcall", "0000:0b:00.0")["value"], True)
        self.assertEqual(self.mode(report, "layer-split")["expected"], "yes")

    def test_no_code_is_a_no_with_this_library(self):
        report, answer, why = self.tensor(OTHERS, OPEN)
        self.assertEqual(answer[0], "no")
        self.assertIn("no with this library, not a fault of the host", why)
        self.assertIn("library-for-arch", self.mode(report, "tensor")["remedies"])
        self.assertEqual(self.fact(report, "library.code_object", "0000:03:00.0")["value"], False)

    def test_the_exit_status_follows(self):
        for targets, code in ((FREE, 2), (NEEDS, 1), (OTHERS, 1)):
            library = self.put("librccl.so.1", code_objects.rccl(targets))
            done = run("verdict", "--require", "tensor", "--accept", "expected", "--library", library, "--from",
                       GATED / "lspci-vv.txt")
            self.assertEqual(done.returncode, code, done.stdout)

    def test_a_library_of_another_vendor_says_nothing(self):
        library = self.put("libnccl.so.2", code_objects.nccl([(2, 90)]))
        report = self.report("topo", "--library", library, "--from", GATED / "lspci-vv.txt")
        self.assertEqual(self.fact(report, "library.hostcall", "0000:0b:00.0")["status"], "unknown")
        self.assertEqual(self.mode(report, "tensor")["expected"], "no")

    def test_explain_tells_the_story(self):
        text = plain(run("explain", "library.hostcall").stdout)
        for word in ("assert", "COLLTRACE", "table of functions", "7.1.1", "7.2.1", "2.30.4", "rocvirtual.cpp", "6074"):
            self.assertIn(word, text)


class LiveAndRecordings(Case):
    def host(self, source, *libraries):
        """A copy of a host with libraries in it."""
        root = self.folder / "host"
        if root.exists():
            sysfs_tree.removable(root)
            shutil.rmtree(root)
        sysfs_tree.Tree.parse((source / "sysfs.tree").read_text(encoding="utf-8")).unpack(root)
        self.addCleanup(lambda: root.exists() and sysfs_tree.removable(root))
        for folder in (root, root / "opt", root / "usr"):
            if folder.exists():
                folder.chmod(0o755)
        for name, data in libraries:
            self.put("host/" + name, data)
        return root

    def replay(self, root, *options):
        out = self.folder / "host.json"
        done = run("record", "--sysroot", root, "-o", out, "--overwrite", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(out.read_text(encoding="ascii"))
        if validate.jsonschema is not None:
            self.assertEqual([e.message[:200] for e in
                              validate.jsonschema.Draft202012Validator(RECORDING).iter_errors(document)], [])
        live = self.report("topo", "--sysroot", root, *options)
        again = self.report("topo", "--from", out)
        for report in (live, again):
            for key in ("taken_at", "sources"):
                del report[key]
            for key in ("source", "live"):
                del report["host"][key]
            for gpu in report["gpus"]:
                del gpu["holders"]
        self.assertEqual(live, again)
        return document, live

    def test_a_gated_host_is_looked_into_and_the_recording_says_the_same(self):
        root = self.host(GATED, ("opt/rocm/lib/librccl.so.1", code_objects.rccl(FREE)),
                         ("home/MARK/secret/librccl.so.1", b"x"))
        document, live = self.replay(root)
        only = document["libraries"][0]
        self.assertEqual((only["file"], only["found_by"]), ("librccl.so.1", "vendor-folder"))
        self.assertRegex(only["library"]["sha256"], "^[0-9a-f]{64}$")
        self.assertEqual([t["name"] for t in only["library"]["targets"]], ["gfx1100", "gfx1201"])
        self.assertNotIn("/opt", json.dumps(document["libraries"]))
        self.assertNotIn(str(self.folder), json.dumps(document))
        self.assertIn(self.mode(live, "tensor")["expected"], ("yes", "degraded"))
        self.assertEqual(self.fact(live, "library.hostcall", "0000:0b:00.0")["value"], False)

    def test_the_first_that_would_be_loaded_counts_and_the_other_is_told(self):
        root = self.host(GATED, ("opt/rocm/lib/librccl.so.1", code_objects.rccl(FREE)),
                         ("usr/local/lib/python3.12/dist-packages/torch/lib/librccl.so", code_objects.rccl(NEEDS)))
        document, live = self.replay(root)
        self.assertEqual([entry["found_by"] for entry in document["libraries"]], ["system-python", "vendor-folder"])
        self.assertEqual(self.mode(live, "tensor")["state"], "no")
        told = [w for w in live["warnings"] if w["code"] == "library.differ"]
        self.assertEqual(len(told), 1)
        self.assertIn("--library", told[0]["text"])

    def test_none_is_not_a_no(self):
        document, live = self.replay(self.host(GATED))
        self.assertEqual(document["libraries"], [])
        fact = self.fact(live, "library.hostcall", "0000:0b:00.0")
        self.assertEqual((fact["status"], fact["reason"]), ("unknown", "not-inspected"))
        self.assertIn("no RCCL was found", fact["evidence"])
        self.assertEqual(self.mode(live, "tensor")["expected"], "no")

    def test_damage_is_kept_in_the_recording(self):
        document, live = self.replay(self.host(GATED, ("opt/rocm/lib/librccl.so.1", b"no library")))
        self.assertIs(document["libraries"][0]["library"]["complete"], False)
        self.assertEqual(self.fact(live, "library.code_object", "0000:0b:00.0")["status"], "unknown")

    def test_a_host_without_doubt_is_looked_into_only_when_asked(self):
        library = ("opt/rocm/lib/librccl.so.1", code_objects.rccl(OTHERS))
        trees = [f.parent for f in sorted(FIXTURES.glob("*/sysfs.tree")) if f.parent.name != GATED.name]
        self.assertTrue(trees)
        looked = 0
        for tree in trees:
            root = self.host(tree, library)
            plainly = self.report("topo", "--sysroot", root)
            if any(g["vendor"] == "amd" and g["atomics"]["state"] != "yes" for g in plainly["gpus"]):
                continue
            looked += 1
            facts = [f for f in plainly["facts"] if f["id"].startswith("library.") and f["status"] == "known"]
            self.assertEqual(facts, [], tree.name)
        self.assertGreater(looked, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
