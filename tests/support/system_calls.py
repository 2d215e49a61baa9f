"""What `strace -f -y` of a gpucoop that only reads must not show. system_calls.py TRACE prints the lines that it does."""
import re
import sys

VENDOR = re.compile(r'"[^"]*lib(cuda|nvidia-ml|nvcuvid|amdhip64|hsa-runtime64|rocm_smi64|amd_smi|drm|OpenCL|ze_loader|ze_intel'
                    r'|vulkan|nccl|rccl|ccl)[.\w-]*\.so')
FOR_WRITING = re.compile(r"\bopen(at2?)?\(.*O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)")
CHANGES = re.compile(r"\b(creat|pwrite(64|v2?)?|writev|unlink(at)?|rename(at2?)?|mkdir(at)?|rmdir|mknod(at)?|symlink(at)?"
                     r"|link(at)?|f?chmod(at2?)?|[fl]?chown(at)?|f?truncate|utimensat|[fl]?setxattr|mount|bpf|iopl|ioperm"
                     r"|init_module|finit_module)\(")
# Opened as a whole path, or from a folder (the path behind the descriptor: strace -y). Folders may be listed.
_NODE = r"/dev/(dri/|kfd|nvidia|mem|port|vfio/)|/proc/bus/pci/"
DEVICE = re.compile(r'\bopen(at2?)?\((?!.*O_DIRECTORY).*("|<)(%s)' % _NODE + r'|\bopen(at2?)?\((?!.*O_DIRECTORY).*</dev/dri>, "')
# ioctl on anything but the own standard streams (is this a terminal, how wide is it).
CONTROL = re.compile(r"\bioctl\((?![012](<[^>]*>)?, (TCGETS|TIOCGWINSZ))")
WRITE = re.compile(r"\bwrite\((?![12][<,]|\d+<(pipe|socket|UNIX))")


def wrong_calls(text):
    """The lines of a trace that open a vendor's library or a device, or change anything."""
    for line in text.splitlines():
        if any(rule.search(line) for rule in (VENDOR, FOR_WRITING, CHANGES, DEVICE, CONTROL, WRITE)):
            yield line


def main(argv):
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 64
    with open(argv[0], encoding="utf-8", errors="replace") as trace:
        found = list(wrong_calls(trace.read()))
    print("\n".join(found) if found else "system calls: nothing but reading")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
