"""Machines with AMD GPUs."""
import copy

from machines import both, listing, machine, truths
from parts import (ACS_ISOLATING, ACS_PORT, am5_host, am5_root_port, am5_tail, at, endpoint, nvme, promontory, r9700,
                   realtek_lan)


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
        "host": {"source": source, "virtualized": "no"},
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
                chain[0]: {"role": "root-port", "acs.control.request_redirect": True},
                chain[1]: {"role": "switch-upstream", "on_card": True},
                address: {"atomics.requester_enabled": True, "link.width": 16},
            },
        }

    return {
        "command": ["topo"],
        "inputs": inputs,
        "exit": 0,
        "host": {"source": source, "virtualized": "no"},
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
