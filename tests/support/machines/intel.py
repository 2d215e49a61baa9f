"""Machines with Intel GPUs or Intel peculiarities."""
from machines import both, listing, machine, truths, verbose
from parts import (ACS_ISOLATING, ACS_PORT, GIB, MIB, arc_card, at, endpoint, host_bridge, nvidia_gpu, root_port)
from pcispace import DOWNSTREAM, ENDPOINT, INTEGRATED, UPSTREAM, Bar, Express, Function


def _igpu(device, name, **more):
    return Function(at(0, 0, 2), 0x8086, device, 0x0300, name, layout="intel", subsystem=(0x1043, 0x8882), rev=4,
                    subsystem_name=name.split("[")[-1].rstrip("]"), driver="i915", modules=("i915", "xe"), bytes=256,
                    bars=[Bar(0, 16 * MIB, "mem64"), Bar(2, 256 * MIB, "pref64"), Bar(4, 64, "io")],
                    express=Express(INTEGRATED, None, None), **more)


@machine
def _z790_arc_b580():
    """An Arc B580 and the processor's integrated GPU on a Z790 board.

    Constructed with published ids and registers: the card's switch (8086:e2ff up, e2f0 to the GPU, e2f1 to the audio
    function) reports 2.5 GT/s x1 on its inner links, at both ends, in capability and status.

    What is true: the inner link is a placeholder and never the bottleneck. The card's own edge is 16 GT/s x8; the
    port could do 32 GT/s x16: nothing is downgraded, 15.75 GB/s. Ports of the card do not route AtomicOps, and
    nothing of Intel's stack asks for them. The integrated GPU is a root complex integrated endpoint: no link.
    """
    card, igpu = "0000:03:00.0", "0000:00:02.0"
    functions = listing(
        host_bridge(0x8086, 0xA700, "Raptor Lake-S Host Bridge/DRAM Controller", subsystem=(0x1043, 0x8882)),
        root_port(at(0, 0, 1), 0x8086, 0xA70D, "Raptor Lake PCI Express 5.0 Graphics Port (PEG010)", (0, 1, 4), (32, 16),
                  (16, 8), layout="intel", slot=1, multi=False),
        _igpu(0xA780, "Raptor Lake-S GT1 [UHD Graphics 770]"),
        arc_card(1, ((16, 8), (16, 8)), 0xE20B, "Battlemage G21 [Arc B580]", 12 * GIB, bar=16 * GIB),
        Function(at(0, 0, 0x1F), 0x8086, 0x7A04, 0x0601, "Z790 Chipset LPC/eSPI Controller", bytes=256, layout="intel",
                 rev=0x11, multi=True))
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "gpus": {
            card: {"vendor": "intel", "integrated": False, "chain": ["0000:00:01.0", "0000:01:00.0", "0000:02:01.0", card],
                   "link.gbytes_per_s": [15.7, 15.8], "link.ceiling_gbytes_per_s": [15.7, 15.8],
                   "link.card_gbytes_per_s": [15.7, 15.8], "link.at": "0000:00:01.0", "link.state": "full",
                   "hops": {"0000:01:00.0": {"on_card": True}, "0000:02:01.0": {"on_card": True}}},
            igpu: {"vendor": "intel", "integrated": True, "chain": [igpu], "link.gbytes_per_s": None,
                   "hops": {igpu: {"role": "integrated-endpoint"}}},
        },
        "links": {"0000:02:01.0": {"on_card": True}},
    }
    return both(functions), truths(truth, dict(truth, inputs=["lspci-xxxx.txt"]))


@machine
def _xeon_w_four_b60():
    """Two dual-GPU Arc Pro B60 cards, four GPUs, on a Xeon W-3400 board with x8/x8 bifurcated slots.

    Constructed with published ids. A dual B60 card has no switch of its own: each GPU brings its 8086:e2ff and the
    slot must be bifurcated, so the two GPUs of one card hang on two root ports of one root complex part.

    What is true: every GPU has 32 GT/s x8 = 31.5 GB/s to its own root port. The GPUs of one card meet at their host
    bridge (there is no switch between them); GPUs of different cards meet inside the same NUMA node.
    """
    cards = [(0x15, 1, 0x16), (0x15, 5, 0x1A), (0x37, 1, 0x38), (0x37, 5, 0x3C)]
    functions = [host_bridge(0x8086, 0x09A2, "Ice Lake Memory Map/VT-d", numa=0)]
    for root, part in ((0x15, 0x352A), (0x37, 0x352A)):
        functions.append(host_bridge(0x8086, 0x09A2, "Ice Lake Memory Map/VT-d", bus=root, numa=0))
        functions[-1].cls = 0x0880
    functions[0].cls = 0x0880
    gpus = []
    for i, (root, dev, bus) in enumerate(cards):
        functions.append(root_port(at(0, root, dev), 0x8086, 0x352A if dev == 1 else 0x352C,
                                   "Sapphire Rapids PCIe Root Port %s" % ("A" if dev == 1 else "C"),
                                   (root, bus, bus + 3), (32, 8), (32, 8), layout="intel", slot=i + 1, multi=False, numa=0,
                                   acs=(ACS_PORT, ACS_ISOLATING)))
        functions += arc_card(bus, ((32, 8), (32, 8)), 0xE211, "Battlemage G21 [Arc Pro B60]", 24 * GIB, bar=32 * GIB,
                              numa=0, group=30 + i)
        gpus.append((at(0, bus + 2, 0), [at(0, root, dev), at(0, bus, 0), at(0, bus + 1, 1), at(0, bus + 2, 0)]))
    functions = listing(functions)
    gpu = {"vendor": "intel", "link.gbytes_per_s": [31.4, 31.6], "link.ceiling_gbytes_per_s": [31.4, 31.6],
           "link.state": "full", "numa_node": 0}
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 4,
        "gpus": {address: dict(gpu, chain=chain) for address, chain in gpus},
        "pairs": {},
        "modes": {"tensor": "unknown", "layer-split": ["unknown", "yes"]},
    }
    for i in range(4):
        for j in range(i + 1, 4):
            same = cards[i][0] == cards[j][0]
            truth["pairs"]["%s %s" % (gpus[i][0], gpus[j][0])] = {
                "path": "host-bridge" if same else "numa-node", "ceiling_gbytes_per_s": [31.4, 31.6]}
    return {"lspci-vv.txt": verbose(functions)}, truths(truth)


@machine
def _tiger_lake_two_egpus():
    """Two external GeForce RTX 3060 in Thunderbolt enclosures that share one port of a laptop.

    Constructed with published ids: a Tiger Lake root port, a hub's bridge (8086:15da) and one bridge pair (8086:15d3)
    an enclosure. Thunderbolt's PCI Express links report 2.5 GT/s x4 whatever the tunnel carries.

    What is true: both GPUs are behind the one link of `00:07.0`, which they share. The integrated GPU is not part of a
    set with them.
    """
    a, b, igpu = "0000:07:00.0", "0000:2e:00.0", "0000:00:02.0"
    tunnel = (2.5, 4)

    def bridge(address, device, name, kind, buses, slot=None):
        return Function(address, 0x8086, device, 0x0604, name, buses=buses, layout="intel", driver="pcieport", bytes=256,
                        rev=2, express=Express(kind, tunnel, tunnel, slot=slot))

    hub, box = "JHL6340 Thunderbolt 3 Bridge (C step) [Alpine Ridge 2C 2016]", \
        "JHL6540 Thunderbolt 3 Bridge (C step) [Alpine Ridge 4C 2016]"
    functions = listing(
        host_bridge(0x8086, 0x9A14, "11th Gen Core Processor Host Bridge/DRAM Registers"),
        _igpu(0x9A49, "TigerLake-LP GT2 [Iris Xe Graphics]"),
        root_port(at(0, 0, 7), 0x8086, 0x9A23, "Tiger Lake-LP Thunderbolt 4 PCI Express Root Port #0", (0, 3, 0x52), tunnel,
                  tunnel, devcap2=0, layout="intel", slot=3, bytes=256, acs=None),
        bridge(at(0, 3, 0), 0x15DA, hub, UPSTREAM, (3, 4, 0x52)),
        bridge(at(0, 4, 1), 0x15DA, hub, DOWNSTREAM, (4, 5, 0x2B), slot=1),
        bridge(at(0, 4, 4), 0x15DA, hub, DOWNSTREAM, (4, 0x2C, 0x52), slot=4),
        bridge(at(0, 5, 0), 0x15D3, box, UPSTREAM, (5, 6, 0x2B)),
        bridge(at(0, 6, 1), 0x15D3, box, DOWNSTREAM, (6, 7, 0x2B), slot=1),
        bridge(at(0, 0x2C, 0), 0x15D3, box, UPSTREAM, (0x2C, 0x2D, 0x52)),
        bridge(at(0, 0x2D, 1), 0x15D3, box, DOWNSTREAM, (0x2D, 0x2E, 0x52), slot=1),
        nvidia_gpu(a, 0x2504, "GA106 [GeForce RTX 3060 Lite Hash Rate]", (16, 16), tunnel),
        nvidia_gpu(b, 0x2504, "GA106 [GeForce RTX 3060 Lite Hash Rate]", (16, 16), tunnel),
        Function(at(0, 0, 0x1F), 0x8086, 0xA082, 0x0601, "Tiger Lake-LP LPC Controller", bytes=256, layout="intel",
                 rev=0x20, multi=True))
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 3,
        "gpus": {
            a: {"chain": ["0000:00:07.0", "0000:03:00.0", "0000:04:01.0", "0000:05:00.0", "0000:06:01.0", a]},
            b: {"chain": ["0000:00:07.0", "0000:03:00.0", "0000:04:04.0", "0000:2c:00.0", "0000:2d:01.0", b]},
            igpu: {"integrated": True},
        },
        "links": {"0000:00:07.0": {"gpus": [a, b]}, "0000:04:01.0": {"gpus": [a]}},
        "pairs": {a + " " + b: {"path": ["switch", "switches"]}},
        "facts": {"link.shared@0000:00:07.0,0000:03:00.0": 2},
        "modes": {"tensor": "unknown"},
    }
    return both(functions, domain=False), truths(truth, dict(truth, inputs=["lspci-xxxx.txt"]))


@machine
def _xeon_vmd_domain():
    """An RTX A6000 beside drives behind a Volume Management Device, which have a PCI domain of their own (10000).

    Constructed with published ids; the bus numbers of the GPU's root port occur in both domains.

    What is true: the chain stays in the GPU's domain: a bridge of `10000:e0` that has the same bus numbers is no
    parent. Every address of the text carries its domain.
    """
    card = "0000:e1:00.0"
    gen4 = (16, 16)
    functions = listing(
        host_bridge(0x8086, 0x09A2, "Ice Lake Memory Map/VT-d", numa=0),
        Function(at(0, 0, 0x0E), 0x8086, 0x467F, 0x0104, "Volume Management Device NVMe RAID Controller", bytes=256,
                 layout="intel", driver="vmd", modules=("vmd",), bars=[Bar(0, 32 * MIB, "pref64")],
                 express=Express(INTEGRATED, None, None)),
        host_bridge(0x8086, 0x09A2, "Ice Lake Memory Map/VT-d", bus=0xE0, numa=1),
        root_port(at(0, 0xE0, 1), 0x8086, 0x347A, "Ice Lake PCIe Root Port A", (0xE0, 0xE1, 0xE1), gen4, gen4,
                  layout="intel", slot=6, multi=False, numa=1),
        nvidia_gpu(card, 0x2230, "GA102GL [RTX A6000]", gen4, gen4, bar=64 * GIB, numa=1),
        root_port(at(0x10000, 0xE0, 1), 0x8086, 0x347A, "Ice Lake PCIe Root Port A", (0xE0, 0xE1, 0xE1), (16, 4), (16, 4),
                  layout="intel", slot=9, multi=False, bytes=256),
        endpoint(at(0x10000, 0xE1, 0), 0x144D, 0xA80C, 0x0108, "NVMe SSD Controller S4LV008[Pascal]", ((16, 4), (16, 4)),
                 "nvme", prog_if=2))
    functions[0].cls = functions[2].cls = 0x0880
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 1,
        "gpus": {card: {"vendor": "nvidia", "chain": ["0000:e0:01.0", card], "link.gbytes_per_s": [31.4, 31.6],
                        "link.at": "0000:e0:01.0", "numa_node": 1}},
        "links": {"0000:e0:01.0": {"lower": card, "width": 16}},
    }
    return {"lspci-vv.txt": verbose(functions)}, truths(truth)
