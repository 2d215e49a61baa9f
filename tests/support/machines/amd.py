"""Machines with AMD GPUs."""
import copy

import dumps
from machines import both, listing, machine, truths, verbose
from parts import (ACS_ISOLATING, ACS_PORT, GIB, MIB, am5_host, am5_root_port, am5_tail, amd_card, amd_iommu, at, endpoint,
                   host_bridge, nvme, pex_switch, promontory, r9700, realtek_lan, root_port, rx7900xtx)
from pcispace import (COMPLETER128, COMPLETER32, COMPLETER64, EGRESS_BLOCK, ENDPOINT, LBMS, LEGACY, REQUESTER, Bar,
                      Express, Function)


def _b650e():
    gen4x16, gen4x4, gen4x1 = (16, 16), (16, 4), (16, 1)
    return listing(
        am5_host(),
        am5_root_port(at(0, 0, 1, 1), (0, 1, 3), gen4x16, gen4x16, acs=(ACS_PORT, ACS_ISOLATING)),
        am5_root_port(at(0, 0, 1, 2), (0, 4, 4), (32, 4), gen4x4, slot=1, acs=(ACS_PORT, ACS_ISOLATING)),
        am5_root_port(at(0, 0, 2, 1), (0, 5, 0x0B), gen4x4, gen4x4, slot=2, acs=(ACS_PORT, ACS_ISOLATING)),
        am5_tail(0x0C),
        r9700(1, gen4x16),
        nvme(at(0, 4, 0)),
        promontory(5, gen4x4, gen4x4, 0x0B, [(0, 7, 7, (8, 1), (5, 1)), (8, 8, 8, gen4x4, (2.5, 4)),
                                             (9, 9, 0x0B, gen4x1, gen4x1)]),
        realtek_lan(at(0, 7, 0)),
        endpoint(at(0, 8, 0), 0x1022, 0x43F6, 0x0106, "600 Series Chipset SATA Controller", ((8, 4), (8, 4)), "ahci",
                 prog_if=1, rev=1),
        r9700(9, gen4x1, reqen=False),
    )


def _b650e_truth(source, inputs):
    card0, card1 = "0000:03:00.0", "0000:0b:00.0"
    return {
        "command": ["topo"],
        "inputs": inputs,
        "exit": 0,
        "host": {"source": source, "virtualized": ["no", "unknown"]},
        "gpu_count": 2,
        "gpus": {
            card0: {
                "vendor": "amd",
                "compute": True,
                "integrated": False,
                "chain": ["0000:00:01.1", "0000:01:00.0", "0000:02:00.0", card0],
                "atomics.state": "yes",
                "atomics.path": "yes",
                "atomics.requester_enabled": True,
                "atomics.blocking": [],
                "link.gbytes_per_s": [31.4, 31.6],
                "link.ceiling_gbytes_per_s": [31.4, 31.6],
                "link.card_gbytes_per_s": [63.0, 63.1],
                "link.speed_gts": 16,
                "link.width": 16,
                "link.at": "0000:00:01.1",
                "link.state": "full",
                "hops": {
                    "0000:00:01.1": {"role": "root-port", "on_card": False, "atomics.routing": True,
                                     "atomics.completer32": True, "atomics.completer64": True},
                    "0000:01:00.0": {"role": "switch-upstream", "on_card": True, "atomics.routing": True},
                    "0000:02:00.0": {"role": "switch-downstream", "on_card": True},
                    card0: {"role": "endpoint", "link.speed_gts": 32, "link.width": 16},
                },
            },
            card1: {
                "vendor": "amd",
                "chain": ["0000:00:02.1", "0000:05:00.0", "0000:06:09.0", "0000:09:00.0", "0000:0a:00.0", card1],
                "atomics.state": "no",
                "atomics.path": "no",
                "atomics.requester_enabled": False,
                "atomics.blocking": ["0000:05:00.0", "0000:06:09.0"],
                "link.gbytes_per_s": [1.96, 1.98],
                "link.ceiling_gbytes_per_s": [1.96, 1.98],
                "link.card_gbytes_per_s": [63.0, 63.1],
                "link.speed_gts": 16,
                "link.width": 1,
                "link.at": "0000:06:09.0",
                "link.state": "full",
                "hops": {
                    "0000:00:02.1": {"role": "root-port", "atomics.completer32": True, "atomics.completer64": True},
                    "0000:05:00.0": {"role": "switch-upstream", "on_card": False, "atomics.routing": False},
                    "0000:06:09.0": {"role": "switch-downstream", "on_card": False, "atomics.routing": False,
                                     "link.width": 1},
                    "0000:09:00.0": {"role": "switch-upstream", "on_card": True, "atomics.routing": True},
                    card1: {"atomics.requester_enabled": False, "link.width": 16},
                },
            },
        },
        "pairs": {card0 + " " + card1: {"path": "host-bridge"}},
        "modes": {"tensor": "unknown", "pipeline": "unknown", "layer-split": ["unknown", "yes"],
                  "data-parallel": ["unknown", "yes"]},
        "modes_expected": {"tensor": "no", "pipeline": "no", "layer-split": ["yes", "degraded", None]},
        "facts": {"atomics.path@0000:0b:00.0": False, "atomics.path@0000:03:00.0": True,
                  "path.cpu_attached@0000:0b:00.0": False, "path.cpu_attached@0000:03:00.0": True},
    }


@machine
def _asus_tuf_b650e_dual_r9700():
    """Two Radeon AI PRO R9700 on an ASUS TUF GAMING B650-E WIFI: one on processor lanes, one behind the chipset.

    Reconstructed from the `lspci -vv` table that the owner of such a host published (2026-09-16): chains, AtomicOp
    routing of every bridge, Requester Enable of both cards (on, off), x1 at `06:09.0`. Ids, capability layout and
    the rest of the bits are those that AM5 processors, 600-series chipsets and Navi 48 cards report elsewhere;
    addresses of BARs, audio functions and the devices of no interest are invented.

    What is true:
    - Card `03:00.0` hangs on processor lanes; every port to it routes AtomicOps and the root port completes them.
    - Card `0b:00.0` is behind the chipset: `05:00.0` and `06:09.0` do not route AtomicOps (a read-only capability),
      so the kernel left its Requester Enable off, and collectives whose kernels need host calls cannot be launched
      on it. Layer split needs no collective and ran on this host.
    - `06:00.0` is a sibling of `06:09.0` on the same bus, not a hop of the chain, although the table lists it.
    - `06:09.0` is an x1 port: 16 GT/s x1 = 1.97 GB/s. Both ends do what both can, so nothing is downgraded: the slot
      is narrow. The table shows x1 for `0a:00.0` too, which cannot be: the two ends of one link report the same
      Link Status, and the link `0a:00.0`-`0b:00.0` is x16 inside the card.
    """
    functions = _b650e()
    return both(functions), truths(_b650e_truth("lspci-text", ["lspci-vv.txt"]),
                                   _b650e_truth("lspci-hex", ["lspci-xxxx.txt"]),
                                   truth_both=_b650e_truth(["lspci-text", "lspci-hex"],
                                                           ["lspci-vv.txt", "lspci-xxxx.txt"]))


def _b850():
    gen5x8 = (32, 8)
    acs = (ACS_PORT, ACS_ISOLATING)
    first = r9700(1, gen5x8, group=15)
    second = r9700(5, gen5x8, group=20)
    return listing(
        am5_host(),
        am5_root_port(at(0, 0, 1, 1), (0, 1, 3), gen5x8, gen5x8, acs=acs),
        am5_root_port(at(0, 0, 1, 2), (0, 4, 4), (32, 4), (16, 4), slot=1, acs=acs),
        am5_root_port(at(0, 0, 1, 3), (0, 5, 7), gen5x8, gen5x8, slot=2, acs=acs),
        am5_root_port(at(0, 0, 2, 1), (0, 8, 0x0A), (16, 4), (16, 4), slot=3, acs=acs),
        am5_tail(0x0B),
        first,
        nvme(at(0, 4, 0)),
        second,
        promontory(8, (16, 4), (16, 4), 0x0A, [(8, 0x0A, 0x0A, (8, 1), (5, 1))]),
        realtek_lan(at(0, 0x0A, 0)),
    )


def _b850_truth(source, inputs):
    card0, card1 = "0000:03:00.0", "0000:07:00.0"

    def card(address, chain):
        return {
            "vendor": "amd",
            "chain": chain + [address],
            "atomics.state": "yes",
            "atomics.path": "yes",
            "atomics.requester_enabled": True,
            "atomics.blocking": [],
            "link.gbytes_per_s": [31.45, 31.55],
            "link.ceiling_gbytes_per_s": [31.45, 31.55],
            "link.card_gbytes_per_s": [63.0, 63.1],
            "link.speed_gts": 32,
            "link.width": 8,
            "link.at": chain[0],
            "link.state": "full",
            "hops": {
                chain[0]: {"role": "root-port", "acs.request_redirect": True},
                chain[1]: {"role": "switch-upstream", "on_card": True},
                address: {"atomics.requester_enabled": True, "link.width": 16},
            },
        }

    return {
        "command": ["topo"],
        "inputs": inputs,
        "exit": 0,
        "host": {"source": source, "virtualized": ["no", "unknown"]},
        "gpu_count": 2,
        "gpus": {
            card0: card(card0, ["0000:00:01.1", "0000:01:00.0", "0000:02:00.0"]),
            card1: card(card1, ["0000:00:01.3", "0000:05:00.0", "0000:06:00.0"]),
        },
        "pairs": {card0 + " " + card1: {"path": "host-bridge", "ceiling_gbytes_per_s": [31.45, 31.55]}},
        "modes": {"tensor": "unknown", "pipeline": "unknown", "layer-split": ["unknown", "yes"]},
        "modes_expected": {"tensor": "yes", "pipeline": "yes"},
        "facts": {"acs.redirect@0000:03:00.0,0000:07:00.0": True,
                  "p2p.expected@0000:03:00.0,0000:07:00.0": ["likely", "slower"]},
    }


@machine
def _asus_proart_b850_dual_r9700():
    """Two Radeon AI PRO R9700 on an ASUS ProArt B850-CREATOR WIFI NEO: both on processor lanes, x8/x8.

    Reconstructed from the `lspci -vv` table that the owner of such a host published (2026-09-20), with its IOMMU
    groups (15 and 20), its kernel line (252.056 Gb/s available, limited by 32.0 GT/s PCIe x8 at `00:01.1`) and
    Device Control 2 of both cards (0x1440: Requester Enable, LTR, 10-bit tags). Other bits as in
    `asus-tuf-b650e-dual-r9700`.

    What is true:
    - No chipset bridge is in either chain; all ports route, both root ports complete 32 and 64 bit.
    - The slots are bifurcated x8/x8: 32 GT/s x8 = 31.5 GB/s at each root port, and that is all the slot can do.
    - Tensor parallelism was measured on this host after the change of boards (2.1 times the decode rate of the
      layer split), so no static fact may say no.
    - ACS Request Redirect is on at both root ports and the cards are in two IOMMU groups, and still the cards reach
      each other's memory: redirect sends peer traffic through the root complex, it does not forbid it.
    """
    functions = _b850()
    files = both(functions)
    files["kernel.log"] = (
        "[    0.000000] Linux version 7.0.0-31-generic (build@host) (gcc 14) #31-Ubuntu SMP PREEMPT_DYNAMIC\n"
        "[    0.000000] Command line: BOOT_IMAGE=/boot/vmlinuz-7.0.0-31-generic root=/dev/nvme0n1p2 ro iommu=pt\n"
        "[    0.331012] pci 0000:03:00.0: 252.056 Gb/s available PCIe bandwidth, limited by 32.0 GT/s PCIe x8 link at "
        "0000:00:01.1 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)\n"
        "[    0.339120] pci 0000:07:00.0: 252.056 Gb/s available PCIe bandwidth, limited by 32.0 GT/s PCIe x8 link at "
        "0000:00:01.3 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)\n"
        "[    0.402233] iommu: Default domain type: Passthrough (set via kernel command line)\n")
    with_log = copy.deepcopy(_b850_truth("lspci-text", ["lspci-vv.txt", "kernel.log"]))
    with_log["host"]["iommu"] = "passthrough"
    return files, truths(_b850_truth("lspci-text", ["lspci-vv.txt"]), _b850_truth("lspci-hex", ["lspci-xxxx.txt"]),
                         truth_log=with_log)


def _am4_host():
    return [
        host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex", subsystem=(0x1022, 0x1480)),
        amd_iommu(0x1481, "Starship/Matisse IOMMU"),
        Function(at(0, 0, 1), 0x1022, 0x1482, 0x0600, "Starship/Matisse PCIe Dummy Host Bridge", bytes=256),
        Function(at(0, 0, 3), 0x1022, 0x1482, 0x0600, "Starship/Matisse PCIe Dummy Host Bridge", bytes=256),
        Function(at(0, 0, 0x14), 0x1022, 0x790B, 0x0C05, "FCH SMBus Controller", bytes=256, rev=0x61, multi=True,
                 driver="piix4_smbus"),
        Function(at(0, 0, 0x14, 3), 0x1022, 0x790E, 0x0601, "FCH LPC Bridge", bytes=256, rev=0x51, multi=True),
    ]


def _gpp(address, buses, max, now, **more):
    return root_port(address, 0x1022, 0x1483, "Starship/Matisse GPP Bridge", buses, max, now, **more)


@machine
def _b550_r9700_riser_x1():
    """A Radeon AI PRO R9700 in the x16 slot of an AM4 board, trained at x1 by a mining riser.

    Constructed: ids and registers of AM4 processors (Starship/Matisse) and Navi 48 cards as published, the width as
    a one-lane riser leaves it.

    What is true:
    - Root port and card can both do x16, and the link came up with one lane: a real downgrade, 1.97 of 31.5 GB/s.
    - The GPU function itself reports 32 GT/s x16. That is the link inside the card; it says nothing about the slot.
    - The listing is complete and there is one GPU: nothing can be shared, whatever the link.
    """
    card = "0000:0b:00.0"
    functions = listing(_am4_host(), _gpp(at(0, 0, 3, 1), (0, 9, 0x0B), (16, 16), (16, 1), status_bits=LBMS),
                        r9700(9, (16, 1)))
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 1,
        "host": {"source": "lspci-text", "virtualized": ["no", "unknown"]},
        "gpus": {card: {
            "chain": ["0000:00:03.1", "0000:09:00.0", "0000:0a:00.0", card],
            "atomics.state": "yes", "atomics.blocking": [],
            "link.gbytes_per_s": [1.96, 1.98], "link.ceiling_gbytes_per_s": [31.4, 31.6],
            "link.card_gbytes_per_s": [63.0, 63.1], "link.at": "0000:00:03.1", "link.width": 1,
            "link.state": "downgraded",
            "hops": {card: {"link.width": 16, "link.speed_gts": 32}, "0000:0a:00.0": {"on_card": True}},
        }},
        "links": {"0000:00:03.1": {"max_width": 16, "width": 1, "state": "downgraded", "on_card": False},
                  "0000:0a:00.0": {"on_card": True, "width": 16}},
        "modes": {"tensor": "no", "layer-split": "no"},
    }
    return both(functions), truths(truth, dict(truth, inputs=["lspci-xxxx.txt"],
                                               host={"source": "lspci-hex", "virtualized": ["no", "unknown"]}))


@machine
def _z390_rx6600xt_root_not_routing():
    """A Radeon RX 6600 XT below an Intel processor root port that does not route AtomicOps but completes them.

    Constructed from the register values that Intel 6th to 10th generation client root ports print in public reports:
    `Routing- 32bit+ 64bit+ 128bitCAS+`.

    What is true: the kernel asks a root port for completion only; its Routing bit is about traffic between root
    ports. So the path is fine, and the driver enabled the requester. The card has eight lanes of its own (8 GT/s x8
    here): nothing is downgraded.
    """
    card = "0000:03:00.0"
    functions = listing(
        host_bridge(0x8086, 0x3EC2, "8th Gen Core Processor Host Bridge/DRAM Registers", subsystem=(0x1849, 0x3EC2)),
        root_port(at(0, 0, 1), 0x8086, 0x1901, "6th-10th Gen Core Processor PCIe Controller (x16)", (0, 1, 3), (8, 16),
                  (8, 8), devcap2=COMPLETER32 | COMPLETER64 | COMPLETER128, layout="intel", multi=False, rev=7, acs=None,
                  slot=1),
        amd_card(1, (16, 8), (8, 8), 0x73FF, "Navi 23 [Radeon RX 6600/6600 XT/6600M]", 8 * GIB, 0xC1, inner=(16, 16),
                 switch_rev=0xC1, audio=0xAB28, audio_name="Navi 21/23 HDMI/DP Audio Controller", acs_on=False),
        Function(at(0, 0, 0x1F), 0x8086, 0xA305, 0x0601, "Z390 Chipset LPC/eSPI Controller", bytes=256, layout="intel",
                 rev=0x10, multi=True),
    )
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 1,
        "gpus": {card: {
            "vendor": "amd", "chain": ["0000:00:01.0", "0000:01:00.0", "0000:02:00.0", card],
            "atomics.state": "yes", "atomics.path": "yes", "atomics.blocking": [],
            "atomics.requester_enabled": True,
            "link.gbytes_per_s": [7.8, 7.9], "link.ceiling_gbytes_per_s": [7.8, 7.9],
            "link.card_gbytes_per_s": [15.7, 15.8], "link.state": "full", "link.at": "0000:00:01.0",
            "hops": {"0000:00:01.0": {"atomics.routing": False, "atomics.completer32": True,
                                      "atomics.completer64": True}},
        }},
        "modes": {"tensor": "no"},
    }
    return both(functions), truths(truth, dict(truth, inputs=["lspci-xxxx.txt"]))


def _qemu(completers, reqen, multifunction):
    gpu = amd_card(1, (16, 16), (16, 16), 0x73BF, "Navi 21 [Radeon RX 6800/6800 XT / 6900 XT]", 16 * GIB, 0xC1,
                   reqen=reqen, audio=0xAB28, audio_name="Navi 21/23 HDMI/DP Audio Controller", inner=(16, 16))[2:]
    for f in gpu:
        f.address = f.address.replace(":03:", ":01:")
    if not multifunction:
        gpu = gpu[:1]
        gpu[0].multi = False
    return listing(
        host_bridge(0x8086, 0x29C0, "82G33/G31/P35/P31 Express DRAM Controller", subsystem=(0x1AF4, 0x1100)),
        Function(at(0, 0, 1), 0x1234, 0x1111, 0x0300, "QEMU Virtual Video Controller", bytes=256, layout="qemu", rev=2,
                 subsystem=(0x1AF4, 0x1100), bars=[Bar(0, 16 * MIB, "mem32"), Bar(2, 4096, "mem32")],
                 driver="bochs-drm", modules=("bochs",)),
        root_port(at(0, 0, 0x1C), 0x1B36, 0x000C, "QEMU PCIe Root port", (0, 1, 1), (16, 32), (16, 16),
                  devcap2=completers, layout="qemu", multi=True, acs=(ACS_PORT, 0)),
        root_port(at(0, 0, 0x1C, 1), 0x1B36, 0x000C, "QEMU PCIe Root port", (0, 2, 2), (16, 32), (2.5, 1),
                  devcap2=0, layout="qemu", multi=True, acs=(ACS_PORT, 0), slot=1, bytes=256),
        Function(at(0, 0, 0x1F), 0x8086, 0x2918, 0x0601, "82801IB (ICH9) LPC Interface Controller", bytes=256,
                 layout="intel", rev=2, subsystem=(0x1AF4, 0x1100), multi=True),
        gpu,
        endpoint(at(0, 2, 0), 0x1AF4, 0x1041, 0x0200, "Virtio 1.0 network device", ((2.5, 1), (2.5, 1)), "virtio-pci",
                 layout="qemu", rev=1),
    )


@machine
def _qemu_q35_navi21_multifunction():
    """A Navi 21 card passed to a QEMU guest together with its audio function.

    Constructed from published guest dumps: QEMU 8.1 and later give the emulated root port AtomicOp completers only
    where the GPU function is passed alone; with the audio function beside it (multifunction=on) the port keeps
    `Routing- 32bit- 64bit-` and the guest's driver leaves Requester Enable off.

    What is true: a virtual machine; the emulated root port `00:1c.0` blocks, and what removes the block is a change of
    the guest's configuration (pass the GPU function alone), not of the hardware. The emulated display at `00:01.0` is
    no GPU to compute on. What the link of an emulated port says is no evidence of the real one.
    """
    card = "0000:01:00.0"
    functions = _qemu(0, False, True)
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "host": {"virtualized": "yes"},
        "gpus": {
            card: {"vendor": "amd", "chain": ["0000:00:1c.0", card], "atomics.state": "no", "atomics.path": "no",
                   "atomics.blocking": ["0000:00:1c.0"], "atomics.requester_enabled": False, "compute": True,
                   "hops": {"0000:00:1c.0": {"atomics.completer32": False, "atomics.completer64": False}}},
            "0000:00:01.0": {"vendor": "other", "compute": False},
        },
        "modes": {"tensor": ["no", "unknown"]},
    }
    return both(functions), truths(truth, dict(truth, inputs=["lspci-xxxx.txt"]))


@machine
def _qemu_q35_navi21_single_function():
    """The same guest as `qemu-q35-navi21-multifunction` with the GPU function passed alone.

    What is true: QEMU gave the root port the completer bits because the real root port has them, and the guest's
    driver enabled the requester. Nothing in the chain that the guest sees blocks; whether a virtual chain is enough
    for a yes is left open here.
    """
    card = "0000:01:00.0"
    functions = _qemu(COMPLETER32 | COMPLETER64, True, False)
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "host": {"virtualized": "yes"},
        "gpus": {card: {"vendor": "amd", "chain": ["0000:00:1c.0", card], "atomics.state": ["yes", "unknown"],
                        "atomics.blocking": [], "atomics.requester_enabled": True}},
    }
    return {"lspci-vv.txt": verbose(functions)}, truths(truth)


@machine
def _epyc_two_mi210_egress_block():
    """Two Instinct MI210 below one PCI Express switch whose upstream port blocks AtomicOp egress.

    Constructed: an EPYC root port, a Broadcom PEX880xx switch and two MI210 with their published ids; Device Control 2
    of the switch's upstream port has bit 7 (AtomicOp Egress Blocking) set, as some firmware leaves it.

    What is true: every port routes and the root port completes, and still the kernel refuses, because an upstream
    port must not block egress. The one hop that blocks is `41:00.0`, for both cards. The bit is a control bit, which
    firmware or an administrator can change. Both GPUs share the switch's uplink. Peer traffic stays inside the
    switch: no redirect is on at its downstream ports.
    """
    a, b = "0000:43:00.0", "0000:44:00.0"
    gen4 = (16, 16)

    def mi210(bus):
        return Function(at(0, bus, 0), 0x1002, 0x740F, 0x0380, "Aldebaran/MI200 [Instinct MI210]", rev=2, numa=1,
                        subsystem=(0x1002, 0x0C34), subsystem_name="Instinct MI210", driver="amdgpu", modules=("amdgpu",),
                        bars=[Bar(0, 64 * GIB, "pref64"), Bar(2, 2 * MIB, "pref64"), Bar(5, 512 << 10, "mem32")],
                        aer=(0, 0), rebar=[(0, 64 * GIB, [64 * GIB])],
                        express=Express(LEGACY, gen4, gen4, devcap2=COMPLETER32 | COMPLETER64, devctl2=0x1400))

    functions = listing(
        host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex", numa=0),
        host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex", bus=0x40, numa=1),
        Function(at(0, 0x40, 1), 0x1022, 0x1482, 0x0600, "Starship/Matisse PCIe Dummy Host Bridge", bytes=256, numa=1),
        _gpp(at(0, 0x40, 1, 1), (0x40, 0x41, 0x44), gen4, gen4, slot=3, numa=1),
        pex_switch(0x41, 0x44, (gen4, gen4), [(0, 0x43, 0x43, gen4, gen4), (4, 0x44, 0x44, gen4, gen4)], numa=1,
                   devctl2=EGRESS_BLOCK, down_acs=0),
        mi210(0x43), mi210(0x44),
    )
    gpu = {"atomics.state": "no", "atomics.path": "no", "atomics.blocking": ["0000:41:00.0"],
           "atomics.requester_enabled": False, "link.gbytes_per_s": [31.4, 31.6], "link.state": "full", "numa_node": 1,
           "hops": {"0000:41:00.0": {"atomics.routing": True, "atomics.egress_blocked": True, "on_card": False}}}
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "gpus": {a: dict(gpu, chain=["0000:40:01.1", "0000:41:00.0", "0000:42:00.0", a]),
                 b: dict(gpu, chain=["0000:40:01.1", "0000:41:00.0", "0000:42:04.0", b])},
        "pairs": {a + " " + b: {"path": "switch", "ceiling_gbytes_per_s": [31.4, 31.6]}},
        "links": {"0000:40:01.1": {"gpus": [a, b]}},
        "modes": {"tensor": "unknown", "layer-split": ["unknown", "yes"]},
        "modes_expected": {"tensor": "no"},
        "facts": {"acs.redirect@%s,%s" % (a, b): False},
    }
    without_numa = {key: dict(value) for key, value in truth["gpus"].items()}
    for value in without_numa.values():
        del value["numa_node"]
    return both(functions), truths(truth, dict(truth, inputs=["lspci-xxxx.txt"], gpus=without_numa))


@machine
def _trx40_dual_7900xtx_no_driver():
    """Two Radeon RX 7900 XTX on a TRX40 board: one held by vfio-pci for a guest, one without a driver.

    Constructed with the ids and registers of such hosts. Requester Enable is off on both cards because no amdgpu has
    looked at them yet.

    What is true: the chains are clean, and the path's answer is yes. `ReqEn-` is no evidence against it: nobody asked.
    Whether the driver would enable the requester cannot be read here. A card bound to vfio-pci does not compute on
    this host as things stand.
    """
    a, b = "0000:03:00.0", "0000:23:00.0"
    first = rx7900xtx(1, (16, 16), reqen=False, driver="vfio-pci", group=14)
    second = rx7900xtx(0x21, (16, 16), reqen=False, driver=None, group=31)
    functions = listing(
        _am4_host(), _gpp(at(0, 0, 3, 1), (0, 1, 3), (16, 16), (16, 16)), first,
        host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex", bus=0x20),
        Function(at(0, 0x20, 3), 0x1022, 0x1482, 0x0600, "Starship/Matisse PCIe Dummy Host Bridge", bytes=256),
        _gpp(at(0, 0x20, 3, 1), (0x20, 0x21, 0x23), (16, 16), (16, 16), slot=2), second)
    gpu = {"atomics.state": "yes", "atomics.path": "yes", "atomics.driver": "unknown", "atomics.blocking": [],
           "atomics.requester_enabled": False, "link.gbytes_per_s": [31.4, 31.6], "link.state": "full"}
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "gpus": {a: dict(gpu, chain=["0000:00:03.1", "0000:01:00.0", "0000:02:00.0", a], driver="vfio-pci"),
                 b: dict(gpu, chain=["0000:20:03.1", "0000:21:00.0", "0000:22:00.0", b], driver=None)},
        "facts": {"gpu.driver_usable@" + a: False},
    }
    hexed = dict(truth, inputs=["lspci-xxxx.txt"], gpus={
        key: {k: v for k, v in value.items() if k != "driver"} for key, value in truth["gpus"].items()})
    hexed["facts"] = {"gpu.driver_usable@" + a: {"status": "unknown"}}
    return both(functions), truths(truth, hexed)


@machine
def _trx40_dual_7900xtx_unprivileged():
    """Two Radeon RX 7900 XTX as a user without root sees them: no capabilities.

    Constructed: the kernel shows such a user 64 bytes of each function, so `lspci -vv` prints
    `Capabilities: <access denied>`, and a hex dump ends after four rows.

    What is true: bus numbers of the bridges are in the first 64 bytes, so the chains are known. Links and AtomicOps
    are not: unknown, never no, and the way to know them is to run lspci as root. BAR sizes and drivers are in the
    text.
    """
    a, b = "0000:03:00.0", "0000:23:00.0"
    functions = listing(
        _am4_host(), _gpp(at(0, 0, 3, 1), (0, 1, 3), (16, 16), (16, 16)), rx7900xtx(1, (16, 16)),
        host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex", bus=0x20),
        Function(at(0, 0x20, 3), 0x1022, 0x1482, 0x0600, "Starship/Matisse PCIe Dummy Host Bridge", bytes=256),
        _gpp(at(0, 0x20, 3, 1), (0x20, 0x21, 0x23), (16, 16), (16, 16), slot=2), rx7900xtx(0x21, (16, 16)))
    for f in functions:
        f.bytes = 64
        f.aer = f.acs = f.rebar = None
    gpu = {"vendor": "amd", "atomics.state": "unknown", "atomics.path": "unknown", "atomics.requester_enabled": None,
           "link.gbytes_per_s": None, "link.state": "unknown"}
    chains = {a: ["0000:00:03.1", "0000:01:00.0", "0000:02:00.0", a],
              b: ["0000:20:03.1", "0000:21:00.0", "0000:22:00.0", b]}
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "gpus": {key: dict(gpu, chain=chain, driver="amdgpu") for key, chain in chains.items()},
        "modes": {"tensor": "unknown"},
        "modes_expected": {"tensor": None},
        "facts": {"atomics.path@" + a: {"status": "unknown"}, "bar.size@" + a: 32 * GIB},
    }
    hexed = dict(truth, inputs=["lspci-x.txt"], facts={"atomics.path@" + a: {"status": "unknown"}},
                 gpus={key: dict(gpu, chain=chain) for key, chain in chains.items()})
    return ({"lspci-vv.txt": verbose(functions, domain=False), "lspci-x.txt": dumps.hex_dump(functions, domain=False)},
            truths(truth, hexed))


@machine
def _x399_dual_vega64_lspci_3_5():
    """Two Radeon RX Vega 64 on an X399 board, printed by lspci 3.5.4.

    Constructed with the ids of a Ryzen Threadripper 1950X and Vega 10 cards (whose card switch has AMD ids 1022:1470
    and 1471), then put into the forms that lspci 3.5.4 had: AtomicOp lines two tabs deep, Link Status on one line
    without words, error names of the time, no Link Capabilities 2.

    What is true: both chains are clean, 8 GT/s x16 each. Layout of the text is no information.
    """
    gen3 = (8, 16)

    def card(bus):
        out = amd_card(bus, gen3, gen3, 0x687F, "Vega 10 XL/XT [Radeon RX Vega 56/64]", 8 * GIB, 0xC1, inner=gen3,
                       audio=0xAAF8, audio_name="Vega 10 HDMI Audio [Radeon Vega 56/64]", bar=256 * MIB,
                       switch_rev=0xC1, acs_on=False, vendor_sub=(0x1022, 0x1470))
        for f, device in zip(out[:2], (0x1470, 0x1471)):
            f.vendor, f.device, f.name = 0x1022, device, "Vega 10 PCIe Bridge"
        for f in out:
            f.rebar = None
        return out

    def gpp(address, buses):
        return root_port(address, 0x1022, 0x1453, "Family 17h (Models 00h-0fh) PCIe GPP Bridge", buses, gen3, gen3)

    a, b = "0000:0a:00.0", "0000:44:00.0"
    functions = listing(
        host_bridge(0x1022, 0x1450, "Family 17h (Models 00h-0fh) Root Complex"),
        amd_iommu(0x1451, "Family 17h (Models 00h-0fh) I/O Memory Management Unit"),
        Function(at(0, 0, 3), 0x1022, 0x1452, 0x0600, "Family 17h (Models 00h-1fh) PCIe Dummy Host Bridge", bytes=256),
        gpp(at(0, 0, 3, 1), (0, 8, 0x0A)), card(8),
        host_bridge(0x1022, 0x1450, "Family 17h (Models 00h-0fh) Root Complex", bus=0x40),
        Function(at(0, 0x40, 3), 0x1022, 0x1452, 0x0600, "Family 17h (Models 00h-1fh) PCIe Dummy Host Bridge", bytes=256),
        gpp(at(0, 0x40, 3, 1), (0x40, 0x42, 0x44)), card(0x42))
    gpu = {"vendor": "amd", "atomics.state": "yes", "atomics.requester_enabled": True, "atomics.blocking": [],
           "link.gbytes_per_s": [15.7, 15.8], "link.state": "full", "link.speed_gts": 8, "link.width": 16}
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "gpus": {a: dict(gpu, chain=["0000:00:03.1", "0000:08:00.0", "0000:09:00.0", a],
                         hops={"0000:08:00.0": {"on_card": True}, "0000:00:03.1": {"atomics.completer32": True}}),
                 b: dict(gpu, chain=["0000:40:03.1", "0000:42:00.0", "0000:43:00.0", b])},
        "modes": {"tensor": "unknown"}, "modes_expected": {"tensor": "yes"},
    }
    return {"lspci-vv.txt": lambda: dumps.as_lspci_3_5(dumps.verbose(functions, domain=False))}, truths(truth)


@machine
def _strix_halo_integrated():
    """A Ryzen AI Max+ 395 (Strix Halo): one integrated GPU behind an internal bridge.

    Constructed with published ids. The driver treats AtomicOps of an APU as given (the path is inside the processor),
    so `ReqEn-` on the GPU says nothing here.

    What is true: integrated; one GPU in a complete listing, so nothing can be shared between GPUs. The link behind the
    internal bridge is no slot.
    """
    card = "0000:c1:00.0"
    functions = listing(
        host_bridge(0x1022, 0x1507, "Strix/Strix Halo Root Complex"),
        amd_iommu(0x1508, "Strix/Strix Halo IOMMU"),
        Function(at(0, 0, 2), 0x1022, 0x1509, 0x0600, "Strix/Strix Halo Dummy Host Bridge", bytes=256),
        Function(at(0, 0, 8), 0x1022, 0x1509, 0x0600, "Strix/Strix Halo Dummy Host Bridge", bytes=256),
        root_port(at(0, 0, 2, 1), 0x1022, 0x150B, "Strix/Strix Halo PCIe USB4 Bridge", (0, 1, 1), (16, 4), (16, 4),
                  slot=1, bytes=256),
        root_port(at(0, 0, 8, 1), 0x1022, 0x150C, "Strix/Strix Halo Internal GPP Bridge to Bus [C:A]", (0, 0xC1, 0xC1),
                  (16, 16), (16, 16), slot=None),
        nvme(at(0, 1, 0)),
        Function(at(0, 0xC1, 0), 0x1002, 0x1586, 0x0380,
                 "Strix Halo [Radeon Graphics / Radeon 8050S Graphics / Radeon 8060S Graphics]", rev=0xC1, multi=True,
                 subsystem=(0x1002, 0x1586), driver="amdgpu", modules=("amdgpu",),
                 bars=[Bar(0, 512 * MIB, "pref64"), Bar(2, 2 * MIB, "pref64"), Bar(5, 512 << 10, "mem32")],
                 express=Express(LEGACY, (16, 16), (16, 16), devcap2=COMPLETER32 | COMPLETER64, devctl2=0x1400)),
    )
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 1,
        "gpus": {card: {"vendor": "amd", "integrated": True, "compute": True, "chain": ["0000:00:08.1", card],
                        "atomics.state": ["yes", "unknown"], "atomics.blocking": []}},
        "modes": {"tensor": "no"},
    }
    return {"lspci-vv.txt": verbose(functions)}, truths(truth)


@machine
def _epyc_mi210_sriov():
    """An Instinct MI210 with one SR-IOV virtual function enabled.

    Constructed: physical function 41:00.0 with VF enable, first VF offset 0x10, VF device id 7410. A virtual function
    reads 0xffff for its ids and 0 for its Link Status and Requester Enable: these registers are reserved there, and
    the kernel takes the ids from the physical function's SR-IOV capability.

    What is true: two functions, one card. Of the virtual function, width 0 is no link that is down, ids of ones are no
    card that has fallen off the bus, and Requester Enable 0 is no refusal.
    """
    pf, vf = "0000:41:00.0", "0000:41:02.0"
    gen4 = (16, 16)
    physical = Function(pf, 0x1002, 0x740F, 0x0380, "Aldebaran/MI200 [Instinct MI210]", rev=2, driver="gim",
                        subsystem=(0x1002, 0x0C34), subsystem_name="Instinct MI210", aer=(0, 0), ari_next=1,
                        bars=[Bar(0, 64 * GIB, "pref64"), Bar(2, 2 * MIB, "pref64"), Bar(5, 512 << 10, "mem32")],
                        sriov=dict(enabled=True, total=16, num=1, offset=0x10, stride=1, device=0x7410),
                        express=Express(ENDPOINT, gen4, gen4, devcap2=COMPLETER32 | COMPLETER64,
                                        devctl2=0x1400 | REQUESTER))
    virtual = Function(vf, 0x1002, 0x7410, 0x0380, "Aldebaran/MI200 [Instinct MI210] Virtual Function", rev=2,
                       driver="vfio-pci", subsystem=(0x1002, 0x0C34), config_ids=(0xFFFF, 0xFFFF), ari_next=0,
                       express=Express(ENDPOINT, gen4, (0, 0), devcap2=COMPLETER32 | COMPLETER64, devctl2=0))
    functions = listing(
        host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex"),
        host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex", bus=0x40),
        Function(at(0, 0x40, 1), 0x1022, 0x1482, 0x0600, "Starship/Matisse PCIe Dummy Host Bridge", bytes=256),
        _gpp(at(0, 0x40, 1, 1), (0x40, 0x41, 0x41), gen4, gen4, slot=3), physical, virtual)
    truth = {
        "command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "gpus": {pf: {"vendor": "amd", "chain": ["0000:40:01.1", pf], "atomics.state": "yes",
                      "link.gbytes_per_s": [31.4, 31.6], "link.state": "full"},
                 vf: {"vendor": "amd", "chain": ["0000:40:01.1", vf], "link.state": ["full", "unknown"]}},
        "links": {"0000:40:01.1": {"width": 16, "state": "full"}},
        "facts": {"gpu.virtual_function@" + vf: True, "gpu.present@" + vf: [True]},
    }
    return both(functions), truths(truth, dict(truth, inputs=["lspci-xxxx.txt"]))
