"""Machines with NVIDIA GPUs."""
from machines import both, listing, machine, truths, verbose
from parts import (ACS_ISOLATING, ACS_PORT, GIB, MIB, am5_host, am5_root_port, am5_tail, at, endpoint, host_bridge,
                   nvidia_gpu, pex_switch, root_port)
from pcispace import (COMPLETER32, COMPLETER64, DOWNSTREAM, ENDPOINT, LABS, ROUTING, TO_PCI, UPSTREAM, Bar, Express,
                      Function)

NO_GATE = {"atomics.blocking": []}


def _epyc_root(address, buses, max, now, **more):
    return root_port(address, 0x1022, 0x1483, "Starship/Matisse GPP Bridge", buses, max, now, **more)


@machine
def _x570_dual_rtx3090_idle():
    """Two GeForce RTX 3090 at x8/x8 on an X570 board, read while idle in P8.

    Constructed: NVIDIA cards lower the link to 2.5 GT/s when idle and set Link Autonomous Bandwidth Status; the width
    stays.

    What is true: idle, not faulty: width is what the slots can do, the speed comes back under load. Now 2.0 GB/s, at
    best 15.75 GB/s. AtomicOps play no part for NVIDIA.
    """
    a, b = "0000:0a:00.0", "0000:0b:00.0"
    name, hda = "GA102 [GeForce RTX 3090]", (0x1AEF, "GA102 High Definition Audio Controller")
    functions = listing(
        host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex"),
        Function(at(0, 0, 3), 0x1022, 0x1482, 0x0600, "Starship/Matisse PCIe Dummy Host Bridge", bytes=256),
        _epyc_root(at(0, 0, 3, 1), (0, 0x0A, 0x0A), (16, 8), (2.5, 8), acs=(ACS_PORT, ACS_ISOLATING)),
        _epyc_root(at(0, 0, 3, 2), (0, 0x0B, 0x0B), (16, 8), (2.5, 8), slot=1, acs=(ACS_PORT, ACS_ISOLATING)),
        nvidia_gpu(a, 0x2204, name, (16, 16), (2.5, 8), status_bits=LABS, audio=hda, group=26),
        nvidia_gpu(b, 0x2204, name, (16, 16), (2.5, 8), status_bits=LABS, audio=hda, group=27))
    gpu = {"vendor": "nvidia", "link.gbytes_per_s": [1.99, 2.01], "link.ceiling_gbytes_per_s": [15.7, 15.8],
           "link.card_gbytes_per_s": [31.4, 31.6], "link.state": "idle", "link.width": 8, "link.speed_gts": 2.5}
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "gpus": {a: dict(gpu, chain=["0000:00:03.1", a], driver="nvidia"),
                 b: dict(gpu, chain=["0000:00:03.2", b], driver="nvidia")},
        "pairs": {a + " " + b: {"path": "host-bridge"}},
        "modes": {"tensor": "unknown", "layer-split": ["unknown", "yes"]},
    }
    hexed = dict(truth, inputs=["lspci-xxxx.txt"], gpus={
        key: {k: v for k, v in value.items() if k != "driver"} for key, value in truth["gpus"].items()})
    return both(functions, domain=False), truths(truth, hexed)


@machine
def _am5_t4_gen5x4_over_gen3x16():
    """A Tesla T4 below a switch: 32 GT/s x4 from the processor to the switch, 8 GT/s x16 from the switch to the card.

    Constructed (an M.2-to-switch adapter on an AM5 board): a trap for tools that take the slowest speed and the
    narrowest width apart.

    What is true: both links carry 15.75 GB/s. The path is not 8 GT/s x4 = 3.9 GB/s: nothing runs at that rate.
    """
    card = "0000:07:00.0"
    functions = listing(
        am5_host(),
        am5_root_port(at(0, 0, 1, 2), (0, 5, 7), (32, 4), (32, 4), slot=1),
        am5_tail(8),
        pex_switch(5, 7, ((32, 16), (32, 4)), [(0, 7, 7, (32, 16), (8, 16))], device=0xC030,
                   name="PEX890xx PCIe Gen 5 Switch"),
        nvidia_gpu(card, 0x1EB8, "TU104GL [Tesla T4]", (8, 16), (8, 16), cls=0x0302, type=ENDPOINT))
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 1,
        "gpus": {card: {"vendor": "nvidia", "chain": ["0000:00:01.2", "0000:05:00.0", "0000:06:00.0", card],
                        "link.gbytes_per_s": [15.74, 15.77], "link.ceiling_gbytes_per_s": [15.74, 15.77],
                        "link.state": "full"}},
        "links": {"0000:00:01.2": {"speed_gts": 32, "width": 4, "on_card": False},
                  "0000:06:00.0": {"speed_gts": 8, "width": 16, "on_card": False}},
        "modes": {"tensor": "no"},
    }
    return both(functions), truths(truth, dict(truth, inputs=["lspci-xxxx.txt"]))


@machine
def _epyc_dual_a6000_one_switch():
    """Two RTX A6000 below one PCI Express switch on an EPYC host.

    Constructed with published ids (PEX880xx, GA102GL).

    What is true: the peer path is the switch and nothing above it; no redirect is on at its downstream ports. Host
    traffic of both cards shares the one uplink at `a0:01.1`.
    """
    a, b = "0000:a3:00.0", "0000:a4:00.0"
    gen4 = (16, 16)
    functions = listing(
        host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex", numa=0),
        host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex", bus=0xA0, numa=0),
        Function(at(0, 0xA0, 1), 0x1022, 0x1482, 0x0600, "Starship/Matisse PCIe Dummy Host Bridge", bytes=256, numa=0),
        _epyc_root(at(0, 0xA0, 1, 1), (0xA0, 0xA1, 0xA4), gen4, gen4, slot=5, numa=0),
        pex_switch(0xA1, 0xA4, (gen4, gen4), [(0, 0xA3, 0xA3, gen4, gen4), (8, 0xA4, 0xA4, gen4, gen4)], numa=0,
                   down_acs=0),
        nvidia_gpu(a, 0x2230, "GA102GL [RTX A6000]", gen4, gen4, bar=64 * GIB, numa=0, group=40, slot_name="5",
                   atomics=0),
        nvidia_gpu(b, 0x2230, "GA102GL [RTX A6000]", gen4, gen4, bar=64 * GIB, numa=0, group=40))
    gpu = {"vendor": "nvidia", "link.gbytes_per_s": [31.4, 31.6], "link.state": "full"}
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "gpus": {a: dict(gpu, chain=["0000:a0:01.1", "0000:a1:00.0", "0000:a2:00.0", a]),
                 b: dict(gpu, chain=["0000:a0:01.1", "0000:a1:00.0", "0000:a2:08.0", b])},
        "pairs": {a + " " + b: {"path": "switch", "ceiling_gbytes_per_s": [31.4, 31.6]}},
        "links": {"0000:a0:01.1": {"gpus": [a, b]}, "0000:a2:00.0": {"gpus": [a]}},
        "facts": {"acs.redirect@%s,%s" % (a, b): False, "link.shared@0000:a0:01.1,0000:a1:00.0": 2},
        "modes": {"tensor": "unknown"},
    }
    return both(functions), truths(truth, dict(truth, inputs=["lspci-xxxx.txt"]))


@machine
def _b300_gen6_behind_connectx8():
    """A B300 behind the switch of a ConnectX-8: 64 GT/s x16 to the GPU, 32 GT/s x16 to the processor.

    Constructed: the shape is that of published trees of such hosts (processor, adapter's upstream port, two
    downstream ports: GPU and network function); the registers follow the specification for 64 GT/s (Link Capabilities
    2 bit 6, flit mode supported).

    What is true: the first link limits: 63.0 GB/s. The link to the GPU runs at 64 GT/s x16, twice that (121 GB/s after
    FLIT encoding). One GPU of eight is shown here, in an excerpt that starts at its root port.
    """
    card = "0000:83:00.0"
    gen5, gen6 = (32, 16), (64, 16)
    name = "ConnectX-8 PCIe Switch"

    def port(address, kind, buses, best, now, **more):
        return Function(address, 0x15B3, 0x197B, 0x0604, name, buses=buses, layout="pex", driver="pcieport", aer=(0, 0),
                        express=Express(kind, best, now, devcap2=ROUTING, **more))

    functions = listing(
        root_port(at(0, 0x80, 1), 0x8086, 0x352A, "Sapphire Rapids PCIe Root Port A", (0x80, 0x81, 0x84), gen5, gen5,
                  layout="intel", slot=4, multi=False),
        port(at(0, 0x81, 0), UPSTREAM, (0x81, 0x82, 0x84), gen6, gen5),
        port(at(0, 0x82, 0), DOWNSTREAM, (0x82, 0x83, 0x83), gen6, gen6, slot=1),
        port(at(0, 0x82, 1), DOWNSTREAM, (0x82, 0x84, 0x84), gen5, gen5, slot=2),
        nvidia_gpu(card, 0x3182, "GB110 [B300 SXM6 AC]", gen6, gen6, cls=0x0302, type=ENDPOINT, bar=512 * GIB,
                   sizes=[512 * GIB], atomics=COMPLETER32 | COMPLETER64),
        endpoint(at(0, 0x84, 0), 0x15B3, 0x1023, 0x0200, "CX8 Family [ConnectX-8]", (gen5, gen5), "mlx5_core",
                 layout="pex"))
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 1,
        "gpus": {card: {"vendor": "nvidia", "chain": ["0000:80:01.0", "0000:81:00.0", "0000:82:00.0", card],
                        "link.gbytes_per_s": [63.0, 63.03], "link.at": "0000:80:01.0", "link.speed_gts": 32,
                        "link.card_gbytes_per_s": [120.5, 121.5], "link.state": "full"}},
        "links": {"0000:82:00.0": {"speed_gts": 64, "width": 16, "max_speed_gts": 64}},
    }
    return both(functions), truths(truth, dict(truth, inputs=["lspci-xxxx.txt"]))


@machine
def _server_with_display_only():
    """A server whose only display is the ASPEED management controller, behind a PCI Express to PCI bridge.

    Constructed with published ids (1a03:1150, 1a03:2000).

    What is true: there is a display, but nothing that computes: the report is printed and the status is 69. The chain
    crosses a bridge to conventional PCI.
    """
    card = "0000:03:00.0"
    functions = listing(
        host_bridge(0x8086, 0x2020, "Sky Lake-E DMI3 Registers"),
        root_port(at(0, 0, 0x1C, 5), 0x8086, 0xA195, "C620 Series Chipset Family PCI Express Root Port #6", (0, 2, 3),
                  (8, 1), (5, 1), devcap2=0, layout="intel", rev=0xF9, slot=5, acs=None),
        Function(at(0, 2, 0), 0x1A03, 0x1150, 0x0604, "AST1150 PCI-to-PCI Bridge", rev=4, buses=(2, 3, 3),
                 layout="intel", bytes=256, express=Express(TO_PCI, (5, 1), (5, 1))),
        Function(card, 0x1A03, 0x2000, 0x0300, "ASPEED Graphics Family", rev=0x41, bytes=256, layout="intel",
                 subsystem=(0x1A03, 0x2000), subsystem_name="ASPEED Graphics Family", driver="ast", modules=("ast",),
                 bars=[Bar(0, 16 * MIB, "mem32"), Bar(1, 128 << 10, "mem32"), Bar(2, 128, "io")]),
        Function(at(0, 0, 0x1F), 0x8086, 0xA1C1, 0x0601, "C621 Series Chipset LPC/eSPI Controller", bytes=256,
                 layout="intel", rev=9, multi=True))
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 69, "gpu_count": 1,
        "host": {"source": "lspci-text"},
        "gpus": {card: {"vendor": "other", "compute": False, "driver": "ast",
                        "chain": ["0000:00:1c.5", "0000:02:00.0", card],
                        "hops": {"0000:02:00.0": {"role": "bridge"}, "0000:00:1c.5": {"role": "root-port"}}}},
    }
    hexed = dict(truth, inputs=["lspci-xxxx.txt"], host={"source": "lspci-hex"},
                 gpus={card: {k: v for k, v in truth["gpus"][card].items() if k != "driver"}})
    return both(functions, domain=False), truths(truth, hexed)


@machine
def _pci_geforce_behind_bridge():
    """A conventional PCI graphics card behind a PCI Express to PCI bridge.

    Constructed with published ids (PLX PEX8112, GeForce FX 5200).

    What is true: the card has no PCI Express capability, so it has no link and no AtomicOps to judge; that is absent
    hardware, not missing data. The bridge is named as one.
    """
    card = "0000:03:04.0"
    functions = listing(
        host_bridge(0x8086, 0x0C00, "4th Gen Core Processor DRAM Controller"),
        root_port(at(0, 0, 0x1C), 0x8086, 0x8C10, "8 Series/C220 Series Chipset Family PCI Express Root Port #1",
                  (0, 2, 3), (5, 1), (2.5, 1), devcap2=0, layout="intel", rev=0xD5, acs=None, bytes=256),
        Function(at(0, 2, 0), 0x10B5, 0x8112, 0x0604, "PEX8112 x1 Lane PCI Express-to-PCI Bridge", rev=0xAA,
                 buses=(2, 3, 3), layout="pex", bytes=256, express=Express(TO_PCI, (2.5, 1), (2.5, 1), version=1)),
        Function(card, 0x10DE, 0x0322, 0x0300, "NV34 [GeForce FX 5200]", rev=0xA1, bytes=256, layout="nvidia",
                 subsystem=(0x1043, 0x8180), subsystem_name="V9520", driver="nouveau", modules=("nouveau",),
                 bars=[Bar(0, 16 * MIB, "mem32"), Bar(1, 128 * MIB, "mem32")]),
        Function(at(0, 0, 0x1F), 0x8086, 0x8C44, 0x0601, "Z87 Express LPC Controller", bytes=256, layout="intel", rev=5,
                 multi=True))
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": [0, 69], "gpu_count": 1,
        "gpus": {card: {"vendor": "nvidia", "chain": ["0000:00:1c.0", "0000:02:00.0", card],
                        "atomics.requester_enabled": None, "hops": {"0000:02:00.0": {"role": "bridge"}}}},
        "modes": {"tensor": ["no", "unknown"]},
    }
    return {"lspci-vv.txt": verbose(functions, domain=False)}, truths(truth)
