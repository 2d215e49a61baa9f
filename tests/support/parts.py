"""Parts that machines are put together from: cards, bridges and boards with the ids and registers they really have."""
from pcispace import (Bar, Express, Function, COMPLETER128, COMPLETER32, COMPLETER64, CR, DOWNSTREAM, DT, ENDPOINT,
                      INTEGRATED, LABS, LEGACY, REQUESTER, ROOT, ROUTING, RR, SV, TB, UF, UPSTREAM)

MIB, GIB = 1 << 20, 1 << 30
HOST_ATOMICS = COMPLETER32 | COMPLETER64
ACS_PORT = SV | TB | RR | CR | UF | DT
ACS_ISOLATING = SV | RR | CR | UF       # what Linux enables where an IOMMU is on
ROUTES = ROUTING
AER_CLEAN = (0, 0)


def at(domain, bus, dev, fn=0):
    return "%04x:%02x:%02x.%x" % (domain, bus, dev, fn)


def host_bridge(vendor, device, name, bus=0, domain=0, numa=None, subsystem=None):
    return Function(at(domain, bus, 0), vendor, device, 0x0600, name, bytes=256, layout="intel", numa=numa,
                    subsystem=subsystem)


def amd_iommu(device, name, bus=0):
    return Function(at(0, bus, 0, 2), 0x1022, device, 0x0806, name, bytes=256, layout="intel")


def root_port(address, vendor, device, name, buses, max, now, devcap2=ROUTES | HOST_ATOMICS, acs=(ACS_PORT, 0), slot=0,
              layout="amd", numa=None, group=None, multi=True, version=2, status_bits=0, target=None, rev=0,
              slot_name=None, driver="pcieport", aer=AER_CLEAN, bytes=4096, **more):
    return Function(address, vendor, device, 0x0604, name, buses=buses, layout=layout, multi=multi, rev=rev,
                    express=Express(ROOT, max, now, version=version, slot=slot, devcap2=devcap2,
                                    status_bits=status_bits, target=target, ari=True),
                    acs=acs, aer=aer, driver=driver, numa=numa, group=group, slot_name=slot_name, bytes=bytes, **more)


def am5_root_port(address, buses, max, now, device=0x14DB, name="Raphael/Granite Ridge GPP Bridge", **more):
    """A GPP port of an AM5 processor: routes and completes AtomicOps."""
    more.setdefault("subsystem", (0x1022, 0x1453))
    return root_port(address, 0x1022, device, name, buses, max, now, **more)


def am5_host():
    """What every AM5 processor shows on bus 0 before its GPP ports."""
    return [
        host_bridge(0x1022, 0x14D8, "Raphael/Granite Ridge Root Complex", subsystem=(0x1043, 0x8877)),
        amd_iommu(0x14D9, "Raphael/Granite Ridge IOMMU"),
    ] + [
        Function(at(0, 0, device), 0x1022, 0x14DA, 0x0600, "Raphael/Granite Ridge PCIe Dummy Host Bridge", bytes=256)
        for device in (1, 2, 8)
    ]


def am5_tail(first_bus):
    """The internal bridge at 00:08.1 with the processor's own devices, and the SMBus and ISA functions."""
    bridge = root_port(at(0, 0, 8, 1), 0x1022, 0x14DD, "Raphael/Granite Ridge Internal GPP Bridge to Bus [C:A]",
                       (0, first_bus, first_bus), (16, 16), (16, 16), slot=None, acs=(ACS_PORT, ACS_ISOLATING))
    return [
        bridge,
        Function(at(0, 0, 0x14), 0x1022, 0x790B, 0x0C05, "FCH SMBus Controller", bytes=256, rev=0x71, multi=True,
                 driver="piix4_smbus"),
        Function(at(0, first_bus, 0), 0x1022, 0x14DE, 0x0880, "Phoenix PCIe Dummy Function", bytes=256,
                 layout="amd", rev=0xC1, express=Express(ENDPOINT, (16, 16), (16, 16))),
    ]


def amd_card(bus, link_max, link_now, gpu, name, vram, rev, inner=(32, 16), reqen=True, driver="amdgpu", group=None,
             numa=None, domain=0, audio=0xAB40, audio_name="Navi 48 HDMI/DP Audio Controller", switch_rev=0x24, bar=None,
             subsystem=None, subsystem_name=None, acs_on=True, vendor_sub=(0x1002, 0x1478)):
    """A Radeon card since Vega: switch upstream port, downstream port, GPU and audio on three buses."""
    bar = bar or vram
    completers = COMPLETER32 | COMPLETER64
    acs = (ACS_PORT, ACS_ISOLATING if acs_on else 0)
    out = [
        Function(at(domain, bus, 0), 0x1002, 0x1478, 0x0604, "Navi 10 XL Upstream Port of PCI Express Switch",
                 rev=switch_rev, buses=(bus, bus + 1, bus + 2), subsystem=vendor_sub,
                 bars=[Bar(0, 16 << 10, "mem32")], driver="pcieport", aer=AER_CLEAN, numa=numa, group=group,
                 express=Express(UPSTREAM, link_max, link_now, devcap2=ROUTES)),
        Function(at(domain, bus + 1, 0), 0x1002, 0x1479, 0x0604, "Navi 10 XL Downstream Port of PCI Express Switch",
                 rev=switch_rev, buses=(bus + 1, bus + 2, bus + 2), subsystem=(0x1002, 0x1479), driver="pcieport",
                 aer=AER_CLEAN, numa=numa, group=group, acs=acs,
                 express=Express(DOWNSTREAM, inner, inner, devcap2=ROUTES)),
        Function(at(domain, bus + 2, 0), 0x1002, gpu, 0x0300, name, rev=rev, multi=True,
                 subsystem=subsystem or (0x1002, 0x0E3B), subsystem_name=subsystem_name or name.split("[")[-1].rstrip("]"),
                 bars=[Bar(0, bar, "pref64"), Bar(2, 256 * MIB, "pref64"), Bar(4, 256, "io"),
                       Bar(5, 512 << 10, "mem32")],
                 driver=driver, modules=("amdgpu",), aer=AER_CLEAN, numa=numa, group=group,
                 rebar=[(0, bar, [256 * MIB << n for n in range((vram // (256 * MIB)).bit_length())]),
                        (2, 256 * MIB, [2 * MIB << n for n in range(8)])],
                 express=Express(LEGACY, inner, inner, devcap2=completers,
                                 devctl2=0x1400 | (REQUESTER if reqen else 0))),
    ]
    if audio:
        out.append(Function(at(domain, bus + 2, 0, 1), 0x1002, audio, 0x0403, audio_name, multi=True,
                            subsystem=(0x1002, audio), subsystem_name=audio_name, bytes=256,
                            bars=[Bar(0, 16 << 10, "mem32")], driver="snd_hda_intel", modules=("snd_hda_intel",),
                            numa=numa, group=None if group is None else group + 1,
                            express=Express(LEGACY, inner, inner)))
    return out


def r9700(bus, now, **more):
    return amd_card(bus, (32, 16), now, 0x7551, "Navi 48 [Radeon AI PRO R9700]", 32 * GIB, 0xC0, **more)


def rx7900xtx(bus, now, **more):
    more.setdefault("switch_rev", 0x10)
    return amd_card(bus, (16, 16), now, 0x744C, "Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M]", 32 * GIB, 0xC8,
                    inner=(16, 16), audio=0xAB30, audio_name="Navi 31 HDMI/DP Audio", **more)


def promontory(bus, up_max, up_now, last_bus, downs, group=None):
    """A 600-series chipset switch. `downs`: (device number, secondary, subordinate, max, now)."""
    out = [
        Function(at(0, bus, 0), 0x1022, 0x43F4, 0x0604, "600 Series Chipset PCIe Switch Upstream Port", rev=1,
                 buses=(bus, bus + 1, last_bus), subsystem=(0x1B21, 0x3328), layout="promontory", driver="pcieport",
                 aer=AER_CLEAN, group=group, express=Express(UPSTREAM, up_max, up_now)),
    ]
    for dev, secondary, subordinate, best, now in downs:
        out.append(Function(at(0, bus + 1, dev), 0x1022, 0x43F5, 0x0604, "600 Series Chipset PCIe Switch Downstream Port",
                            rev=1, buses=(bus + 1, secondary, subordinate), subsystem=(0x1B21, 0x3328),
                            layout="promontory", driver="pcieport", aer=AER_CLEAN, group=group,
                            acs=(ACS_PORT, ACS_ISOLATING),
                            express=Express(DOWNSTREAM, best, now, slot=dev, port=dev, ari=True)))
    return out


def endpoint(address, vendor, device, cls, name, link=None, driver=None, layout="amd", size=256, bar=16 << 10,
             prog_if=0, rev=0, **more):
    """A device of no interest: storage, network."""
    return Function(address, vendor, device, cls, name, prog_if=prog_if, rev=rev, bytes=size, layout=layout,
                    bars=[Bar(0, bar, "mem64")], driver=driver,
                    express=Express(ENDPOINT, link[0], link[1]) if link else None, **more)


def nvme(address, link=((16, 4), (16, 4)), **more):
    return endpoint(address, 0x144D, 0xA80C, 0x0108, "NVMe SSD Controller S4LV008[Pascal]", link, "nvme", prog_if=2, **more)


def realtek_lan(address, **more):
    return endpoint(address, 0x10EC, 0x8125, 0x0200, "RTL8125 2.5GbE Controller", ((5, 1), (5, 1)), "r8169", rev=5, **more)


def nvidia_gpu(address, device, name, link_max, now, cls=0x0300, type=LEGACY, bar=256 * MIB, driver="nvidia", rev=0xA1,
               status_bits=0, numa=None, group=None, atomics=0, reqen=False, slot_name=None, sizes=None, subsystem=None,
               audio=None):
    sizes = sizes or [64 * MIB << n for n in range((bar // (64 * MIB)).bit_length())]
    out = [Function(address, 0x10DE, device, cls, name, rev=rev, layout="nvidia", multi=audio is not None,
                    subsystem=subsystem or (0x10DE, 0x1467), subsystem_name=name.split("[")[-1].rstrip("]"),
                    bars=[Bar(0, 16 * MIB, "mem32"), Bar(1, bar, "pref64"), Bar(3, 32 * MIB, "pref64")],
                    driver=driver, modules=("nouveau", "nvidia_drm", "nvidia"), numa=numa, group=group, aer=AER_CLEAN,
                    rebar=[(1, bar, sizes)], slot_name=slot_name,
                    express=Express(type, link_max, now, devcap2=atomics, devctl2=0x400 | (REQUESTER if reqen else 0),
                                    status_bits=status_bits, target=link_max[0]))]
    if audio:
        out.append(Function(address[:-1] + "1", 0x10DE, audio[0], 0x0403, audio[1], rev=rev, layout="nvidia", multi=True,
                            subsystem=subsystem or (0x10DE, 0x1467), bars=[Bar(0, 16 << 10, "mem32")], bytes=256,
                            driver="snd_hda_intel", modules=("snd_hda_intel",), numa=numa, group=group,
                            express=Express(ENDPOINT, link_max, now)))
    return out


def pex_switch(bus, last_bus, up, downs, device=0xC010, name="PEX880xx PCIe Gen 4 Switch", rev=0xB0, numa=None,
               devctl2=0, down_acs=ACS_ISOLATING, domain=0):
    """A Broadcom switch. `up`: (max, now); `downs`: (device number, secondary, subordinate, max, now)."""
    out = [Function(at(domain, bus, 0), 0x1000, device, 0x0604, name, rev=rev, buses=(bus, bus + 1, last_bus),
                    subsystem=(0x1000, 0xA096), layout="pex", driver="pcieport", aer=AER_CLEAN, numa=numa,
                    express=Express(UPSTREAM, up[0], up[1], devcap2=ROUTES, devctl2=devctl2))]
    for dev, secondary, subordinate, best, now in downs:
        out.append(Function(at(domain, bus + 1, dev), 0x1000, device, 0x0604, name, rev=rev,
                            buses=(bus + 1, secondary, subordinate), subsystem=(0x1000, 0xA096), layout="pex",
                            driver="pcieport", aer=AER_CLEAN, numa=numa, acs=(ACS_PORT, down_acs),
                            express=Express(DOWNSTREAM, best, now, devcap2=ROUTES, slot=dev, port=dev)))
    return out


def arc_card(bus, link, gpu, name, vram, bar=None, subsystem=(0x8086, 0x1100), numa=None, group=None, driver="xe"):
    """An Arc B-series card: e2ff, e2f0 to the GPU, e2f1 to the audio function. The inner links are placeholders."""
    bar = bar or vram
    placeholder = (2.5, 1)
    acs = (ACS_PORT, ACS_ISOLATING)
    return [
        Function(at(0, bus, 0), 0x8086, 0xE2FF, 0x0604, "Battlemage PCIe Switch Upstream Port", rev=1,
                 buses=(bus, bus + 1, bus + 3), layout="intel", driver="pcieport", aer=AER_CLEAN, numa=numa,
                 bars=[Bar(0, 8 * MIB, "pref64")],
                 express=Express(UPSTREAM, link[0], link[1])),
        Function(at(0, bus + 1, 1), 0x8086, 0xE2F0, 0x0604, "Battlemage PCIe Switch Downstream Port",
                 buses=(bus + 1, bus + 2, bus + 2), layout="intel", driver="pcieport", numa=numa, acs=acs,
                 express=Express(DOWNSTREAM, placeholder, placeholder, port=1)),
        Function(at(0, bus + 1, 2), 0x8086, 0xE2F1, 0x0604, "Battlemage PCIe Switch Downstream Port",
                 buses=(bus + 1, bus + 3, bus + 3), layout="intel", driver="pcieport", numa=numa, acs=acs,
                 express=Express(DOWNSTREAM, placeholder, placeholder, port=2)),
        Function(at(0, bus + 2, 0), 0x8086, gpu, 0x0300, name, subsystem=subsystem,
                 subsystem_name=name.split("[")[-1].rstrip("]"), layout="intel", driver=driver, modules=("xe",),
                 bars=[Bar(0, 16 * MIB, "mem64"), Bar(2, bar, "pref64")], numa=numa, group=group,
                 rebar=[(2, bar, [256 * MIB << n for n in range((vram // (256 * MIB)).bit_length())])],
                 express=Express(ENDPOINT, placeholder, placeholder)),
        Function(at(0, bus + 3, 0), 0x8086, 0xE2F7, 0x0403, "Battlemage HDMI Audio", subsystem=subsystem, layout="intel",
                 bytes=256, bars=[Bar(0, 16 << 10, "mem64")], driver="snd_hda_intel", modules=("snd_hda_intel",),
                 numa=numa, express=Express(ENDPOINT, placeholder, placeholder)),
    ]
