"""What gpucoop says in a laboratory machine, against what lspci and sysfs say beside it and against what must be true."""
import json
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
for folder in ("agreement", "cases", "support"):
    sys.path.insert(0, str(TESTS / folder))

import lspci_text  # noqa: E402
import replay  # noqa: E402
import run as cases  # noqa: E402
import system_calls  # noqa: E402

ROLES = {"Root Port": "root-port", "Upstream Port": "switch-upstream", "Downstream Port": "switch-downstream",
         "Endpoint": "endpoint", "Legacy Endpoint": "endpoint", "Root Complex Integrated Endpoint": "integrated-endpoint",
         "PCI-Express to PCI/PCI-X Bridge": "bridge"}
ATOMICS = {"routing": "AtomicOpsCap.Routing", "completer32": "AtomicOpsCap.32bit", "completer64": "AtomicOpsCap.64bit",
           "requester_enabled": "AtomicOpsCtl.ReqEn", "egress_blocked": "AtomicOpsCtl.EgressBlck"}
ACS = {"source_validation": "SrcValid", "translation_blocking": "TransBlk", "request_redirect": "ReqRedir",
       "completion_redirect": "CmpltRedir", "upstream_forwarding": "UpstreamFwd", "egress_control": "EgressCtrl",
       "direct_translated": "DirectTrans"}
LINK = {"speed_gts": ("current_link_speed", "LnkSta.Speed"), "width": ("current_link_width", "LnkSta.Width"),
        "max_speed_gts": ("max_link_speed", "LnkCap.Speed"), "max_width": ("max_link_width", "LnkCap.Width")}
class Sysfs:
    def __init__(self, text):
        self.devices, self.slots = {}, {}
        for line in text.splitlines():
            name, key, value = (line.split(" ", 2) + [""])[:3]
            if key == "slot":
                self.slots[name] = value
            elif key == "resource":
                self.devices.setdefault(name, {}).setdefault("resource", []).append([int(v, 16) for v in value.split()])
            else:
                self.devices.setdefault(name, {})[key] = value

    def gpus(self):
        return sorted(a for a, d in self.devices.items() if int(d["class"], 16) >> 16 in (0x03, 0x12))

    def chain(self, address):
        return [part for part in self.devices[address]["path"].split("/") if part in self.devices]

    def link(self, address, key):
        text = self.devices[address].get(LINK[key][0])
        if text is None or text.startswith("Unknown"):
            return None
        if "speed" in key:
            return float(text.split()[0])
        # No link has a capability of 0 lanes, and of a function without a link the kernel shows 0 lanes. Where there
        # is one, a Link Status of 0 is a link that is down.
        if int(text) == 255 or (int(text) == 0 and (key == "max_width" or not self.has_link(address))):
            return None
        return int(text)

    def has_link(self, address):
        device = self.devices[address]
        return device.get("max_link_width") not in (None, "0", "255") or device["max_link_speed"][0].isdigit()

    def largest_bar(self, address):
        memory = [end - start + 1 for start, end, flags in self.devices[address]["resource"][:6] if flags & 0x200]
        return max(memory, default=None)


def load(folder, name, findings):
    """The report and the exit status of `name`."""
    code = int((folder / (name + ".exit")).read_text())
    errors = (folder / (name + ".err")).read_text(errors="replace")
    findings.expect(name + " exit status", code in (0, 69), [0, 69], "%d: %s" % (code, errors))
    try:
        report = json.loads((folder / name).read_text(encoding="utf-8"))
    except ValueError as error:
        findings.expect(name, False, "JSON", str(error))
        return None, code
    cases.validate(report, findings)
    return report, code


def compare_hop(who, hop, sysfs, printed, findings):
    address = hop["address"]
    fields = printed[address].fields
    for key, (_, register) in LINK.items():
        findings.fit("%s %s link.%s and sysfs" % (who, address, key), key, sysfs.link(address, key), hop["link"][key])
        if who == "root" and register in fields:
            wanted = None if fields[register] == "unknown" or (key == "max_width" and fields[register] == 0) else \
                fields[register]
            findings.fit("%s %s link.%s and lspci" % (who, address, key), key, wanted, hop["link"][key])
    kind = fields.get("Express.type")
    if kind in ROLES:
        findings.fit("%s %s role" % (who, address), "role", ROLES[kind], hop["role"])
    for key, register in ATOMICS.items():
        # Where a bit has no meaning for the type of port, lspci does not print it.
        if register in fields or who != "root" or "Express.type" not in fields:
            findings.fit("%s %s atomics.%s" % (who, address, key), key, fields.get(register), hop["atomics"][key])
    for key, name in ACS.items():
        findings.fit("%s %s acs.%s" % (who, address, key), key, fields.get("ACSCtl." + name), hop["acs"][key])


def compare_gpus(who, report, printed, parents, sysfs, findings):
    """Each GPU of a report against the listing of lspci (as `lspci_text` takes it apart), and against sysfs."""
    findings.fit(who + " devices of lspci and sysfs", "list", [sorted(sysfs.devices)], sorted(printed))
    findings.fit(who + " GPUs", "list", [sysfs.gpus()], sorted(gpu["address"] for gpu in report["gpus"]))
    for gpu in report["gpus"]:
        address = gpu["address"]
        device = sysfs.devices[address]
        what = "%s %s " % (who, address)
        findings.fit(what + "chain and sysfs", "chain", sysfs.chain(address), [hop["address"] for hop in gpu["chain"]])
        for hop in gpu["chain"]:
            compare_hop(who, hop, sysfs, printed, findings)
            above = sysfs.chain(hop["address"])[:-1]
            findings.fit(what + "parent of lspci and sysfs", "parent", above[-1] if above else None,
                         parents.get(hop["address"]))
        for key in ("vendor", "device"):
            findings.fit(what + key, key, device[key][2:], gpu["ids"][key])
        findings.fit(what + "driver", "driver", device.get("driver"), gpu["driver"])
        node = int(device["numa_node"])
        findings.fit(what + "NUMA node", "numa_node", None if node < 0 else node, gpu["numa_node"])
        findings.fit(what + "BAR", "bytes", sysfs.largest_bar(address), (gpu["bar"] or {}).get("bytes"))
        slots = {sysfs.slots[hop.rsplit(".", 1)[0]] for hop in sysfs.chain(address) if hop.rsplit(".", 1)[0] in sysfs.slots}
        if slots:
            findings.expect(what + "slot", gpu["slot"] in slots, sorted(slots), gpu["slot"])


def compare_user(who, machine, folder, sysfs, findings):
    report, code = load(folder, who + ".topo.json", findings)
    if report is None:
        return
    compare_gpus(who, report, lspci_text.parse((folder / (who + ".lspci")).read_text(encoding="utf-8")),
                 lspci_text.parents((folder / (who + ".lspci.paths")).read_text(encoding="utf-8")), sysfs, findings)
    expected = dict(machine.get("expect", {}), **machine.get("expect_" + who, {}))
    wanted = expected.pop("exit", 0)
    findings.fit(who + " exit status", "exit", wanted, code)
    errors = (folder / (who + ".topo.json.err")).read_text()
    for words in expected.pop("error", []):
        findings.expect(who + " error message", words in errors, words, errors)
    before = len(findings.wrong)
    cases.compare(expected, report, findings)
    findings.wrong[before:] = [who + " " + line for line in findings.wrong[before:]]


def compare_replay(who, folder, gpucoop, findings):
    errors = (folder / (who + ".record.err")).read_text()
    code = int((folder / (who + ".record.exit")).read_text())
    findings.expect(who + " record", code == 0, 0, "%d: %s" % (code, errors))
    recording = folder / (who + ".recording.json")
    if not recording.is_file():
        return
    report = json.loads((folder / (who + ".topo.json")).read_text(encoding="utf-8"))
    for line in replay.differences(gpucoop, recording, report):
        findings.expect(who + " replay", False, "the same report", line)
    findings.checked += 1


def compare_watch(machine, folder, sysfs, findings):
    """Readings while GPUs went away and came: each is a report about those that were there just before or just after."""
    def there(n):
        paths = (folder / ("watch.%d.gpus" % n)).read_text().split() if n >= 0 else \
            [sysfs.devices[address]["path"] for address in sysfs.gpus()]
        return {path.rsplit("/", 1)[-1]: path.split("/")[4:] for path in paths}

    shrunk = grown = 0
    for n in range(len(list(folder.glob("watch.*.exit")))):
        name = "watch.%d" % n
        report, _ = load(folder, name, findings)
        if report is None:
            continue
        before, after = there(n - 1), there(n)
        shrunk += len(after) < len(before)
        grown += len(after) > len(before)
        got = {gpu["address"] for gpu in report["gpus"]}
        findings.expect(name + " GPUs", set(before) & set(after) <= got <= set(before) | set(after),
                        "%s, then %s" % (sorted(before), sorted(after)), sorted(got))
        for gpu in report["gpus"]:
            if before == after and gpu["address"] in after:
                findings.fit("%s %s chain" % (name, gpu["address"]), "chain", after[gpu["address"]],
                             [hop["address"] for hop in gpu["chain"]])
    for word, times in (("remove", shrunk), ("add", grown)):
        steps = sum(step.startswith(word) for step in machine["watch"])
        findings.expect("readings in which %s took effect" % word, times >= steps, steps, times)


def compare(machine, folder, gpucoop):
    findings = cases.Findings()
    sysfs = Sysfs((folder / "sysfs").read_text())
    for who in ("root", "nobody"):
        compare_user(who, machine, folder, sysfs, findings)
        compare_replay(who, folder, gpucoop, findings)
    traced = (folder / "strace").read_text(errors="replace")
    findings.expect("system calls were traced", "\"/sys\"" in traced, "a trace", traced[:200])
    for line in system_calls.wrong_calls(traced):
        findings.expect("system calls that only read", False, "none but reads", line)
    if machine.get("watch"):
        compare_watch(machine, folder, sysfs, findings)
    return findings
