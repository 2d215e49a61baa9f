"""What `strace -f` of a gpucoop that only reads must not show."""
import re

VENDOR = re.compile(r'"[^"]*lib(cuda|nvidia-ml|nvcuvid|amdhip64|hsa-runtime64|rocm_smi64|amd_smi|drm|OpenCL|ze_loader|ze_intel'
                    r'|vulkan|nccl|rccl|ccl)[.\w-]*\.so')
FOR_WRITING = re.compile(r"\bopen(at2?)?\(.*O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)")
CHANGES = re.compile(r"\b(creat|pwrite(64|v2?)?|writev|unlink(at)?|rename(at2?)?|mkdir(at)?|rmdir|mknod(at)?|symlink(at)?"
                     r"|link(at)?|f?chmod(at2?)?|[fl]?chown(at)?|f?truncate|utimensat|[fl]?setxattr|mount|bpf|iopl|ioperm"
                     r"|init_module|finit_module)\(")
DEVICE = re.compile(r'\b(open|openat|openat2)\(.*"(/dev/(dri|kfd|nvidia|mem|port|vfio)[^"]*|/proc/bus/pci[^"]*)"')
# ioctl on anything but the own standard streams (is this a terminal, how wide is it).
CONTROL = re.compile(r"\bioctl\((?![012], (TCGETS|TIOCGWINSZ))")
WRITE = re.compile(r"\bwrite\((\d+)[,<]")
PIPE = re.compile(r"\b(?:pipe2?|socketpair)\(.*\[(\d+), (\d+)\]")


def wrong_calls(text):
    """The lines of a trace that open a vendor's library or a device, or change anything."""
    pipes = {"1", "2"}
    for line in text.splitlines():
        if found := PIPE.search(line):
            pipes |= set(found.groups())
        written = WRITE.search(line)
        if (VENDOR.search(line) or FOR_WRITING.search(line) or CHANGES.search(line) or DEVICE.search(line)
                or CONTROL.search(line) or (written and written.group(1) not in pipes)):
            yield line
