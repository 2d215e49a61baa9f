"""What the kernel shows of a machine: its functions and what else a host has, as files.

Names, forms and modes: drivers/pci/pci-sysfs.c, drivers/iommu/iommu.c, drivers/gpu/drm/amd/amdkfd/kfd_topology.c,
Documentation/ABI/testing; the DMI table: SMBIOS 3.5 (structures 1, 2, 9, 41).
"""
import dataclasses
import struct

from pcispace import GEN, encode
from sysfs_tree import Tree

SPEEDS = {2.5: "2.5", 5: "5.0", 8: "8.0", 16: "16.0", 32: "32.0", 64: "64.0"}
# include/linux/ioport.h
BAR_FLAGS = {"pref64": 0x14220C, "mem64": 0x140204, "mem32": 0x40200, "io": 0x40101}
UNSET = 0x20000000
# Marks what must never come out of a report or a recording.
SECRET = "SECRET-"


@dataclasses.dataclass
class Slot:
    """A System Slot of the firmware (SMBIOS type 9). Widths in lanes."""
    name: str
    address: str = None
    width: int = 16
    generation: int = 4
    id: int = 0
    used: bool = True


@dataclasses.dataclass
class Kfd:
    """A GPU in the compute driver's topology. `flags`: those of its link to the processor (kfd_crat.h)."""
    address: str
    gfx: int
    flags: int = 1
    vram: int = 32 << 30
    minor: int = 128
    hive: int = 0
    refused: bool = False      # another cgroup's: its files may not be read
    peers: tuple = ()          # addresses that it has a peer-to-peer link to
    peer_flags: int = 3
    firmware: int = 110


@dataclasses.dataclass
class Host:
    about: str = ""            # what is true beyond the registers, for about.md
    board: tuple = ("ASUSTeK COMPUTER INC.", "TUF GAMING B650-E WIFI")
    product: tuple = ("ASUS", "System Product Name")
    kernel: str = "6.12.63+deb13-amd64"
    cmdline: str = "BOOT_IMAGE=/boot/vmlinuz ro quiet"
    cpu: tuple = ("AuthenticAMD", 26, 68, "AMD Ryzen 9 9950X 16-Core Processor")
    hypervisor: bool = False
    iommu: str = "DMA-FQ"      # type of the default domains; None: no IOMMU is driven
    iommu_name: str = "ivhd0"
    config: tuple = ("CONFIG_PCI_P2PDMA=y", "CONFIG_HSA_AMD_P2P=y")
    slots: tuple = ()
    kfd: tuple = ()
    nodes: int = 1
    modules: dict = dataclasses.field(default_factory=dict)     # name -> version or None
    asleep: dict = dataclasses.field(default_factory=dict)      # address -> power state
    hot_plug: dict = dataclasses.field(default_factory=dict)    # name in bus/pci/slots -> address without function
    log: tuple = None          # lines of the kernel log; None: no /dev/kmsg
    drm: bool = True
    files: dict = dataclasses.field(default_factory=dict)       # path -> text; "-> TARGET" for a link


class Writer:
    def __init__(self, functions, host):
        self.functions, self.host, self.tree = functions, host, Tree()
        self.below = {(f.domain, f.buses[1]): f for f in functions if f.is_bridge}
        self.paths = {}
        self.groups = {}
        used = {f.group for f in functions if f.group is not None}
        following = (n for n in range(4096) if n not in used)
        for f in functions:
            self.groups[f.address] = next(following) if f.group is None else f.group

    def path(self, f):
        """sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0"""
        if f.address not in self.paths:
            bridge = self.below.get((f.domain, f.bus))
            if bridge is None or bridge is f:
                above = "sys/devices/pci%04x:%02x" % (f.domain, f.bus)
            else:
                above = self.path(bridge)
            self.paths[f.address] = above + "/" + f.address
        return self.paths[f.address]

    def write(self):
        self.tree.folder("sys/kernel/iommu_groups")
        self.tree.folder("sys/class/iommu")
        self.tree.folder("sys/bus/pci/slots")
        if self.host.iommu:
            self.tree.folder("sys/class/iommu/" + self.host.iommu_name)
        for f in self.functions:
            self.function(f)
        for name, address in self.host.hot_plug.items():
            self.tree.text("sys/bus/pci/slots/%s/address" % name, address)
        self.drm()
        self.kfd()
        self.machine()
        return self.tree

    # ------------------------------------------------------------------------------------------ functions

    def function(self, f):
        tree, path = self.tree, self.path(f)

        def text(name, value, mode=0o444):
            tree.text(path + "/" + name, value, mode)

        tree.link_to("sys/bus/pci/devices/" + f.address, path)
        text("vendor", "0x%04x" % f.vendor)
        text("device", "0x%04x" % f.device)
        subsystem = f.subsystem or (0, 0)
        text("subsystem_vendor", "0x%04x" % subsystem[0])
        text("subsystem_device", "0x%04x" % subsystem[1])
        text("class", "0x%04x%02x" % (f.cls, f.prog_if))
        text("revision", "0x%02x" % f.rev)
        text("numa_node", -1 if f.numa is None else f.numa)
        text("irq", 40 + f.bus % 32 if f.driver else 0)
        text("resource", self.resource(f))
        state = self.host.asleep.get(f.address)
        awake = "D0" if f.express or f.driver else "unknown"
        text("power_state", state or awake)
        text("power/runtime_status", "suspended" if state else "active")
        text("power/control", "auto" if state else "on", 0o644)
        if state:
            self.betrayal(f, path)
        else:
            tree.bytes(path + "/config", encode(f)[:4096 if f.express and f.bytes > 256 else 256], 0o644)
            if f.express:
                self.link(f, text)
        if f.is_bridge:
            text("secondary_bus_number", f.buses[1])
            text("subordinate_bus_number", f.buses[2])
        if f.aer is not None:
            text("aer_dev_correctable", "RxErr 0\nBadTLP 0\nBadDLLP 0\nRollover 0\nTimeout 0\nNonFatalErr 0\n"
                 "CorrIntErr 0\nHeaderOF 0\nTOTAL_ERR_COR 0")
            text("aer_dev_nonfatal", "Undefined 0\nDLP 0\nTOTAL_ERR_NONFATAL 0")
            text("aer_dev_fatal", "Undefined 0\nDLP 0\nTOTAL_ERR_FATAL 0")
        for index, _, supported in f.rebar or ():
            text("resource%d_resize" % index, "%016x" % sum(1 << (one.bit_length() - 1 - 20) for one in supported), 0o644)
        if f.driver:
            tree.folder("sys/bus/pci/drivers/" + f.driver)
            tree.link_to(path + "/driver", "sys/bus/pci/drivers/" + f.driver)
        if self.host.iommu:
            self.group(f)
        if f.slot_name:
            where = f.address.rsplit(".", 1)[0]
            if not any(value == where for value in self.host.hot_plug.values()):
                tree.text("sys/bus/pci/slots/%s/address" % f.slot_name, where)
        self.virtual_functions(f)

    def link(self, f, text):
        for word, values in (("current", f.express.now), ("max", f.express.max)):
            speed, width = values or (None, 0)
            code = {v: k for k, v in GEN.items()}.get(GEN.get(speed, 1)) if values else None
            text(word + "_link_speed", SPEEDS[code] + " GT/s PCIe" if code else "Unknown")
            text(word + "_link_width", width)

    def betrayal(self, f, path):
        """What wakes a sleeper when it is read says something else here, so that a reading shows in the report."""
        self.tree.bytes(path + "/config", bytes([0xFE, 0xCA]) * 2 + bytes(4092), 0o644)
        if f.express:
            for word in ("current", "max"):
                self.tree.text(path + "/%s_link_speed" % word, "2.5 GT/s PCIe")
                self.tree.text(path + "/%s_link_width" % word, 2)

    def resource(self, f):
        lines = [(0, 0, 0)] * (17 if f.is_bridge else 13)
        for bar in f.bars:
            flags = BAR_FLAGS[bar.kind]
            base = bar.base or 0
            lines[bar.index] = (base, base + bar.size - 1, flags if base else flags | UNSET)
        return "\n".join("0x%016x 0x%016x 0x%016x" % line for line in lines)

    def group(self, f):
        number = self.groups[f.address]
        where = "sys/kernel/iommu_groups/%d" % number
        self.tree.link_to(self.path(f) + "/iommu_group", where)
        self.tree.link_to("%s/devices/%s" % (where, f.address), self.path(f))
        if where + "/type" not in self.tree.entries:
            self.tree.text(where + "/type", self.host.iommu, 0o644)

    def virtual_functions(self, f):
        if not f.sriov or not f.sriov["num"]:
            return
        self.tree.text(self.path(f) + "/sriov_totalvfs", f.sriov["total"])
        self.tree.text(self.path(f) + "/sriov_numvfs", f.sriov["num"], 0o644)
        device = int(f.address[-4:-2], 16) << 3 | int(f.address[-1])
        for n in range(f.sriov["num"]):
            at = f.bus << 8 | device + f.sriov["offset"] + n * f.sriov["stride"]
            address = "%04x:%02x:%02x.%x" % (f.domain, at >> 8, at >> 3 & 31, at & 7)
            virtual = next(v for v in self.functions if v.address == address)
            self.tree.link_to("%s/virtfn%d" % (self.path(f), n), self.path(virtual))
            self.tree.link_to(self.path(virtual) + "/physfn", self.path(f))

    # ------------------------------------------------------------------------------------------ graphics and compute

    def drm(self):
        number = 0
        for f in self.functions:
            if not self.host.drm or f.cls >> 8 != 3 or f.driver not in ("amdgpu", "xe", "i915", "nouveau", "nvidia"):
                continue
            path = self.path(f)
            for name in ("card%d" % number, "renderD%d" % (128 + number)):
                self.tree.text("%s/drm/%s/dev" % (path, name), "226:%s" % name.lstrip("cardenD"))
                self.tree.link_to("sys/class/drm/" + name, "%s/drm/%s" % (path, name))
                self.tree.text("dev/dri/" + name, "", 0o660)
            if f.driver == "amdgpu":
                vram = max(bar.size for bar in f.bars)
                self.tree.text(path + "/mem_info_vram_total", next((k.vram for k in self.host.kfd
                                                                    if k.address == f.address), vram))
                self.tree.text(path + "/mem_info_vis_vram_total", vram)
                self.tree.text(path + "/unique_id", SECRET + "unique-id")
                self.tree.text(path + "/serial_number", SECRET + "serial-number")
            number += 1

    def kfd(self):
        if not self.host.kfd:
            return
        tree, top = self.tree, "sys/devices/virtual/kfd/kfd/topology"
        tree.link_to("sys/class/kfd/kfd", "sys/devices/virtual/kfd/kfd")
        tree.text("dev/kfd", "", 0o660)
        tree.text(top + "/generation_id", 2)
        tree.text(top + "/system_properties", "platform_oem 2314885530818453571\nplatform_id 2314885530818453571\n"
                  "platform_rev 1")
        for n in range(self.host.nodes):
            tree.text("%s/nodes/%d/gpu_id" % (top, n), 0)
            tree.text("%s/nodes/%d/properties" % (top, n), "cpu_cores_count 32\nsimd_count 0\nmem_banks_count 1\n"
                      "io_links_count %d\np2p_links_count 0\ngfx_target_version 0\nvendor_id 0\ndevice_id 0\n"
                      "location_id 0\ndomain 0\ndrm_render_minor 0\nhive_id 0" % len(self.host.kfd))
        numbers = {gpu.address: self.host.nodes + i for i, gpu in enumerate(self.host.kfd)}
        for gpu in self.host.kfd:
            self.kfd_gpu("%s/nodes/%d" % (top, numbers[gpu.address]), gpu, numbers)

    def kfd_gpu(self, node, gpu, numbers):
        f = next(f for f in self.functions if f.address == gpu.address)
        devfn = int(gpu.address[-4:-2], 16) << 3 | int(gpu.address[-1])
        mode = 0 if gpu.refused else 0o444
        number = numbers[gpu.address]
        self.tree.text(node + "/gpu_id", 41000 + number, mode)
        self.tree.text(node + "/name", "gfx%d" % gpu.gfx)
        self.tree.text(node + "/properties", "cpu_cores_count 0\nsimd_count 128\nmem_banks_count 1\nio_links_count 1\n"
                       "p2p_links_count %d\ngfx_target_version %d\nvendor_id 4098\ndevice_id %d\nlocation_id %d\ndomain %d\n"
                       "drm_render_minor %d\nhive_id %d\nfw_version %d\ncapability 671588992\nsdma_fw_version 21\n"
                       "unique_id 7233333333333333333\nnum_xcc 1"
                       % (len(gpu.peers), gpu.gfx, f.device, f.bus << 8 | devfn, f.domain, gpu.minor, gpu.hive,
                          gpu.firmware), mode)
        self.tree.text(node + "/mem_banks/0/properties", "heap_type 1\nsize_in_bytes %d\nflags 0\nwidth 256\n"
                       "mem_clk_max 1258" % gpu.vram, mode)
        processor = f.numa or 0
        self.kfd_link(node + "/io_links/0", 2, number, processor, 20, gpu.flags)
        for i, peer in enumerate(gpu.peers):
            if gpu.hive:
                self.kfd_link("%s/io_links/%d" % (node, i + 1), 11, number, numbers[peer], 15, 1)
            else:
                self.kfd_link("%s/p2p_links/%d" % (node, i), 2, number, numbers[peer], 40, gpu.peer_flags)

    def kfd_link(self, path, kind, start, end, weight, flags):
        self.tree.text(path + "/properties", "type %d\nversion_major 0\nversion_minor 0\nnode_from %d\nnode_to %d\nweight %d\n"
                       "min_latency 0\nmax_latency 0\nmin_bandwidth 312\nmax_bandwidth 31507\n"
                       "recommended_transfer_size 0\nflags %d" % (kind, start, end, weight, flags))

    # ------------------------------------------------------------------------------------------ the rest of the host

    def machine(self):
        tree, host = self.tree, self.host
        dmi = "sys/devices/virtual/dmi/id/"
        tree.link_to("sys/class/dmi/id", dmi.rstrip("/"))
        for name, value in (("board_vendor", host.board[0]), ("board_name", host.board[1]),
                            ("sys_vendor", host.product[0]), ("product_name", host.product[1]), ("bios_version", "3602")):
            tree.text(dmi + name, value)
        for name in ("board_serial", "product_serial", "product_uuid"):
            tree.text(dmi + name, SECRET + name.replace("_", "-"), 0o400)
        table = dmi_table(host)
        tree.bytes("sys/firmware/dmi/tables/DMI", table, 0o400)
        tree.bytes("sys/firmware/dmi/tables/smbios_entry_point", b"_SM3_" + bytes([0, 24, 3, 5, 0, 1, 0])
                   + struct.pack("<IQ", len(table), 0x9000), 0o400)
        for node in range(host.nodes):
            tree.text("sys/devices/system/node/node%d/cpulist" % node, "%d-%d" % (node * 16, node * 16 + 15))
            tree.text("sys/devices/system/cpu/cpu%d/topology/physical_package_id" % (node * 16), node)
        tree.text("sys/devices/system/node/online", "0" if host.nodes == 1 else "0-%d" % (host.nodes - 1))
        for name, version in host.modules.items():
            tree.text("sys/module/%s/refcnt" % name, 1)
            if version:
                tree.text("sys/module/%s/version" % name, version)
        vendor, family, model, name = host.cpu
        tree.text("proc/cpuinfo", "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %d\nmodel\t\t: %d\nmodel name\t: %s\n"
                  "flags\t\t: fpu vme de pse tsc msr%s\nbugs\t\t:\nbogomips\t: 8599.98\n" % (vendor, family, model, name,
                                                            " hypervisor" if host.hypervisor else ""))
        tree.text("proc/cmdline", host.cmdline + " root=UUID=" + SECRET + "root hostname=" + SECRET + "host")
        tree.text("proc/sys/kernel/osrelease", host.kernel)
        tree.text("proc/sys/kernel/hostname", SECRET + "hostname")
        tree.text("proc/sys/kernel/yama/ptrace_scope", 1, 0o644)
        tree.text("proc/sys/kernel/dmesg_restrict", 1, 0o644)
        tree.text("proc/1/cgroup", "0::/init.scope")
        tree.text("boot/config-" + host.kernel, "\n".join(("CONFIG_PCI=y",) + host.config))
        for path, text in host.files.items():
            if text.startswith("-> "):
                tree.link(path, text[3:])
            else:
                tree.text(path, text, 0o666 if path.startswith("dev/") else 0o444)
        if host.log is not None:
            tree.text("dev/kmsg", "\n".join("6,%d,%d,-;%s" % (i, 1000 * i, line) for i, line in enumerate(host.log)), 0o644)


def dmi_table(host):
    """Structures of SMBIOS 3.5: system, base board, slots, end."""
    lanes = {1: 8, 2: 9, 4: 0xA, 8: 0xB, 12: 0xC, 16: 0xD, 32: 0xE}
    out = b""

    def structure(kind, body, strings):
        nonlocal out
        handle = len(out) & 0x7FFF
        out += struct.pack("<BBH", kind, 4 + len(body), handle) + body
        out += b"".join(s.encode() + b"\0" for s in strings) + (b"\0" if strings else b"\0\0")

    structure(1, bytes([1, 2, 0, 3]) + b"\x11" * 16 + bytes([6, 0, 0]), [*host.product, SECRET + "system-serial"])
    structure(2, bytes([1, 2, 0, 3, 0, 9, 0, 0, 0, 10, 0]), [*host.board, SECRET + "board-serial"])
    for slot in host.slots:
        segment, bus, devfn = 0xFFFF, 0xFF, 0xFF
        if slot.address:
            domain, bus_text, rest = slot.address.split(":")
            segment, bus = int(domain, 16), int(bus_text, 16)
            devfn = int(rest[:2], 16) << 3 | int(rest[3])
        base = {3: 0xB1, 4: 0xB8, 5: 0xBE}[slot.generation]
        kind = base + {1: 1, 2: 2, 4: 3, 8: 4, 16: 5}[slot.width] if slot.generation in (3, 4, 5) else 0xA5
        structure(9, struct.pack("<BBBBBHBBHBBBBBBHB", 1, kind, lanes[slot.width], 4 if slot.used else 3, 4, slot.id, 0x0C, 1,
                                 segment, bus, devfn, lanes[slot.width], 0, slot.generation, lanes[16], 0, 0),
                  [slot.name])
    structure(127, b"", [])
    return out


def tree(functions, host):
    return Writer(functions, host).write()
