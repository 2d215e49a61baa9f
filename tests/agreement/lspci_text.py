"""What `lspci -vvv -nn -D` prints about each device, as a flat dictionary of the fields that are compared."""

import re

HEADER = re.compile(r"^((?:[0-9a-f]{4,8}:)[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (.*)$")
UNCORRECTABLE = {
    "DLP": 0x10, "SDES": 0x20, "TLP": 0x1000, "FCP": 0x2000, "CmpltTO": 0x4000, "CmpltAbrt": 0x8000,
    "UnxCmplt": 0x10000, "RxOF": 0x20000, "MalfTLP": 0x40000, "ECRC": 0x80000, "UnsupReq": 0x100000,
    "ACSViol": 0x200000,
}
CORRECTABLE = {
    "RxErr": 0x1, "BadTLP": 0x40, "BadDLLP": 0x80, "Rollover": 0x100, "Timeout": 0x1000,
    "AdvNonFatalErr": 0x2000,
}
UNCORRECTABLE_MASK = sum(UNCORRECTABLE.values())
CORRECTABLE_MASK = sum(CORRECTABLE.values())
TYPES = (
    "Root Complex Integrated Endpoint", "Root Complex Event Collector", "Legacy Endpoint", "Endpoint", "Root Port",
    "Upstream Port", "Downstream Port", "PCI-Express to PCI/PCI-X Bridge", "PCI/PCI-X to PCI-Express Bridge",
)
UNITS = {"MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40, "PB": 1 << 50, "EB": 1 << 60}


def flag(text, name):
    """The value of `Name+` or `Name-`, or None."""
    m = re.search(r"(?<![\w])" + re.escape(name) + r"([+-])", text)
    return None if m is None else m.group(1) == "+"


def speed(text):
    """GT/s of `Speed 8GT/s` or `Target Link Speed: 8GT/s`; "unknown" where lspci says so."""
    m = re.search(r"Speed:? ([\d.]+)GT/s", text)
    return float(m.group(1)) if m else "unknown"


def bits(text, names):
    return sum(mask for name, mask in names.items() if flag(text, name))


def size(text):
    m = re.fullmatch(r"(\d+)([MGTPE]B)", text)
    return int(m.group(1)) * UNITS[m.group(2)]


class Device:
    """Collects the fields of one device line by line."""

    def __init__(self, header):
        self.fields = {"bars": [], "rebar": []}
        self.lost = False
        self.capability = ""
        self.label = ""
        m = re.search(r"\[([0-9a-f]{4})\]: .*\[([0-9a-f]{4}):([0-9a-f]{4})\](?: \(rev ([0-9a-f]{2})\))?", header)
        self.set("class", int(m.group(1), 16))
        self.set("vendor", int(m.group(2), 16))
        self.set("device", int(m.group(3), 16))
        self.set("rev", int(m.group(4) or "0", 16))

    def set(self, name, value):
        if value is not None:
            self.fields.setdefault(name, value)

    def line(self, text):
        if "Unknown header type" in text:
            self.lost = True
        body = text.strip()
        if re.match(r"^\tCapabilities: \[", text):
            self.capability = re.sub(r"^Capabilities: \[[^\]]*\] ", "", body)
            self.label = ""
            self.capability_line()
            return
        m = re.match(r"^(?:([A-Z][A-Za-z0-9]*(?: state)?):)", body)
        if m and not re.match(r"^(Changed|Control|Completion Timeout)", body):
            self.label = m.group(1)
        if re.match(r"^\t\S", text):
            self.device_line(body)
        else:
            self.detail_line(body)

    def device_line(self, body):
        if m := re.match(r"Bus: primary=(\w\w), secondary=(\w\w), subordinate=(\w\w)", body):
            self.set("Bus", [int(v, 16) for v in m.groups()])
        elif m := re.match(r"Subsystem: .*\[([0-9a-f]{4}):([0-9a-f]{4})\]", body):
            self.set("Subsystem.vendor", int(m.group(1), 16))
            self.set("Subsystem.device", int(m.group(2), 16))
        elif m := re.match(r"Region (\d): Memory at (\S+) \((64-bit|[^,]+), (non-)?prefetchable\)", body):
            self.fields["bars"].append({"index": int(m.group(1)), "memory": True, "64bit": m.group(3) == "64-bit",
                                        "prefetchable": m.group(4) is None, "assigned": m.group(2)[0] != "<"})
        elif m := re.match(r"Region (\d): I/O ports at (\S+)", body):
            self.fields["bars"].append({"index": int(m.group(1)), "memory": False, "64bit": False,
                                        "prefetchable": False, "assigned": m.group(2) not in ("<unassigned>", "0000")})

    def capability_line(self):
        if m := re.match(r"Express(?: \(v(\d+)\))? ", self.capability):
            self.set("Express.version", int(m.group(1) or "1"))
            self.set("Express.type", next((t for t in TYPES if t in self.capability), "unknown"))
            self.set("Express.Slot", flag(self.capability, "Slot"))

    def detail_line(self, body):
        if self.capability.startswith("Express"):
            self.express_line(body)
        elif self.capability.startswith("Power Management") and body.startswith("Status: D"):
            self.set("PM", {"D3": "D3hot"}.get(body[8:10], body[8:10]))
        elif body.startswith(("ACSCap:", "ACSCtl:")):
            for name in ("SrcValid", "TransBlk", "ReqRedir", "CmpltRedir", "UpstreamFwd", "EgressCtrl", "DirectTrans"):
                self.set(f"{self.label}.{name}", flag(body, name))
        elif body.startswith("UESta:"):
            self.set("UESta", bits(body, UNCORRECTABLE))
        elif body.startswith("CESta:"):
            self.set("CESta", bits(body, CORRECTABLE))
        elif "SR-IOV" in self.capability:
            self.virtualization_line(body)
        elif body.startswith("ARICap:"):
            self.set("ARICap.Next Function", int(re.search(r"Next Function: (\d+)", body).group(1)))
        elif self.capability.startswith("Physical Resizable BAR"):
            if m := re.match(r"BAR (\d): current size: (\w+), supported:(.*)$", body):
                self.fields["rebar"].append({"index": int(m.group(1)), "size": size(m.group(2)),
                                             "supported": [size(s) for s in m.group(3).split()]})

    def virtualization_line(self, body):
        if body.startswith("IOVCtl:"):
            self.set("IOVCtl.Enable", flag(body, "Enable"))
        for name in ("Total VFs", "Number of VFs", "VF offset", "stride"):
            if m := re.search(name + r": (\d+)", body):
                self.set("IOV." + name, int(m.group(1)))
        if m := re.search(r"Device ID: ([0-9a-f]{4})", body):
            self.set("IOV.Device ID", int(m.group(1), 16))

    def express_line(self, body):
        label = self.label
        if label in ("DevCap", "DevCtl"):
            for name in ("MaxPayload", "MaxReadReq"):
                if m := re.search(name + r" (\d+) bytes", body):
                    self.set(f"{label}.{name}", int(m.group(1)))
        elif label == "DevSta":
            for name in ("CorrErr", "NonFatalErr", "FatalErr", "UnsupReq"):
                self.set("DevSta." + name, flag(body, name))
        elif label in ("LnkCap", "LnkSta"):
            if m := re.search(r"Width x(\d+)", body):
                self.set(label + ".Speed", speed(body))
                self.set(label + ".Width", int(m.group(1)))
            if label == "LnkSta":
                for name in ("Train", "DLActive", "BWMgmt", "ABWMgmt"):
                    self.set("LnkSta." + name, flag(body, name))
        elif label == "LnkCtl":
            disabled = flag(body, "Disabled")
            self.set("LnkCtl.Disabled", flag(body, "LnkDisable") if disabled is None else disabled)
        elif label == "SltCap":
            self.set("SltCap.HotPlug", flag(body, "HotPlug"))
            self.set("SltCap.Surprise", flag(body, "Surprise"))
            if m := re.search(r"Slot #(\d+), PowerLimit ([\d.]+)W", body):
                self.set("SltCap.Slot", int(m.group(1)))
                self.set("SltCap.PowerLimit", float(m.group(2)))
        elif label == "SltSta" and body.startswith("SltSta:"):
            self.set("SltSta.PresDet", flag(body, "PresDet"))
        elif label == "AtomicOpsCap":
            for name in ("Routing", "32bit", "64bit", "128bitCAS"):
                self.set("AtomicOpsCap." + name, flag(body, name))
        elif label == "AtomicOpsCtl":
            for name in ("ReqEn", "EgressBlck"):
                self.set("AtomicOpsCtl." + name, flag(body, name))
        elif label == "LnkCap2" and body.startswith("LnkCap2:"):
            m = re.search(r"([\d.]+)GT/s", body.split(",")[0].split("-")[-1])
            self.set("LnkCap2.Speed", float(m.group(1)) if m else "reserved" if "RsvdP" in body else "unknown")
        elif label == "LnkCtl2" and body.startswith("LnkCtl2:"):
            self.set("LnkCtl2.Speed", speed(body))
        if label in ("DevCap2", "DevCtl2", "AtomicOpsCap") and "ARIFwd" in body and "DevCap2.ARIFwd" not in self.fields:
            if label == "DevCap2":
                self.set("DevCap2.ARIFwd", flag(body, "ARIFwd"))


def parse(text):
    """{address: Device}"""
    devices = {}
    device = None
    for line in text.splitlines():
        if m := HEADER.match(line):
            device = devices.setdefault(m.group(1), Device(m.group(2)))
        elif device is not None and line.strip():
            device.line(line)
    return devices


def parents(text):
    """{address: parent address or None} out of `lspci -PP -D`."""
    found = {}
    for line in text.splitlines():
        path = line.split(" ", 1)[0].split("/")
        domain = path[0].rsplit(":", 2)[0]
        chain = [path[0]] + [f"{domain}:{p}" for p in path[1:]]
        if re.fullmatch(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", chain[-1]):
            found[chain[-1]] = chain[-2] if len(chain) > 1 else None
    return found
