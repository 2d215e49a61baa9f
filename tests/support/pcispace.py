"""PCI functions as register values, and their configuration space as bytes.

Register layouts: PCI Local Bus 3.0, PCI Express Base 6.0; names as in linux/pci_regs.h.
"""
import dataclasses
import struct

GEN = {2.5: 1, 5: 2, 8: 3, 16: 4, 32: 5, 64: 6}

ENDPOINT, LEGACY, ROOT, UPSTREAM, DOWNSTREAM, TO_PCI, INTEGRATED = 0, 1, 4, 5, 6, 7, 9

# AtomicOp bits of Device Capabilities 2 and Device Control 2.
ROUTING, COMPLETER32, COMPLETER64, COMPLETER128 = 0x40, 0x80, 0x100, 0x200
REQUESTER, EGRESS_BLOCK = 0x40, 0x80

# Link Status bits.
LBMS, LABS = 0x4000, 0x8000

# ACS bits, the same in capability and control.
SV, TB, RR, CR, UF, EC, DT = 1, 2, 4, 8, 16, 32, 64


@dataclasses.dataclass
class Express:
    """The PCI Express capability. Speeds in GT/s."""
    type: int
    max: tuple = None          # (speed, width) of Link Capabilities; None: no link (integrated)
    now: tuple = None          # (speed, width) of Link Status; (0, 0): link down
    version: int = 2
    slot: int = None           # physical slot number; None: no slot
    slot_watts: int = 75
    devcap2: int = 0           # AtomicOp bits only
    devctl2: int = 0
    status_bits: int = 0       # LBMS, LABS
    target: float = None       # Link Control 2 target speed; None: the maximum
    port: int = 0
    payload: int = 256
    ari: bool = False


@dataclasses.dataclass
class Bar:
    index: int
    size: int
    kind: str = "pref64"       # pref64, mem64, mem32, io
    base: int = None           # filled in by place_bars; 0: unassigned


@dataclasses.dataclass
class Function:
    address: str
    vendor: int
    device: int
    cls: int                   # base class and sub-class
    name: str
    express: Express = None
    prog_if: int = 0
    rev: int = 0
    subsystem: tuple = None    # (vendor, device)
    subsystem_name: str = None
    buses: tuple = None        # (primary, secondary, subordinate): a bridge
    bars: list = dataclasses.field(default_factory=list)
    multi: bool = False
    acs: tuple = None          # (capability, control)
    aer: tuple = None          # (uncorrectable status, correctable status); None: no AER
    ari_next: int = None       # next function number
    rebar: list = None         # [(bar index, size, [supported sizes])]
    sriov: dict = None         # enabled, total, num, offset, stride, device
    bytes: int = 4096          # how much of the space the dump shows: 4096, 256 or 64
    layout: str = "amd"
    config_ids: tuple = None   # what the id registers read where that is not (vendor, device): virtual functions
    # Not in configuration space: what only a running kernel knows.
    driver: str = None
    modules: tuple = ()
    numa: int = None
    group: int = None
    slot_name: str = None

    @property
    def domain(self):
        return int(self.address.rsplit(":", 2)[0], 16)

    @property
    def bus(self):
        return int(self.address.split(":")[-2], 16)

    @property
    def is_bridge(self):
        return self.buses is not None


# Where vendors put things: power management, MSI, Express; then the extended capabilities.
LAYOUTS = {
    "amd": dict(pm=0x50, msi=0xA0, exp=0x58, ssid=0xC0, vndr=0x100, aer=0x150, rebar=0x200, sec=0x270, acs=0x2A0,
                ltr=0x320, ari=0x328, sriov=0x330, phy16=0x410),
    "promontory": dict(pm=0x78, msi=0x50, exp=0x80, ssid=0xC0, aer=0x100, sec=0x200, acs=0x260, ltr=0x320, ari=0x328,
                       sriov=0x330, phy16=0x240, rebar=0x380),
    "nvidia": dict(pm=0x60, msi=0x68, exp=0x78, ssid=0xB4, vndr=0x100, aer=0x420, ltr=0x258, acs=0x280, ari=0x148,
                   sriov=0xBCC, sec=0x900, phy16=0xC1C, rebar=0xBB0),
    "intel": dict(pm=0xD0, msi=0xAC, exp=0x70, ssid=0x90, aer=0x100, acs=0x220, ari=0x150, sriov=0x320, ltr=0x400,
                  sec=0xA30, phy16=0xA90, rebar=0x420),
    "pex": dict(pm=0x40, msi=0x48, exp=0x68, ssid=0xA4, vndr=0x100, aer=0xFB4, acs=0x148, sec=0x160, phy16=0x1A0,
                ari=0x300, sriov=0x330, ltr=0x320, rebar=0x380),
    "qemu": dict(pm=0x90, msi=0x98, exp=0x54, ssid=0x40, aer=0x100, acs=0x148, ari=0x150, sriov=0x160, sec=0x200,
                 ltr=0x240, phy16=0x280, rebar=0x2C0),
}

PM_ID, MSI_ID, SSID_ID, EXP_ID = 0x01, 0x05, 0x0D, 0x10
AER_ID, ACS_ID, ARI_ID, SRIOV_ID, REBAR_ID, SEC_ID, PHY16_ID, VNDR_ID = 1, 0xD, 0xE, 0x10, 0x15, 0x19, 0x26, 0xB


class Space:
    def __init__(self):
        self.data = bytearray(4096)

    def u8(self, offset, value):
        self.data[offset] = value & 0xFF

    def u16(self, offset, value):
        struct.pack_into("<H", self.data, offset, value & 0xFFFF)

    def u32(self, offset, value):
        struct.pack_into("<I", self.data, offset, value & 0xFFFFFFFF)


def encode(function, as_seen=True):
    """The configuration space of a function, 4096 bytes. Not `as_seen`: with the ids that the kernel says it has."""
    space = Space()
    layout = LAYOUTS[function.layout]
    f = function
    vendor, device = (f.vendor, f.device) if not as_seen or f.config_ids is None else f.config_ids
    space.u16(0x00, vendor)
    space.u16(0x02, device)
    active = f.driver is not None or f.is_bridge
    has_io = any(bar.kind == "io" for bar in f.bars)
    space.u16(0x04, (0x0407 if has_io else 0x0406) if active else 0x0000)
    space.u8(0x08, f.rev)
    space.u8(0x09, f.prog_if)
    space.u16(0x0A, f.cls)
    space.u8(0x0C, 0x10)
    space.u8(0x0E, (1 if f.is_bridge else 0) | (0x80 if f.multi else 0))
    _bars(space, f)
    if f.is_bridge:
        for i, bus in enumerate(f.buses):
            space.u8(0x18 + i, bus)
        _windows(space, f)
        space.u8(0x3E, 0x02)
    elif f.subsystem:
        space.u16(0x2C, f.subsystem[0])
        space.u16(0x2E, f.subsystem[1])
    if f.express or f.bars:
        space.u8(0x3C, 40 + f.bus % 32 if active else 0xFF)
        space.u8(0x3D, 0x01)
    _capabilities(space, f, layout)
    if f.express and f.bytes > 256:
        _extended(space, f, layout)
    return bytes(space.data)


def _bars(space, f):
    for bar in f.bars:
        offset = 0x10 + 4 * bar.index
        if bar.kind == "io":
            space.u32(offset, (bar.base or 0) | 1)
        else:
            flags = {"pref64": 0xC, "mem64": 0x4, "mem32": 0x0}[bar.kind]
            space.u32(offset, ((bar.base or 0) & 0xFFFFFFF0) | flags)
            if bar.kind != "mem32":
                space.u32(offset + 4, (bar.base or 0) >> 32)


def _windows(space, f):
    space.u8(0x1C, 0xF1)     # I/O window closed: base above limit
    space.u8(0x1D, 0x01)
    low, high = getattr(f, "window32", (0xFFF00000, 0))
    space.u16(0x20, (low >> 16) & 0xFFF0)
    space.u16(0x22, (high >> 16) & 0xFFF0)
    low, high = getattr(f, "window64", (0xFFF00000, 0))
    space.u16(0x24, ((low >> 16) & 0xFFF0) | 1)
    space.u16(0x26, ((high >> 16) & 0xFFF0) | 1)
    space.u32(0x28, low >> 32)
    space.u32(0x2C, high >> 32)


def _capabilities(space, f, layout):
    chain = []
    if f.express or f.driver:
        chain.append((layout["pm"], PM_ID))
        space.u16(layout["pm"] + 2, 0xC803)
    if f.express:
        chain.append((layout["exp"], EXP_ID))
        _express(space, f, layout["exp"])
        chain.append((layout["msi"], MSI_ID))
        space.u16(layout["msi"] + 2, 0x0080)
    if f.is_bridge and f.subsystem:
        chain.append((layout["ssid"], SSID_ID))
        space.u16(layout["ssid"] + 4, f.subsystem[0])
        space.u16(layout["ssid"] + 6, f.subsystem[1])
    if chain:
        space.u16(0x06, 0x0010)
        space.u8(0x34, chain[0][0])
    for (offset, number), (following, _) in zip(chain, chain[1:] + [(0, 0)]):
        space.u8(offset, number)
        space.u8(offset + 1, following)


def _express(space, f, at):
    e = f.express
    space.u16(at + 0x02, e.version | e.type << 4 | (0x100 if e.slot is not None else 0)
              | (0x8000 if e.max and e.max[0] >= 64 else 0))
    payload = {128: 0, 256: 1, 512: 2}
    # Extended tags, role-based error reporting; function level reset on endpoints.
    space.u32(at + 0x04, payload[512 if e.type in (ROOT, UPSTREAM, DOWNSTREAM) else 256] | 0x8020
              | (0x10000000 if e.type == ENDPOINT else 0))
    space.u16(at + 0x08, 0x2910 | payload[e.payload] << 5)
    space.u16(at + 0x0A, 0)
    if e.max:
        speed, width = e.max
        downward = e.type in (ROOT, DOWNSTREAM)
        space.u32(at + 0x0C, min(GEN[speed], 6) | width << 4 | 0x800 | 0x400000 | (0x300000 if downward else 0)
                  | e.port << 24)
        space.u16(at + 0x10, 0x40)
        now_speed, now_width = e.now
        up = now_width > 0
        space.u16(at + 0x12, GEN.get(now_speed, 1) | now_width << 4 | 0x1000 | (0x2000 if downward and up else 0)
                  | e.status_bits)
    if e.slot is not None:
        space.u32(at + 0x14, e.slot << 19 | e.slot_watts << 7 | 0x40000)
        space.u16(at + 0x1A, 0x40 if e.now and e.now[1] else 0)
    if e.version >= 2:
        # Completion time-out ranges ABCD, LTR; ARI forwarding on downward ports.
        space.u32(at + 0x24, e.devcap2 | 0x1F | 0x800 | (0x20 if e.ari else 0))
        space.u16(at + 0x28, e.devctl2 | (0x20 if e.ari else 0))
        if e.max:
            vector = 0
            for code in range(1, GEN[e.max[0]] + 1):
                vector |= 1 << code
            space.u32(at + 0x2C, vector)
            space.u16(at + 0x30, GEN[e.target or e.max[0]])
            if GEN.get(e.now[0], 1) >= 3:
                space.u16(at + 0x32, 0x1E)


def _extended(space, f, layout):
    """Writes the extended capabilities that the function has, in the order of their offsets."""
    present = []

    def add(key, number, version=1):
        present.append((layout[key], number, version))
        return layout[key]

    if "vndr" in layout:
        at = add("vndr", VNDR_ID)
        space.u32(at + 4, 0x01010001)
    if f.aer is not None:
        at = add("aer", AER_ID, 2)
        space.u32(at + 0x04, f.aer[0])
        space.u32(at + 0x0C, 0x00462030)
        space.u32(at + 0x10, f.aer[1])
        space.u32(at + 0x14, 0x00006000)
        space.u32(at + 0x18, 0x000000A0)
    if f.acs is not None:
        at = add("acs", ACS_ID)
        space.u16(at + 4, f.acs[0])
        space.u16(at + 6, f.acs[1])
    if f.ari_next is not None:
        at = add("ari", ARI_ID)
        space.u16(at + 4, f.ari_next << 8)
    if f.sriov is not None:
        at = add("sriov", SRIOV_ID)
        s = f.sriov
        space.u32(at + 4, 0x2)
        space.u16(at + 8, 0x9 if s["enabled"] else 0)
        space.u16(at + 0x0C, s["total"])
        space.u16(at + 0x0E, s["total"])
        space.u16(at + 0x10, s["num"])
        space.u16(at + 0x14, s["offset"])
        space.u16(at + 0x16, s["stride"])
        space.u16(at + 0x1A, s["device"])
        space.u32(at + 0x1C, 0x553)
        space.u32(at + 0x20, 0x1)
    if f.rebar is not None:
        at = add("rebar", REBAR_ID)
        for i, (index, size, supported) in enumerate(f.rebar):
            bitmap = 0
            for one in supported:
                bitmap |= 1 << (one.bit_length() - 1 - 20)
            space.u32(at + 4 + 8 * i, bitmap << 4)
            space.u32(at + 8 + 8 * i, index | (len(f.rebar) << 5 if i == 0 else 0)
                      | (size.bit_length() - 1 - 20) << 8)
    e = f.express
    if e.max and e.max[0] >= 8:
        add("sec", SEC_ID)
    if e.max and e.max[0] >= 16:
        add("phy16", PHY16_ID)
    present.sort()
    if present and present[0][0] != 0x100:      # the list starts at 0x100: a null entry that only links on
        present.insert(0, (0x100, 0, 0))
    for (offset, number, version), following in zip(present, [p[0] for p in present[1:]] + [0]):
        space.u32(offset, number | version << 16 | following << 20)


def place_bars(functions):
    """Gives every BAR an address and every bridge the windows over what is below it."""
    next32, next64 = 0xF0000000, 0x7000000000
    spans = {}
    for f in sorted(functions, key=lambda x: (x.domain, x.bus, x.address)):
        for bar in f.bars:
            if bar.base is not None:
                continue
            if bar.kind == "io":
                bar.base = 0xE000 - 0x100 * bar.index
            elif bar.kind == "mem32":
                align = max(bar.size, 0x1000)
                next32 = (next32 + align - 1) // align * align
                bar.base, next32 = next32, next32 + align
            else:
                align = max(bar.size, 0x100000)
                next64 = (next64 + align - 1) // align * align
                bar.base, next64 = next64, next64 + align
            if bar.kind != "io":
                spans.setdefault((f.domain, f.bus), []).append((bar.base, bar.base + bar.size - 1))
        next32 = (next32 + 0xFFFFF) & ~0xFFFFF
    for f in functions:
        if not f.is_bridge:
            continue
        below = [s for (domain, bus), list_ in spans.items() for s in list_
                 if domain == f.domain and f.buses[1] <= bus <= f.buses[2]]
        for name, chosen in (("window32", [s for s in below if s[0] < 1 << 32]),
                             ("window64", [s for s in below if s[0] >= 1 << 32])):
            if chosen:
                low = min(s[0] for s in chosen) & ~0xFFFFF
                high = max(s[1] for s in chosen) | 0xFFFFF
                setattr(f, name, (low, high))
