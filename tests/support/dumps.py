"""Functions written out as people post them: hex rows, and what lspci makes of them."""
import os
import re
import subprocess
import tempfile

from pcispace import encode

CLASSES = {
    0x0100: "SCSI storage controller", 0x0104: "RAID bus controller", 0x0106: "SATA controller",
    0x0108: "Non-Volatile memory controller", 0x0200: "Ethernet controller", 0x0280: "Network controller",
    0x0300: "VGA compatible controller", 0x0302: "3D controller", 0x0380: "Display controller",
    0x0403: "Audio device", 0x0580: "Memory controller", 0x0600: "Host bridge", 0x0601: "ISA bridge",
    0x0604: "PCI bridge", 0x0680: "Bridge", 0x0806: "IOMMU", 0x0880: "System peripheral",
    0x0C03: "USB controller", 0x1200: "Processing accelerators", 0x0C05: "SMBus",
}
VENDORS = {
    0x1002: "Advanced Micro Devices, Inc. [AMD/ATI]", 0x1022: "Advanced Micro Devices, Inc. [AMD]",
    0x10DE: "NVIDIA Corporation", 0x8086: "Intel Corporation", 0x1000: "Broadcom / LSI", 0x1A03: "ASPEED Technology, Inc.",
    0x1B36: "Red Hat, Inc.", 0x10B5: "PLX Technology, Inc.", 0x1B21: "ASMedia Technology Inc.",
    0x10EC: "Realtek Semiconductor Co., Ltd.", 0x144D: "Samsung Electronics Co Ltd", 0x14C3: "MEDIATEK Corp.",
    0x1043: "ASUSTeK Computer Inc.", 0x1AF4: "Red Hat, Inc.", 0x1458: "Gigabyte Technology Co., Ltd",
    0x15B3: "Mellanox Technologies", 0x1EAE: "XFX Limited", 0x1DA2: "Sapphire Technology Limited",
    0x1234: "Bochs", 0x1849: "ASRock Incorporation", 0x2646: "Kingston Technology Company, Inc.",
}
LSPCI = "3.9.0"


def has_domain(functions):
    return any(f.domain for f in functions)


def _address(f, domain):
    return f.address if domain else f.address.split(":", 1)[1]


def header(f, domain):
    text = "%s %s [%04x]: %s %s [%04x:%04x]" % (_address(f, domain), CLASSES[f.cls], f.cls, VENDORS[f.vendor], f.name,
                                               f.vendor, f.device)
    return text + (" (rev %02x)" % f.rev if f.rev else "")


def hex_dump(functions, domain=True, as_seen=True):
    """As `lspci -D -nn -xxxx` prints it."""
    out = []
    for f in functions:
        out.append(header(f, domain or has_domain(functions)))
        data = encode(f, as_seen)[:f.bytes]
        for offset in range(0, len(data), 16):
            out.append("%02x: %s" % (offset, " ".join("%02x" % b for b in data[offset:offset + 16])))
        out.append("")
    return "\n".join(out) + "\n"


def _ids_file(functions):
    names = {}
    subsystems = {}
    for f in functions:
        names.setdefault(f.vendor, {})[f.device] = f.name
        if f.subsystem and f.subsystem_name:
            key = f.subsystem if not f.is_bridge else None
            if key:
                subsystems[(f.vendor, f.device) + key] = f.subsystem_name
    out = []
    for vendor in sorted(VENDORS):
        out.append("%04x  %s" % (vendor, VENDORS[vendor]))
        for device in sorted(names.get(vendor, {})):
            out.append("\t%04x  %s" % (device, names[vendor][device]))
            for key in sorted(subsystems):
                if key[:2] == (vendor, device):
                    out.append("\t\t%04x %04x  %s" % (key[2], key[3], subsystems[key]))
    out += ["C 03  Display controller", "\t00  VGA compatible controller", "\t\t00  VGA controller",
            "\t02  3D controller", "\t80  Display controller", "C 06  Bridge", "\t00  Host bridge", "\t01  ISA bridge",
            "\t04  PCI bridge", "\t\t00  Normal decode", "\t80  Bridge"]
    for base in sorted({cls >> 8 for cls in CLASSES} - {3, 6}):
        out.append("C %02x  Class %02x" % (base, base))
        out += ["\t%02x  %s" % (cls & 0xFF, CLASSES[cls]) for cls in sorted(CLASSES) if cls >> 8 == base]
    return "\n".join(out) + "\n"


def lspci_version():
    try:
        text = subprocess.run(["lspci", "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return text.split()[-1]


def lspci(functions, options):
    """What the real lspci prints of our bytes, with our own table of names."""
    with tempfile.TemporaryDirectory() as folder:
        dump, ids = os.path.join(folder, "dump"), os.path.join(folder, "ids")
        with open(dump, "w", encoding="utf-8") as handle:
            handle.write(hex_dump(functions, as_seen=False))
        with open(ids, "w", encoding="utf-8") as handle:
            handle.write(_ids_file(functions))
        return subprocess.run(["lspci", "-F", dump, "-i", ids, *options], capture_output=True, text=True,
                              check=True).stdout


def _size(n):
    for unit, name in ((1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if n >= unit and n % unit == 0:
            return "%d%s" % (n // unit, name)
    return str(n)


def _complete(block, f):
    """Adds to one device's text what lspci knows only on the running host."""
    lines = block.split("\n")
    out = []
    last = 0
    for line in lines:
        region = re.match(r"\tRegion (\d): (Memory|I/O ports) at ", line)
        if region:
            bar = next((b for b in f.bars if b.index == int(region.group(1))), None)
            if bar is None:      # the upper half of a 64-bit BAR, which lspci -F takes for one of its own
                continue
            if bar.base == 0:
                line = re.sub(r" at \S+", " at <unassigned>", line)
            line += " [size=%s]" % _size(bar.size)
        out.append(line)
        if re.match(r"\t(Control|Status|Latency|Interrupt): ?", line):
            last = len(out)
    extra = []
    if f.numa is not None:
        extra.append("\tNUMA node: %d" % f.numa)
    if f.group is not None:
        extra.append("\tIOMMU group: %d" % f.group)
    out[last:last] = extra
    if f.slot_name:
        at = 2 if len(out) > 1 and out[1].startswith("\tSubsystem:") else 1
        out.insert(at, "\tPhysical Slot: %s" % f.slot_name)
    if f.driver:
        out.append("\tKernel driver in use: %s" % f.driver)
    if f.modules:
        out.append("\tKernel modules: %s" % ", ".join(f.modules))
    return "\n".join(out)


def verbose(functions, options="-vv -nn", domain=True):
    """As `sudo lspci -D -nn -vv` prints it on the running host."""
    words = options.split() + (["-D"] if domain else [])
    text = lspci(functions, words)
    by_address = {_address(f, domain or has_domain(functions)): f for f in functions}
    blocks = [b for b in text.strip("\n").split("\n\n") if b.strip()]
    if "-v" not in options:
        return text
    return "\n\n".join(_complete(b, by_address[b.split(" ", 1)[0]]) for b in blocks) + "\n"


def tree(functions, options="-t"):
    return lspci(functions, options.split())


def as_lspci_3_5(text):
    """Rewrites `lspci -vv` text of 3.9 into the forms of 3.5.4: the labels and line breaks that differ."""
    out = []
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        line = lines[i]
        following = lines[i + 1] if i + 1 < len(lines) else ""
        if line.startswith("\t\tLnkSta:"):
            line = re.sub(r" \((?:downgraded|overdriven|ok|strange)\)", "", line)
            line = line + ", " + following.strip()
            i += 1
        elif line.startswith("\t\tLnkCap2:"):
            i += 1
            continue
        elif line.startswith("\t\tLnkCap:") and "Exit Latency" not in line:
            line += ", Exit Latency L0s <64ns, L1 <1us"
        elif line.startswith("\t\tDevCap2:") or line.startswith("\t\tDevCtl2:"):
            ari = re.search(r"ARIFwd[+-]", " ".join(lines[i:i + (4 if "DevCap2" in line else 1)]))
            line = re.sub(r"(TimeoutDis[+-]) (?:NROPrPrP- )?(LTR[+-]).*", r"\1, \2", line)
            line += ", OBFF " + ("Not Supported" if "DevCap2" in line else "Disabled")
            line += " " + ari.group(0) if ari else ""
        elif "AtomicOpsCap:" in line or "AtomicOpsCtl:" in line:
            line = "\t\t" + line.strip()
        elif re.match(r"\t\t\t ?(10BitTagComp|EmergencyPowerReduction|FRS)", line):
            i += 1
            continue
        line = line.replace("NonFatalErr", "UncorrErr").replace("UnsupReq", "UnsuppReq") \
            if re.match(r"\t\tDev(Ctl|Sta):", line) else line
        if line.startswith("\t\tDevCtl:"):
            flags = re.findall(r"(\w+)Err([+-])|UnsuppReq([+-])", line)
            signs = [a or b for _, a, b in flags]
            line = "\t\tDevCtl:\tReport errors: Correctable%s Non-Fatal%s Fatal%s Unsupported%s" % tuple(signs[:4])
        out.append(line)
        i += 1
    return "\n".join(out)


def quoted_mail(text, width=72):
    """As it arrives in a mail: quoted, tabs turned into blanks, long lines wrapped."""
    out = []
    for line in text.split("\n"):
        line = line.replace("\t", "        ")
        while len(line) > width:
            cut = line.rfind(" ", 0, width)
            if cut <= len(line) - len(line.lstrip()):
                break
            out.append("> " + line[:cut])
            line = line[cut + 1:]
        out.append("> " + line)
    return "\n".join(out) + "\n"
