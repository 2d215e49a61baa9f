#!/usr/bin/env python3
"""Prints a dump of devices whose capability registers hold random bits, the same for one seed: `random_dump.py SEED`.

Every port type, capability version and header type occurs, with all the capabilities that are decoded. It is for the
comparison with lspci: each field must come from the very bits that lspci takes it from.
"""

import random
import sys

TYPES = (0, 1, 4, 5, 6, 7, 8, 9, 10)
BRIDGES = (4, 5, 6, 7, 8)
WIDTHS = (0, 1, 2, 4, 8, 12, 16, 32)


class Space:
    def __init__(self):
        self.bytes = bytearray(4096)

    def put(self, at, value, size):
        self.bytes[at:at + size] = value.to_bytes(size, "little")

    def rows(self):
        return [f"{at:02x}: " + self.bytes[at:at + 16].hex(" ") for at in range(0, 4096, 16)]


def link(rng):
    """A link register with a possible width, and mostly a possible speed."""
    return rng.getrandbits(32) & ~0x3FF | rng.choice(WIDTHS) << 4 | rng.choice((0, 1, 1, 2, 3, 4, 5, 6, 9, 15))


def express(rng, space, at, kind, version):
    space.put(at, 0x10, 1)
    space.put(at + 2, rng.getrandbits(16) & 0x3F00 | kind << 4 | version, 2)
    for offset in range(0x04, 0x3C, 4):
        space.put(at + offset, rng.getrandbits(32), 4)
    space.put(at + 0x0C, link(rng), 4)
    space.put(at + 0x12, link(rng) & 0xFFFF, 2)
    space.put(at + 0x30, link(rng) & 0xFFFF, 2)
    space.put(at + 0x2C, rng.choice((0, 0x02, 0x06, 0x0E, 0x1E, 0x3E, 0x7E)), 4)


def resizable(rng, space, at):
    count = rng.randint(1, 6)
    for i in range(count):
        space.put(at + 4 + 8 * i, rng.getrandbits(24) << 4, 4)
        space.put(at + 8 + 8 * i, rng.randint(0, 23) << 8 | count << 5 | i, 4)


def device(rng, kind, version, bus):
    space = Space()
    bridge = kind in BRIDGES
    space.put(0x00, rng.randint(1, 0xFFFE), 2)
    space.put(0x02, rng.randint(1, 0xFFFE), 2)
    space.put(0x04, 0x0007, 2)
    space.put(0x06, 0x10, 2)
    space.put(0x08, rng.randint(0, 255), 1)
    space.put(0x0A, 0x0604 if bridge else rng.choice((0x0300, 0x0302, 0x1200, 0x0108)), 2)
    space.put(0x0E, int(bridge), 1)
    if bridge:
        for offset, number in enumerate((0, bus, bus)):
            space.put(0x18 + offset, number, 1)
    else:
        space.put(0x10, rng.choice((0xFE000000, 0xE000000C, 0x0000E001, 0xD0000004, 0)), 4)
        space.put(0x18, rng.choice((0xFC000000, 0xFA000008, 0x0000D001, 0)), 4)
        space.put(0x2C, rng.randint(1, 0xFFFE), 2)
        space.put(0x2E, rng.randint(1, 0xFFFE), 2)
    space.put(0x34, 0x48, 1)
    space.put(0x48, 0x5001 if not bridge else 0x500D, 2)
    space.put(0x4C, rng.getrandbits(32) & 0xFFFFFF03 if not bridge else rng.randint(1, 0xFFFE), 4)
    space.put(0x51, 0x80, 1)
    space.put(0x50, 0x09, 1)
    space.put(0x52, 0x08, 1)
    express(rng, space, 0x80, kind, version)

    extended = [(0x01, 0x48), (0x0D, 0x10), (0x10, 0x40), (0x0E, 0x08), (0x15, 0x40)]
    rng.shuffle(extended)
    at = 0x100
    for i, (identity, size) in enumerate(extended):
        for offset in range(4, size, 4):
            space.put(at + offset, rng.getrandbits(32), 4)
        if identity == 0x15:
            resizable(rng, space, at)
        if identity == 0x0D:
            space.put(at + 5, 0, 1)  # no egress control vector
        following = at + size + 4 * rng.randint(0, 60)
        space.put(at, identity | 1 << 16 | (0 if i + 1 == len(extended) else following) << 20, 4)
        at = following
    return space


def dump(seed):
    rng = random.Random(seed)
    lines = []
    for number, (kind, version) in enumerate((k, v) for k in TYPES for v in (1, 2, 2, 2, 3)):
        space = device(rng, kind, version, number + 1)
        vendor, identity, subclass = (int.from_bytes(space.bytes[at:at + 2], "little") for at in (0, 2, 0x0A))
        lines.append(f"0000:00:{number // 3 + 1:02x}.{number % 3} {subclass:04x}: {vendor:04x}:{identity:04x}")
        lines += space.rows()
        lines.append("")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(dump(int(sys.argv[1])))
