"""Machines as they are read live: sysfs trees of the machines of the other files, and of some that only live reading has."""
from machines import both, listing, live, machine, truths
from machines.amd import _gpp
from parts import (ACS_ISOLATING, ACS_PORT, GIB, MIB, am5_host, am5_root_port, am5_tail, at, endpoint, host_bridge, nvme,
                   nvidia_gpu, pex_switch, r9700, root_port)
from pcispace import COMPLETER32, COMPLETER64, ENDPOINT, LEGACY, REQUESTER, Bar, Express, Function
from sysfs_host import Host, Kfd, Slot

B650E = ("0000:03:00.0", "0000:0b:00.0")
B850 = ("0000:03:00.0", "0000:07:00.0")
GFX1201, GFX90A = 120001, 90010
UNREAD = {"atomics.requester_enabled": None, "atomics.path": "unknown"}


def _boards():
    live("asus-tuf-b650e-dual-r9700", Host(
        about="the driver's links say 1 (AtomicOps) for the first card and 13 (none) for the second, as its refusal of "
              "host calls on that host shows; the firmware's slots are named as on this board",
        board=("ASUSTeK COMPUTER INC.", "TUF GAMING B650-E WIFI"), kernel="7.0.0-31-generic",
        cmdline="BOOT_IMAGE=/boot/vmlinuz-7.0.0-31-generic ro iommu=pt", iommu="identity", modules={"amdgpu": None},
        slots=(Slot("PCIEX16_1", "0000:01:00.0", 16, 5, 1), Slot("PCIEX16_2", "0000:09:00.0", 4, 4, 2),
               Slot("PCIEX1", None, 1, 3, 3, used=False)),
        kfd=(Kfd(B650E[0], GFX1201, 1, minor=128, peers=(B650E[1],)),
             Kfd(B650E[1], GFX1201, 13, minor=129, peers=(B650E[0],))),
        log=("Linux version 7.0.0-31-generic (build@SECRET-host) (gcc 14) #31-Ubuntu SMP PREEMPT_DYNAMIC",
             "iommu: Default domain type: Passthrough (set via kernel command line)"),
    ), dict(
        same_as=["lspci-xxxx.txt"],
        host={"source": "live", "live": False, "virtualized": "no", "iommu": "passthrough", "listing_complete": True},
        gpu_count=2,
        gpus={B650E[0]: {"atomics.state": "yes", "atomics.driver": "yes", "driver": "amdgpu", "slot": "PCIEX16_1",
                         "bar.bytes": 32 * GIB, "power_state": "D0"},
              B650E[1]: {"atomics.state": "no", "atomics.driver": "no", "atomics.path": "no", "slot": "PCIEX16_2",
                         "atomics.blocking": ["0000:05:00.0", "0000:06:09.0"]}},
        modes={"tensor": "unknown"}, modes_expected={"tensor": "no"},
    ), dict(
        host={"source": "live", "iommu": "passthrough", "listing_complete": True}, gpu_count=2,
        gpus={B650E[0]: {"atomics.state": "yes", "atomics.driver": "yes", "link.gbytes_per_s": [31.4, 31.6],
                         "chain": ["0000:00:01.1", "0000:01:00.0", "0000:02:00.0", B650E[0]], **UNREAD},
              B650E[1]: {"atomics.state": "no", "atomics.driver": "no", "link.gbytes_per_s": [1.96, 1.98], **UNREAD,
                         "chain": ["0000:00:02.1", "0000:05:00.0", "0000:06:09.0", "0000:09:00.0", "0000:0a:00.0",
                                   B650E[1]]}},
        modes={"tensor": "unknown"}, modes_expected={"tensor": "no"}))

    live("asus-proart-b850-dual-r9700", Host(
        about="both cards' links to the processor allow AtomicOps; the second slot is called `PCIEX16(G5)_2`, 8 lanes "
              "wide, by the firmware (published with the table)",
        board=("ASUSTeK COMPUTER INC.", "ProArt B850-CREATOR WIFI NEO"), kernel="7.0.0-31-generic",
        cmdline="BOOT_IMAGE=/boot/vmlinuz-7.0.0-31-generic ro iommu=pt", iommu="identity", modules={"amdgpu": None},
        slots=(Slot("PCIEX16(G5)_1", "0000:01:00.0", 8, 5, 0), Slot("PCIEX16(G5)_2", "0000:05:00.0", 8, 5, 3)),
        kfd=(Kfd(B850[0], GFX1201, 1, minor=128, peers=(B850[1],)),
             Kfd(B850[1], GFX1201, 1, minor=129, peers=(B850[0],))),
    ), dict(
        same_as=["lspci-xxxx.txt"], host={"iommu": "passthrough"}, gpu_count=2,
        gpus={B850[0]: {"atomics.state": "yes", "slot": "PCIEX16(G5)_1"},
              B850[1]: {"atomics.state": "yes", "slot": "PCIEX16(G5)_2"}},
        modes={"tensor": "unknown"}, modes_expected={"tensor": "yes"},
    ), dict(
        host={"iommu": "passthrough"}, gpu_count=2,
        gpus={one: {"atomics.state": "yes", "atomics.driver": "yes", "link.gbytes_per_s": [31.4, 31.6], **UNREAD}
              for one in B850},
        modes={"tensor": "unknown"}, modes_expected={"tensor": "yes"}))


def _others():
    arcs = ("0000:18:00.0", "0000:1c:00.0", "0000:3a:00.0", "0000:3e:00.0")
    arc = {"vendor": "intel", "driver": "xe", "link.gbytes_per_s": [31.4, 31.6], "link.state": "full", "numa_node": 0}
    xeon = dict(board=("Supermicro", "X13SWA-TF"), cpu=("GenuineIntel", 6, 143, "Intel(R) Xeon(R) w9-3495X"),
                iommu="DMA-FQ", iommu_name="dmar0")
    live("xeon-w-four-b60", Host(modules={"xe": None}, **xeon),
         dict(same_as=["lspci-vv.txt"], host={"iommu": "translating"}, gpu_count=4, gpus={one: arc for one in arcs}),
         dict(host={"iommu": "translating"}, gpu_count=4, gpus={one: arc for one in arcs}))

    pf, vf = "0000:41:00.0", "0000:41:02.0"
    live("epyc-mi210-sriov", Host(
        about="the virtual function's links to its physical one are there for everyone",
        board=("Supermicro", "H13SSL-N"), cpu=("AuthenticAMD", 25, 17, "AMD EPYC 9354 32-Core Processor"), drm=False),
        dict(same_as=["lspci-xxxx.txt"], gpu_count=2, facts={"gpu.virtual_function@" + vf: True,
                                                             "gpu.virtual_function@" + pf: False}),
        dict(gpu_count=2, facts={"gpu.virtual_function@" + vf: True, "gpu.virtual_function@" + pf: False},
             gpus={vf: {"chain": ["0000:40:01.1", vf], "vendor": "amd", "ids.device": "7410"}}))

    card = "0000:e1:00.0"
    live("xeon-vmd-domain", Host(modules={"nvidia": "580.95.05"}, nodes=2, **xeon),
         dict(same_as=["lspci-vv.txt"], gpu_count=1, gpus={card: {"chain": ["0000:e0:01.0", card], "numa_node": 1}}),
         dict(gpu_count=1, gpus={card: {"chain": ["0000:e0:01.0", card], "link.gbytes_per_s": [31.4, 31.6]}}))

    a, b = "0000:43:00.0", "0000:44:00.0"
    live("epyc-two-mi210-egress-block", Host(
        about="the driver refused AtomicOps (13) to both cards, and the second one belongs to another container: its "
              "node may not be read",
        board=("Supermicro", "H13SSL-N"), cpu=("AuthenticAMD", 25, 17, "AMD EPYC 9354 32-Core Processor"), nodes=2,
        iommu="identity", modules={"amdgpu": "6.12.12"},
        kfd=(Kfd(a, GFX90A, 13, vram=64 * GIB), Kfd(b, GFX90A, 13, vram=64 * GIB, minor=129, refused=True))),
        dict(gpu_count=2, gpus={a: {"atomics.state": "no", "atomics.driver": "no", "atomics.blocking": ["0000:41:00.0"]},
                                b: {"atomics.state": "no", "atomics.driver": "unknown"}}),
        dict(gpu_count=2, gpus={a: {"atomics.state": "no", "atomics.driver": "no", **UNREAD},
                                b: {"atomics.state": "unknown", "atomics.driver": "unknown", **UNREAD}},
             facts={"atomics.driver@" + b: {"status": "unknown", "reason": "hidden-by-container"}}))

    gpus = ("0000:0a:00.0", "0000:0b:00.0")
    idle = {"driver": "nvidia", "link.gbytes_per_s": [1.99, 2.01], "link.width": 8}
    live("x570-dual-rtx3090-idle", Host(modules={"nvidia": "570.195.03", "nvidia_uvm": None}, board=("MSI", "MEG X570 ACE"),
                                        cpu=("AuthenticAMD", 25, 33, "AMD Ryzen 9 5950X 16-Core Processor")),
         dict(same_as=["lspci-xxxx.txt"], host={"iommu": "translating"}, gpus={one: dict(idle, **{"link.state": "idle"})
                                                                               for one in gpus}),
         dict(gpus={one: idle for one in gpus}))


_boards()
_others()


def _mi210(address, numa, name="Aldebaran/MI200 [Instinct MI210]", gen4=(16, 16)):
    return Function(address, 0x1002, 0x740F, 0x0380, name, rev=2, numa=numa, subsystem=(0x1002, 0x0C34),
                    subsystem_name="Instinct MI210", driver="amdgpu", modules=("amdgpu",), aer=(0, 0),
                    bars=[Bar(0, 64 * GIB, "pref64"), Bar(2, 2 * MIB, "pref64"), Bar(5, 512 << 10, "mem32")],
                    rebar=[(0, 64 * GIB, [64 * GIB])],
                    express=Express(LEGACY, gen4, gen4, devcap2=COMPLETER32 | COMPLETER64, devctl2=0x1400 | REQUESTER))


EIGHT = [at(0, root + n, 0) for root in (0x20, 0x40, 0xA0, 0xC0) for n in (3, 4)]


def _eight(name=None):
    truth = {
        "gpu_count": 8,
        "gpus": {one: {"link.gbytes_per_s": [31.4, 31.6], "link.state": "full", "numa_node": i // 4, "driver": "amdgpu"}
                 for i, one in enumerate(EIGHT)},
        "pairs": {"%s %s" % (EIGHT[0], EIGHT[1]): {"path": "switch"}, "%s %s" % (EIGHT[0], EIGHT[2]): {"path": "numa-node"},
                  "%s %s" % (EIGHT[0], EIGHT[4]): {"path": "socket"}, "%s %s" % (EIGHT[6], EIGHT[7]): {"path": "switch"}},
        "links": {"0000:20:01.1": {"gpus": EIGHT[:2]}, "0000:c0:01.1": {"gpus": EIGHT[6:]}},
    }
    if name:
        truth.update(command=["topo"], inputs=[name], exit=0)
        truth["facts"] = {"acs.redirect@%s,%s" % (EIGHT[0], EIGHT[1]): True,
                          "acs.redirect@%s,%s" % (EIGHT[6], EIGHT[7]): False}
    return truth


@machine
def _epyc_eight_mi210_four_switches():
    """Eight Instinct MI210 below four PCI Express switches on two sockets; at two switches ACS redirect is on.

    Constructed: EPYC root ports, Broadcom PEX880xx switches and MI210 with their published ids; the downstream ports of
    the first socket's switches have the ACS control that Linux sets where an IOMMU isolates, those of the second none.

    What is true: GPUs of one switch meet there, GPUs of one socket at the same NUMA node, the rest across the sockets.
    Each pair of GPUs shares its switch's uplink. Redirect is on between the GPUs of the first two switches.
    """
    gen4 = (16, 16)
    parts = []
    for i, (root, numa) in enumerate(((0x20, 0), (0x40, 0), (0xA0, 1), (0xC0, 1))):
        parts += [host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex", bus=root, numa=numa),
                  Function(at(0, root, 1), 0x1022, 0x1482, 0x0600, "Starship/Matisse PCIe Dummy Host Bridge", bytes=256,
                           numa=numa),
                  _gpp(at(0, root, 1, 1), (root, root + 1, root + 4), gen4, gen4, slot=i + 1, numa=numa),
                  pex_switch(root + 1, root + 4, (gen4, gen4), [(0, root + 3, root + 3, gen4, gen4),
                                                                (4, root + 4, root + 4, gen4, gen4)],
                             numa=numa, down_acs=ACS_ISOLATING if numa == 0 else 0),
                  _mi210(at(0, root + 3, 0), numa), _mi210(at(0, root + 4, 0), numa)]
    functions = listing(host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex", numa=0), *parts)
    return both(functions), truths(_eight("lspci-vv.txt"))


live("epyc-eight-mi210-four-switches", Host(
    about="all are open to AtomicOps, in two XGMI hives of four",
    board=("Supermicro", "H12DSG-O-CPU"), cpu=("AuthenticAMD", 25, 1, "AMD EPYC 7763 64-Core Processor"), nodes=2,
    modules={"amdgpu": "6.12.12"}, iommu="DMA-FQ",
    kfd=tuple(Kfd(one, GFX90A, 1, 64 * GIB, 128 + i, hive=0x1234 + i // 4,
                  peers=tuple(peer for peer in EIGHT[i // 4 * 4:i // 4 * 4 + 4] if peer != one))
              for i, one in enumerate(EIGHT))),
    dict(_eight(), same_as=["lspci-xxxx.txt"], host={"iommu": "translating"},
         facts={"acs.redirect@%s,%s" % (EIGHT[0], EIGHT[1]): True, "acs.redirect@%s,%s" % (EIGHT[6], EIGHT[7]): False}),
    dict(_eight(), host={"iommu": "translating"}))


@machine
def _am5_r9700_small_bar():
    """Two Radeon AI PRO R9700 on processor lanes; the BAR of the second was left at 256 MiB.

    Constructed: the machine `asus-proart-b850-dual-r9700` with Resizable BAR not in use for one card.

    What is true: the processor, and a peer, reach all 32 GiB of the first card and 256 MiB of the second, whose BAR could
    be 32 GiB. Both facts are there for everyone (`resource`, `resource0_resize`).
    """
    gen5x8, acs = (32, 8), (ACS_PORT, ACS_ISOLATING)
    functions = listing(am5_host(), am5_root_port(at(0, 0, 1, 1), (0, 1, 3), gen5x8, gen5x8, acs=acs),
                        am5_root_port(at(0, 0, 1, 3), (0, 5, 7), gen5x8, gen5x8, slot=2, acs=acs), am5_tail(0x0B),
                        r9700(1, gen5x8), r9700(5, gen5x8, bar=256 * MIB))
    return {"lspci-xxxx.txt": both(functions)["lspci-xxxx.txt"]}, {}


_bars = {B850[0]: {"bar.bytes": 32 * GIB}, B850[1]: {"bar.bytes": 256 * MIB}}
_bar_facts = {"bar.size@" + B850[1]: 256 * MIB, "bar.resizable_max@" + B850[1]: 32 * GIB}
live("am5-r9700-small-bar", Host(), dict(same_as=["lspci-xxxx.txt"], gpus=_bars, facts=_bar_facts),
     dict(gpus=_bars, facts=_bar_facts))


@machine
def _altra_domain_000a():
    """Two Instinct MI210 in the domains 000a and 000d of an Ampere Altra host, whose root complexes are domains each.

    Constructed with published ids (1def:e101). The bus numbers are the same in both domains.

    What is true: chains stay in their domains; addresses with letters in the domain are addresses like any other.
    """
    gen4 = (16, 16)
    parts = []
    for domain in (0xA, 0xD):
        parts += [host_bridge(0x1DEF, 0xE100, "Ampere PCI Express Root Complex A", domain=domain, numa=0),
                  root_port(at(domain, 0, 1), 0x1DEF, 0xE101, "Altra PCI Express Root Port a0", (0, 1, 1), gen4, gen4,
                            slot=domain, multi=False, numa=0),
                  _mi210(at(domain, 1, 0), 0)]
    functions = listing(*parts)
    return {}, {}


_altra = {"gpu_count": 2, "gpus": {"%s:01:00.0" % d: {"chain": [d + ":00:01.0", d + ":01:00.0"],
                                                      "link.gbytes_per_s": [31.4, 31.6]} for d in ("000a", "000d")}}
live("altra-domain-000a", Host(board=("GIGABYTE", "MP32-AR2-00"), cpu=("ARM", 8, 1, "Neoverse-N1"), iommu=None), _altra, _altra)


@machine
def _am5_r9700_asleep():
    """A Radeon AI PRO R9700 in D3cold beside one that is awake.

    Constructed: the machine `asus-proart-b850-dual-r9700` with the second card and the switch on it suspended. What
    would wake it when read (`config` and the link attributes) has other values in this tree, so that reading it shows.

    What is true: the sleeping card is listed, with its name, driver and BAR; what only its registers tell is unknown,
    because it sleeps. Nothing of it was read that wakes it.
    """
    gen5x8, acs = (32, 8), (ACS_PORT, ACS_ISOLATING)
    listing(am5_host(), am5_root_port(at(0, 0, 1, 1), (0, 1, 3), gen5x8, gen5x8, acs=acs),
            am5_root_port(at(0, 0, 1, 3), (0, 5, 7), gen5x8, gen5x8, slot=2, acs=acs), am5_tail(0x0B),
            r9700(1, gen5x8), r9700(5, gen5x8))
    return {}, {}


_asleep = {"gpu_count": 2, "gpus": {
    B850[0]: {"power_state": "D0"},
    B850[1]: {"power_state": "D3cold", "vendor": "amd", "ids.vendor": "1002", "ids.device": "7551", "driver": "amdgpu",
              "chain": ["0000:00:01.3", "0000:05:00.0", "0000:06:00.0", B850[1]], "bar.bytes": 32 * GIB,
              "atomics.requester_enabled": None, "atomics.path": "unknown",
              "hops": {one: {"link.speed_gts": None, "link.width": None, "link.max_width": None}
                       for one in ("0000:05:00.0", "0000:06:00.0", B850[1])}}},
    "facts": {"atomics.requester_enabled@" + B850[1]: {"status": "unknown", "reason": "asleep"}}}
live("am5-r9700-asleep", Host(asleep={one: "D3cold" for one in ("0000:05:00.0", "0000:06:00.0", B850[1], "0000:07:00.1")}),
     _asleep, _asleep)


@machine
def _am5_r9700_failing_files():
    """`asus-proart-b850-dual-r9700` whose files cannot be read as they should.

    Constructed: the second card's `config` is a pipe, its audio function's `config` ends after 13 bytes, attributes are
    pipes, links or closed to everyone, the list names a device that is gone, and one that no folder explains.

    What is true: the program ends at once and says what it found; nothing is guessed in place of what it could not read.
    """
    gen5x8, acs = (32, 8), (ACS_PORT, ACS_ISOLATING)
    listing(am5_host(), am5_root_port(at(0, 0, 1, 1), (0, 1, 3), gen5x8, gen5x8, acs=acs),
            am5_root_port(at(0, 0, 1, 3), (0, 5, 7), gen5x8, gen5x8, slot=2, acs=acs), am5_tail(0x0B),
            r9700(1, gen5x8), r9700(5, gen5x8), nvme(at(0, 0x0C, 0)))
    return {}, {}


_failing = {"gpu_count": 2, "warnings": ["live.vanished"],
            "gpus": {B850[0]: {"chain": ["0000:00:01.1", "0000:01:00.0", "0000:02:00.0", B850[0]], "numa_node": None},
                     B850[1]: {"ids.device": "7551", "chain": ["0000:00:01.3", "0000:05:00.0", "0000:06:00.0", B850[1]],
                               "atomics.requester_enabled": None, "numa_node": None, "power_state": None}}}
_tree = live("am5-r9700-failing-files", Host(), _failing, _failing)
_gpu = "sys/devices/pci0000:00/0000:00:01.3/0000:05:00.0/0000:06:00.0/0000:07:00.0"
for _name in ("config", "numa_node", "power_state", "mem_info_vram_total"):
    _tree.remove(_gpu + "/" + _name)
    _tree.pipe(_gpu + "/" + _name)
_tree.remove(_gpu[:-1] + "1/config")
_tree.bytes(_gpu[:-1] + "1/config", bytes(13))
_tree.remove("proc/cpuinfo")
_tree.pipe("proc/cpuinfo")
_tree.link("sys/bus/pci/devices/0000:0e:00.0", "../../../devices/pci0000:00/0000:00:01.7/0000:0e:00.0")
_first = "sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0"
for _name in ("numa_node", "revision"):
    _tree.remove(_first + "/" + _name)
_tree.text(_first + "/numa_node", "0", 0)
_tree.link(_first + "/revision", "revision")


@machine
def _epyc_many_functions():
    """A host of 512 functions: eight switches with two GPUs each, and network functions.

    Constructed; made when it is needed and not kept, since its tree has some 12,000 files.

    What is true: all sixteen GPUs are found, each with its chain of four; reading the host takes no time worth mentioning.
    """
    gen4 = (16, 16)
    parts = []
    for i in range(8):
        root, numa = i * 32, i // 4
        parts += [host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex", bus=root, numa=numa),
                  _gpp(at(0, root, 1, 1), (root, root + 1, root + 10), gen4, gen4, slot=i + 1, numa=numa)]
        downs = [(n, root + 3 + n, root + 3 + n, gen4, gen4) for n in range(8)]
        parts.append(pex_switch(root + 1, root + 10, (gen4, gen4), downs, numa=numa))
        parts += [_mi210(at(0, root + 3 + n, 0), numa) for n in range(2)]
        # Adapters of eight or nine functions below the other ports.
        parts += [endpoint(at(0, root + 5 + n, fn >> 3, fn & 7), 0x15B3, 0x1023, 0x0200, "CX8 Family [ConnectX-8]",
                           (gen4, gen4), "mlx5_core", layout="pex", numa=numa, size=4096)
                  for n in range(6) for fn in range(9 if n < 3 else 8)][:51]
    listing(*parts)
    return {}, {}


_many = {"gpu_count": 16, "gpus": {at(0, 0xE3, 0): {"chain": [at(0, 0xE0, 1, 1), at(0, 0xE1, 0), at(0, 0xE2, 0),
                                                              at(0, 0xE3, 0)], "link.gbytes_per_s": [31.4, 31.6]}}}
live("epyc-many-functions", Host(nodes=2, iommu="DMA-FQ"), _many, _many, keep=False)


@machine
def _docker_two_rtx3090_one_given():
    """A Docker container on a host with two GeForce RTX 3090 that was given one of them.

    Constructed: the machine `x570-dual-rtx3090-idle` with the files that Docker and NVIDIA's container runtime leave: sysfs
    shows all PCI functions, /dev and /proc/driver/nvidia only what was given. The image brought a libcuda of its own.

    What is true: the second GPU is there and hidden from programs in the container, and libcuda does not fit the module.
    The container hides the host's processes, its firmware's table and its kernel log, too.
    """
    a, b = "0000:0a:00.0", "0000:0b:00.0"
    name = "GA102 [GeForce RTX 3090]"
    listing(host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex"),
            root_port(at(0, 0, 3, 1), 0x1022, 0x1483, "Starship/Matisse GPP Bridge", (0, 0x0A, 0x0A), (16, 8), (16, 8)),
            root_port(at(0, 0, 3, 2), 0x1022, 0x1483, "Starship/Matisse GPP Bridge", (0, 0x0B, 0x0B), (16, 8), (16, 8),
                      slot=1),
            nvidia_gpu(a, 0x2204, name, (16, 16), (16, 8)), nvidia_gpu(b, 0x2204, name, (16, 16), (16, 8)))
    return {}, {}


_given = dict(gpu_count=2, host={"source": "live"}, warnings=["nvidia.hidden", "nvidia.version-mismatch"],
              facts={"host.container": "docker", "gpu.mig@0000:0a:00.0": {"status": "unknown"}})
live("docker-two-rtx3090-one-given", Host(
    board=("MSI", "MEG X570 ACE"), cpu=("AuthenticAMD", 25, 33, "AMD Ryzen 9 5950X 16-Core Processor"),
    modules={"nvidia": "570.195.03", "nvidia_uvm": None}, drm=False,
    files={"proc/self/uid_map": "         0          0 4294967295",
           "proc/self/cgroup": "0::/system.slice/docker-3f2a9c0d1e4b.scope",
           "proc/self/ns/pid": "-> pid:[4026532801]",
           "proc/driver/nvidia/gpus/0000:0a:00.0/information": "Model: \t\t NVIDIA GeForce RTX 3090\nDevice Minor: \t 0",
           "dev/nvidiactl": "", "dev/nvidia-uvm": "", "dev/nvidia0": "",
           "usr/lib/x86_64-linux-gnu/libcuda.so.1": "-> libcuda.so.570.86.15",
           "usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15": ""}),
    dict(_given), dict(_given))


@machine
def _wsl2_one_geforce():
    """WSL 2 on a Windows machine with a GeForce: the GPU is Microsoft's paravirtual one, behind /dev/dxg.

    Constructed from the public description of GPU-PV: a function 1414:008e of class 0302 in a domain of its own.

    What is true: nothing of the real GPU can be seen, neither its name nor its ways; the report says so, and what would.
    """
    listing(Function("0001:00:00.0", 0x1414, 0x008E, 0x0302, "Basic Render Driver", driver="dxgkrnl", bytes=256))
    return {}, {}


_wsl = dict(exit=[0, 69], host={"virtualized": "yes"}, warnings=["host.wsl"])
live("wsl2-one-geforce", Host(
    board=("Microsoft Corporation", "Virtual Machine"), kernel="6.6.87.2-microsoft-standard-WSL2", hypervisor=True, iommu=None,
    cmdline="initrd=\\\\initrd.img WSL_ROOT_INIT=1 panic=-1", drm=False,
    files={"dev/dxg": "", "proc/self/uid_map": "         0          0 4294967295", "proc/self/cgroup": "0::/",
           "usr/lib/wsl/lib/libcuda.so.1": ""}), dict(_wsl), dict(_wsl))
