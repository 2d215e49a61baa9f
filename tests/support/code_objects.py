"""Small libraries with GPU code, built byte by byte: as `clang --offload-arch` and the linker lay them out, without code.

LLVM, "User Guide for AMDGPU Backend" (code object metadata) and "Clang Offload Bundler"; CUDA fat binaries as cuobjdump
shows them. shared_library() puts them into an ELF that names itself.
"""
import struct

# Processor numbers of EF_AMDGPU_MACH.
MACH = {"gfx906": 0x2f, "gfx90a": 0x3f, "gfx942": 0x4c, "gfx1030": 0x36, "gfx1100": 0x41, "gfx1201": 0x4e,
        "gfx12-generic": 0x59}
GENERIC = "ncclDevKernel_Generic_1"


def pack(value):
    """MessagePack."""
    if isinstance(value, int):
        return b"\xcf" + struct.pack(">Q", value)
    if isinstance(value, str):
        data = value.encode()
        return b"\xda" + struct.pack(">H", len(data)) + data
    if isinstance(value, list):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(pack, value))
    return b"\xde" + struct.pack(">H", len(value)) + b"".join(pack(k) + pack(v) for k, v in value.items())


def padded(data, align):
    return data + bytes(-len(data) % align)


def elf_header(machine, flags=0, abi=0, osabi=0, segments=(), sections_at=0, sections=0):
    out = b"\x7fELF\x02\x01\x01" + bytes([osabi, abi]) + bytes(7)
    out += struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64 if segments else 0, sections_at, flags, 64, 56,
                       len(segments), 64, sections, sections - 1 if sections else 0)
    for kind, offset, size in segments:
        out += struct.pack("<IIQQQQQQ", kind, 4, offset, offset, offset, size, size, 8)
    return out


def amd_object(target, kernels):
    """A code object (version 5) whose kernels, {name: declares a hostcall buffer}, are only described."""
    described = []
    for name, hostcall in kernels.items():
        args = [{".offset": 0, ".size": 8, ".value_kind": "global_buffer"}]
        if hostcall:
            args.append({".offset": 8, ".size": 8, ".value_kind": "hidden_hostcall_buffer"})
        described.append({".name": name, ".symbol": name + ".kd", ".args": args})
    body = pack({"amdhsa.kernels": described, "amdhsa.target": "amdgcn-amd-amdhsa--" + target,
                 "amdhsa.version": [1, 2]})
    note = struct.pack("<III", 7, len(body), 32) + b"AMDGPU\0\0" + padded(body, 4)
    processor = target.split(":")[0]
    flags = MACH[processor] | (1 << 24 if processor.endswith("-generic") else 0)
    return elf_header(224, flags, 4 if processor.endswith("-generic") else 3, 64, [(4, 120, len(note))]) + note


def bundle(objects):
    """An offload bundle of {target: code object}."""
    entries = [("host-x86_64-unknown-linux-gnu-", b"")]
    entries += [("hipv4-amdgcn-amd-amdhsa--" + target, data) for target, data in objects.items()]
    head = len(b"__CLANG_OFFLOAD_BUNDLE__") + 8 + sum(24 + len(name) for name, _ in entries)
    at = head + -head % 4096
    table, body = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries)), b""
    for name, data in entries:
        table += struct.pack("<QQQ", at, len(data), len(name)) + name.encode()
        body += padded(data, 4096)
        at += len(padded(data, 4096))
    return padded(table, 4096) + body


def nvidia_fatbin(images):
    """A fat binary of (kind, capability): kind 1 is PTX, 2 a cubin; what they hold is not looked at."""
    body = b""
    for kind, capability in images:
        data = b".version 8.8\n\0" if kind == 1 else elf_header(190, capability << 8 | capability)
        data = padded(data, 8)
        body += struct.pack("<HHIQIIIIIIQQQQ", kind, 0x101, 64 + 0, len(data), 0, 0, 8 if kind == 1 else 0, capability,
                            0, 0, 0x11, 0, 0, 0)[:64] + data
    return struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(body)) + body


def shared_library(soname, section=".hip_fatbin", content=b"", text=""):
    """An x86-64 shared library that has one section of device code and a text such as `RCCL version 2.27.7+hip7.2`."""
    strings = b"\0" + soname.encode() + b"\0"
    soname_at = 1
    parts = {".rodata": text.encode() + b"\0", ".dynstr": strings, section: content}
    data, where = b"", {}
    start = 64 + 2 * 56
    for name, part in parts.items():
        data = padded(data, 4096) if name == section else padded(data, 16)
        where[name] = (start + len(data), len(part))
        data += part
    data = padded(data, 16)
    dynamic = struct.pack("<QQQQQQQQ", 5, where[".dynstr"][0], 10, len(strings), 14, soname_at, 0, 0)
    where[".dynamic"] = (start + len(data), len(dynamic))
    data += dynamic
    names = b"\0"
    offsets = {}
    for name in [*where, ".shstrtab"]:
        offsets[name] = len(names)
        names += name.encode() + b"\0"
    where[".shstrtab"] = (start + len(data), len(names))
    data = padded(data + names, 16)
    kinds = {".dynstr": 3, ".dynamic": 6, ".shstrtab": 3}
    headers = bytes(64)
    order = [".rodata", ".dynstr", section, ".dynamic", ".shstrtab"]
    for name in order:
        offset, size = where[name]
        link = 1 + order.index(".dynstr") if name == ".dynamic" else 0
        headers += struct.pack("<IIQQQQIIQQ", offsets[name], kinds.get(name, 1), 2, offset, offset, size, link, 0, 1,
                               16 if name == ".dynamic" else 0)
    at = start + len(data)
    segments = [(1, 0, at), (2, *where[".dynamic"])]
    return elf_header(62, 0, 0, 0, segments, at, 1 + len(order)) + data + headers


def rccl(targets, version="2.27.7+hip7.2"):
    """A librccl.so.1 of {target: {kernel: declares a hostcall buffer}}."""
    content = bundle({target: amd_object(target, kernels) for target, kernels in targets.items()})
    return shared_library("librccl.so.1", ".hip_fatbin", content, "RCCL version " + version)


def nccl(images, version="2.28.9+cuda13.0"):
    return shared_library("libnccl.so.2", ".nv_fatbin", nvidia_fatbin(images), "NCCL version " + version)


def loader_cache(entries, flags=0x0303):
    """/etc/ld.so.cache of [(name, path)], in the form of glibc 2.32 and later."""
    at = 48 + 24 * len(entries)
    table, texts = b"", b""
    for name, path in entries:
        table += struct.pack("<iIIIQ", flags, at + len(texts), at + len(texts) + len(name) + 1, 0, 0)
        texts += name.encode() + b"\0" + path.encode() + b"\0"
    return b"glibc-ld.so.cache1.1" + struct.pack("<II", len(entries), len(texts)) + bytes(20) + table + texts
