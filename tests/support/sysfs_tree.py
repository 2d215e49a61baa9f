"""A host's sysfs, procfs and a few other files as one text, and as the folder that `gpucoop --sysroot` reads.

    sys/devices/pci0000:00/0000:00:01.1/          a folder (with `!0000 ` before it: of that mode)
      vendor = 0x1022                             a file of one line
      !0400 product_serial = X                    a file of that mode; 0444 otherwise
      cpuinfo =                                   a file of several lines
        | processor : 0
        | vendor_id : AuthenticAMD
      config = 4096 bytes                         bytes; those that are not listed are 0
        000: 22 10 db 14
      driver -> ../../../bus/pci/drivers/pcieport
      label pipe                                  a FIFO: who opens it waits for somebody to write

What is not root gets no more than 64 bytes of `config` and nothing of what is closed to others: the no-root view. It is
made with the modes of others for the owner, so that it holds for root too, without the capability to override modes.
"""
import os
import pathlib
import re
import shutil

HEADER = 64
UNPRIVILEGED = "no-root"


class Tree:
    def __init__(self):
        self.entries = {}          # path -> (kind, content, mode)

    def _add(self, path, kind, content, mode):
        if path in self.entries:
            raise ValueError("twice: " + path)
        self.entries[path] = (kind, content, mode)

    def folder(self, path, mode=0o755):
        if path not in self.entries:
            self._add(path, "folder", None, mode)

    def text(self, path, text, mode=0o444):
        self._add(path, "text", str(text), mode)

    def bytes(self, path, data, mode=0o444):
        self._add(path, "bytes", bytes(data), mode)

    def link(self, path, target):
        self._add(path, "link", target, None)

    def link_to(self, path, target):
        """A relative link to another path of the tree."""
        self.link(path, os.path.relpath(target, os.path.dirname(path)))

    def pipe(self, path):
        self._add(path, "pipe", None, 0o644)

    def remove(self, path):
        self.entries = {key: value for key, value in self.entries.items() if key != path and not key.startswith(path + "/")}

    # ------------------------------------------------------------------------------------------ as text

    def dump(self):
        by_folder = {}
        for path, entry in self.entries.items():
            if entry[0] == "folder":
                by_folder.setdefault(path, [])
            else:
                by_folder.setdefault(os.path.dirname(path), []).append((os.path.basename(path), entry))
        out = ["# Unpacked by tests/support/sysfs_tree.py, written by tests/support/make_fixture.py."]
        for folder in sorted(by_folder):
            mode = self.entries.get(folder, (None, None, 0o755))[2]
            out.append(("" if mode == 0o755 else "!%04o " % mode) + folder + "/")
            for name, (kind, content, mode) in sorted(by_folder[folder]):
                before = "  " if mode in (0o444, None) or kind == "pipe" else "  !%04o " % mode
                out += [before + name + line if i == 0 else "    " + line
                        for i, line in enumerate(self._lines(kind, content))]
        return "\n".join(out) + "\n"

    @staticmethod
    def _lines(kind, content):
        if kind == "link":
            return [" -> " + content]
        if kind == "pipe":
            return [" pipe"]
        if kind == "bytes":
            rows = [(at, content[at:at + 16]) for at in range(0, len(content), 16)]
            return [" = %d bytes" % len(content)] + ["%03x: %s" % (at, row.hex(" ")) for at, row in rows if any(row)]
        lines = content.split("\n")
        single = len(lines) == 1 and content == content.strip() and content and not re.fullmatch(r"\d+ bytes", content)
        return [" = " + content] if single else [" ="] + ["|" + (" " + line if line else "") for line in lines]

    @staticmethod
    def parse(text):
        tree = Tree()
        folder = path = None
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            try:
                if line.startswith("    "):
                    tree._more(path, line[4:])
                    continue
                found = re.fullmatch(r"(?P<indent>  )?(?:!(?P<mode>[0-7]{4}) )?(?P<rest>.*)", line)
                mode = int(found["mode"], 8) if found["mode"] else None
                if not found["indent"]:
                    folder = found["rest"].rstrip("/")
                    tree.folder(folder, 0o755 if mode is None else mode)
                    continue
                name, word, rest = re.fullmatch(r"(\S+) (->|=|pipe) ?(.*)", found["rest"]).groups()
                path = folder + "/" + name
                if word == "->":
                    tree.link(path, rest)
                elif word == "pipe":
                    tree.pipe(path)
                elif size := re.fullmatch(r"(\d+) bytes", rest):
                    tree.bytes(path, bytes(int(size.group(1))), 0o444 if mode is None else mode)
                else:
                    tree._add(path, "text", rest if rest else None, 0o444 if mode is None else mode)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise ValueError("line %d: %s" % (number, line)) from error
        return tree

    def _more(self, path, line):
        kind, content, mode = self.entries[path]
        if kind == "bytes":
            at, row = line.split(":", 1)
            data = bytearray(content)
            row = bytes.fromhex(row)
            data[int(at, 16):int(at, 16) + len(row)] = row
            content = bytes(data)
        else:
            line = line[2:]
            content = line if content is None else content + "\n" + line
        self.entries[path] = (kind, content, mode)

    # ------------------------------------------------------------------------------------------ as a folder

    def unpack(self, root, view="root"):
        root = pathlib.Path(root)
        folders = []
        for path, (kind, content, mode) in sorted(self.entries.items()):
            where = root / path
            (where if kind == "folder" else where.parent).mkdir(parents=True, exist_ok=True)
            if kind == "folder":
                folders.append((where, mode))
            elif kind == "link":
                os.symlink(content, where)
            elif kind == "pipe":
                os.mkfifo(where, mode)
            else:
                data = content if kind == "bytes" else ((content or "") + "\n").encode()
                if view == UNPRIVILEGED and where.name == "config":
                    data = data[:HEADER]
                where.write_bytes(data)
                os.chmod(where, self._mode(path, mode, view))
        for where, mode in reversed(folders):
            os.chmod(where, self._mode(str(where.relative_to(root)), mode, view))

    @staticmethod
    def _mode(path, mode, view):
        if view != UNPRIVILEGED or path.startswith("dev/"):
            return mode
        return (mode & 0o077) | (mode & 0o007) << 6


def of_case(path, truth):
    """The tree that a truth file names: a file beside it, or, as `made:NAME`, one that is too large to be kept."""
    name = truth["sysroot"]
    if name.startswith("made:"):
        import machines
        return machines.all_machines()[name.split(":")[1]].tree
    return Tree.parse((path.parent / name).read_text(encoding="utf-8"))


def removable(root):
    """Gives back the right to remove what `unpack` made."""
    for folder, _, _ in os.walk(root):
        os.chmod(folder, 0o700)
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.path.isdir(path) and not os.path.islink(path):
                os.chmod(path, 0o700)


def without_overriding(argv):
    """The command, so that as root too it may read only what modes let its owner read."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return argv
    return ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-dac_override,-dac_read_search",
            "--", *argv]


def main(argv):
    import sys
    if len(argv) not in (2, 3):
        print("usage: sysfs_tree.py TREE FOLDER [no-root]", file=sys.stderr)
        return 64
    Tree.parse(pathlib.Path(argv[0]).read_text(encoding="utf-8")).unpack(*argv[1:])
    return 0


if __name__ == "__main__":
    import sys
    sys.exit(main(sys.argv[1:]))
