"""The same machines in the forms in which reports arrive, other sources, and input that is damaged."""
import re

import dumps
from machines import both, listing, machine, truths
from machines.amd import _b650e, _b850
from parts import GIB, MIB, at, host_bridge, root_port, rx7900xtx
from pcispace import COMPLETER32, COMPLETER64, LEGACY, Bar, Express, Function


def _only(functions, wanted):
    return [f for f in functions if f.address in wanted]


B650E_CARD1 = ["0000:00:02.1", "0000:05:00.0", "0000:06:09.0", "0000:09:00.0", "0000:0a:00.0", "0000:0b:00.0"]


@machine
def _mail_quoted_wrapped():
    """The chipset card of `asus-tuf-b650e-dual-r9700` as it arrives in a mail: one chain, quoted, tabs lost, wrapped.

    What is true: quoting and line breaks are no information. An excerpt is not a complete listing, so "only one GPU"
    is not known either.
    """
    functions = _only(_b650e(), B650E_CARD1)

    def mail():
        text = dumps.quoted_mail(dumps.verbose(functions, domain=False))
        return ("On Tuesday somebody wrote:\n> Here is what sudo lspci -nnvv says about my second card, I left out the "
                "rest:\n>\n" + text + "\nCould you try another slot?\n")

    card = "0000:0b:00.0"
    truth = {
        "command": ["topo"], "inputs": ["mail.txt"], "exit": 0, "gpu_count": 1,
        "host": {"source": "lspci-text"},
        "gpus": {card: {"vendor": "amd", "chain": B650E_CARD1, "atomics.state": "no",
                        "atomics.blocking": ["0000:05:00.0", "0000:06:09.0"], "atomics.requester_enabled": False,
                        "link.gbytes_per_s": [1.96, 1.98], "link.at": "0000:06:09.0", "driver": "amdgpu"}},
        "modes": {"tensor": "unknown"},
    }
    return {"mail.txt": mail}, truths(truth)


@machine
def _markdown_with_tree():
    """`asus-tuf-b650e-dual-r9700` as an issue report: `lspci -t` and `lspci -nn` in code fences, CR LF, no detail.

    What is true: the tree gives the chains, the list the names. Links and AtomicOps are not in it: unknown, and the
    next step is to ask for `lspci -vv` as root.
    """
    functions = _b650e()

    def report():
        return ("My second card does not work with RCCL.\r\n\r\n```\r\n$ lspci -t\r\n"
                + dumps.tree(functions).replace("\n", "\r\n")
                + "```\r\n\r\n```text\r\n$ lspci -nn\r\n"
                + dumps.lspci(functions, ["-nn"]).replace("\n", "\r\n") + "```\r\n")

    a, b = "0000:03:00.0", "0000:0b:00.0"
    gpu = {"vendor": "amd", "atomics.state": "unknown", "atomics.requester_enabled": None, "link.gbytes_per_s": None,
           "link.state": "unknown"}
    truth = {
        "command": ["topo"], "inputs": ["issue.md"], "exit": 0, "gpu_count": 2,
        "gpus": {a: dict(gpu, chain=["0000:00:01.1", "0000:01:00.0", "0000:02:00.0", a]), b: dict(gpu, chain=B650E_CARD1)},
        "modes": {"tensor": "unknown"},
    }
    return {"issue.md": report}, truths(truth)


@machine
def _two_hosts_in_one_file():
    """`lspci -vv` of two different hosts pasted into one file.

    What is true: one address with two different devices is two hosts. Mixing them would invent a machine, so the
    program refuses and names both; `--dump 2` takes the second.
    """
    first, second = _b650e(), _b850()

    def text():
        return ("before:\n\n$ sudo lspci -D -nnvv\n" + dumps.verbose(first) + "\nafter the board was changed:\n\n"
                "$ sudo lspci -D -nnvv\n" + dumps.verbose(second))

    refused = {"command": ["topo"], "inputs": ["lspci-vv.txt"], "exit": 65, "error": ["--dump"]}
    chosen = {
        "command": ["topo", "--dump", "2"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "gpus": {"0000:07:00.0": {"atomics.state": "yes",
                                  "chain": ["0000:00:01.3", "0000:05:00.0", "0000:06:00.0", "0000:07:00.0"]}},
    }
    other = {
        "command": ["topo", "--dump", "1"], "inputs": ["lspci-vv.txt"], "exit": 0, "gpu_count": 2,
        "gpus": {"0000:0b:00.0": {"atomics.state": "no", "chain": B650E_CARD1}},
    }
    none = {"command": ["topo", "--dump", "3"], "inputs": ["lspci-vv.txt"], "exit": [64, 65], "error": ["3"]}
    return {"lspci-vv.txt": text}, truths(refused, truth_second=chosen, truth_first=other, truth_third=none)


def _two_mi210(link="31.507692"):
    """hwloc objects of two GPUs below one switch."""
    return '''\
      <object type="Bridge" gp_index="20" bridge_type="0-1" depth="0" bridge_pci="0000:[40-44]">
        <object type="Bridge" gp_index="21" bridge_type="1-1" depth="1" bridge_pci="0000:[41-44]" \
pci_busid="0000:40:01.1" pci_type="0604 [1022:1483] [0000:0000] 00" pci_link_speed="%(l)s">
          <object type="Bridge" gp_index="22" bridge_type="1-1" depth="2" bridge_pci="0000:[42-44]" \
pci_busid="0000:41:00.0" pci_type="0604 [1000:c010] [1000:a096] b0" pci_link_speed="%(l)s">
            <object type="Bridge" gp_index="23" bridge_type="1-1" depth="3" bridge_pci="0000:[43-43]" \
pci_busid="0000:42:00.0" pci_type="0604 [1000:c010] [1000:a096] b0" pci_link_speed="%(l)s">
              <object type="PCIDev" gp_index="24" pci_busid="0000:43:00.0" \
pci_type="0380 [1002:740f] [1002:0c34] 02" pci_link_speed="%(l)s">
                <object type="OSDev" gp_index="25" name="card0" osdev_type="1"/>
              </object>
            </object>
            <object type="Bridge" gp_index="26" bridge_type="1-1" depth="3" bridge_pci="0000:[44-44]" \
pci_busid="0000:42:04.0" pci_type="0604 [1000:c010] [1000:a096] b0" pci_link_speed="%(l)s">
              <object type="PCIDev" gp_index="27" pci_busid="0000:44:00.0" \
pci_type="0380 [1002:740f] [1002:0c34] 02" pci_link_speed="%(l)s"/>
            </object>
          </object>
        </object>
      </object>
''' % {"l": link}


@machine
def _hwloc_two_mi210_one_switch():
    """Two Instinct MI210 below one switch as hwloc writes it, in the forms of XML versions 2.0 and 3.0.

    Written by hand in the shape of `lstopo --of xml`; the machine is that of `epyc-two-mi210-egress-block`.

    What is true: chains, locality and rates are in it. AtomicOps are not: unknown. A rate of 0 is unknown as well.
    """
    def xml(version, link):
        infos = '<info name="%s" value="%s"/>'
        return ('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n'
                '<topology version="%s">\n  <object type="Machine" os_index="0" cpuset="0x0000ffff" '
                'complete_cpuset="0x0000ffff" allowed_cpuset="0x0000ffff" nodeset="0x00000003" '
                'complete_nodeset="0x00000003" allowed_nodeset="0x00000003" gp_index="1">\n    %s\n    %s\n'
                '    <object type="Package" os_index="0" cpuset="0x0000ffff" complete_cpuset="0x0000ffff" '
                'nodeset="0x00000002" complete_nodeset="0x00000002" gp_index="2">\n      '
                '<object type="NUMANode" os_index="1" cpuset="0x0000ffff" complete_cpuset="0x0000ffff" '
                'nodeset="0x00000002" complete_nodeset="0x00000002" gp_index="3" local_memory="68719476736"/>\n'
                '%s    </object>\n  </object>\n</topology>\n'
                % (version, infos % ("OSRelease", "6.12.63+deb13-amd64"), infos % ("Backend", "Linux"), _two_mi210(link)))

    a, b = "0000:43:00.0", "0000:44:00.0"
    gpu = {"vendor": "amd", "atomics.state": "unknown", "atomics.requester_enabled": None,
           "link.gbytes_per_s": [31.4, 31.6]}
    truth = {
        "command": ["topo"], "inputs": ["hwloc-2.xml"], "exit": 0, "gpu_count": 2,
        "host": {"source": "hwloc-xml"},
        "gpus": {a: dict(gpu, chain=["0000:40:01.1", "0000:41:00.0", "0000:42:00.0", a]),
                 b: dict(gpu, chain=["0000:40:01.1", "0000:41:00.0", "0000:42:04.0", b])},
        "pairs": {a + " " + b: {"path": "switch"}},
        "modes": {"tensor": "unknown"},
    }
    without = dict(truth, inputs=["hwloc-3-zero-speed.xml"])
    without["gpus"] = {key: dict(value, **{"link.gbytes_per_s": None}) for key, value in truth["gpus"].items()}
    return ({"hwloc-2.xml": xml("2.0", "31.507692"), "hwloc-3-zero-speed.xml": xml("3.0", "0.000000")},
            truths(truth, truth_zero=without))


@machine
def _nccl_two_a100_nvlink():
    """Two A100 with NVLink between them as NCCL writes its topology (`NCCL_TOPO_DUMP_FILE`), one switch a GPU.

    Written by hand in the shape of NCCL 2.20.

    What is true: twelve NVLinks each way; NCCL leaves out the root ports, so the chain does not reach the root. The
    vendor's fabric counts whatever the PCI Express path is.
    """
    def gpu(bus, other, rank):
        return ('    <pci busid="0000:%02x:00.0" class="0x060400" vendor="0x1000" device="0xc010" '
                'subsystem_vendor="0x1000" subsystem_device="0xa096" link_speed="16.0 GT/s PCIe" link_width="16">\n'
                '      <pci busid="0000:%02x:00.0" class="0x030200" vendor="0x10de" device="0x20b2" '
                'subsystem_vendor="0x10de" subsystem_device="0x1463" link_speed="16.0 GT/s PCIe" link_width="16">\n'
                '        <gpu dev="%d" sm="80" rank="%d" gdr="1">\n'
                '          <nvlink target="0000:%02x:00.0" count="12" tclass="0x030200"/>\n'
                '        </gpu>\n      </pci>\n    </pci>\n' % (bus, bus + 2, rank, rank, other + 2))

    text = ('<system version="1">\n  <cpu host_hash="0x1234567812345678" numaid="0" affinity="00000000,0000ffff" '
            'arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49">\n' + gpu(0x21, 0x61, 0)
            + gpu(0x61, 0x21, 1) + '  </cpu>\n</system>\n')
    a, b = "0000:23:00.0", "0000:63:00.0"
    truth = {
        "command": ["topo"], "inputs": ["nccl.xml"], "exit": 0, "gpu_count": 2,
        "host": {"source": "nccl-xml"},
        "gpus": {a: {"vendor": "nvidia", "atomics.state": "unknown"}, b: {"vendor": "nvidia"}},
        "pairs": {a + " " + b: {"fabric.kind": "nvlink", "fabric.links": 12}},
        "facts": {"fabric.direct@%s,%s" % (a, b): True},
        "modes": {"tensor": "unknown"}, "modes_expected": {"tensor": "yes"},
    }
    return {"nccl.xml": text}, truths(truth)


def _noise(count):
    """Bytes without meaning, the same each time."""
    state, out = 12345, bytearray()
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        out.append(state >> 16 & 0xFF)
    return bytes(out)


def _cycle():
    """Bridges whose secondary buses point at each other, and a GPU on one of those buses."""
    def port(address, buses, kind):
        return Function(address, 0x1000, 0xC010, 0x0604, "PEX880xx PCIe Gen 4 Switch", buses=buses, layout="pex",
                        bytes=256, driver="pcieport", express=Express(kind, (16, 16), (16, 16)))

    gpu = Function(at(0, 2, 2), 0x1002, 0x744C, 0x0300, "Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M]", rev=0xC8,
                   bytes=256, bars=[Bar(0, 256 * MIB, "pref64")], driver="amdgpu",
                   express=Express(LEGACY, (16, 16), (16, 16), devcap2=COMPLETER32 | COMPLETER64))
    return listing(host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex"),
                   port(at(0, 1, 0), (1, 2, 9), 5), port(at(0, 2, 0), (2, 1, 9), 6), port(at(0, 2, 1), (2, 2, 2), 6), gpu)


@machine
def _damaged_input():
    """Input that is empty, binary, cut off, contradicts itself or states what cannot be.

    What is true: the program ends at once, with an error that says what is wrong or with the part that is sound and a
    warning; never with a guess. Each truth-*.json names its file.
    """
    card = rx7900xtx(1, (16, 16))
    whole = listing(host_bridge(0x1022, 0x1480, "Starship/Matisse Root Complex"),
                    root_port(at(0, 0, 3, 1), 0x1022, 0x1483, "Starship/Matisse GPP Bridge", (0, 1, 3), (16, 16), (16, 16)),
                    card)
    hexed = dumps.hex_dump(whole)
    cut = hexed[:hexed.index("0000:03:00.0") + 700]
    gpu = "0000:03:00.0"

    def text():
        return dumps.verbose(whole)

    def cut_text():
        out = text()
        return out[:out.index("LnkSta:", out.index("\n0000:03:00.0")) + 17]

    def impossible():
        out = text()
        at_root = out.index("\n0000:00:03.1")
        return out[:at_root] + re.sub(r"LnkSta:\tSpeed 16GT/s, Width x16", "LnkSta:\tSpeed 99GT/s, Width x63",
                                      out[at_root:], count=1)

    def duplicate():
        return hexed + hexed[hexed.index("0000:03:00.0"):].replace("00: 02 10 4c 74", "00: de 10 04 22", 1).replace(
            "[1002:744c]", "[10de:2204]", 1)

    chain = ["0000:00:03.1", "0000:01:00.0", "0000:02:00.0", gpu]
    files = {
        "empty.txt": "", "binary.bin": _noise(4096), "prose.txt": "My GPU is slow. What can I do?\n" * 5,
        "cut-hex.txt": cut, "cut-text.txt": cut_text, "impossible.txt": impossible, "duplicate.txt": duplicate,
        "cycle.txt": dumps.hex_dump(_cycle()),
        "offsets.txt": hexed + "0000:07:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [10de:2204]\n"
                               "00: de 10 04 22 07 04 10 00 a1 00 00 03 10 00 80 00\nfffffffffffffff0: ff ff ff ff\n"
                               "7ffffff0: 00 11 22\nff0: 00\n1000: 01 02 03 04\n",
        "unclosed.xml": "<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0000:01:00.0\" class=\"0x030200\"",
    }

    def bad(name, code=65, **more):
        return dict({"command": ["topo"], "inputs": [name], "exit": code}, **more)

    partial = {"gpus": {gpu: {"chain": chain}}}
    return files, truths(
        bad("empty.txt", error=["empty.txt"]),
        truth_binary=bad("binary.bin", error=["binary.bin"]),
        truth_prose=bad("prose.txt", error=["prose.txt"]),
        truth_xml=bad("unclosed.xml", error=["unclosed.xml"]),
        truth_cut_hex=bad("cut-hex.txt", 0, gpu_count=1, gpus={gpu: {"chain": chain, "link.card_gbytes_per_s": [31.4, 31.6]}}),
        truth_cut_text=bad("cut-text.txt", 0, gpu_count=1, **partial),
        truth_impossible=bad("impossible.txt", 0, gpu_count=1, gpus={gpu: {
            "chain": chain, "hops": {"0000:00:03.1": {"link.width": [None], "link.speed_gts": [None]}}}}),
        truth_duplicate=bad("duplicate.txt", 65, error=["0000:03:00.0"]),
        truth_cycle=bad("cycle.txt", 0, gpu_count=1, gpus={"0000:02:02.0": {"vendor": "amd", "atomics.state": ["unknown", "no"]}}),
        truth_offsets=bad("offsets.txt", 0, gpus={gpu: {"chain": chain, "link.gbytes_per_s": [31.4, 31.6]}}))
