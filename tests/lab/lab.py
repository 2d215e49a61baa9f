#!/usr/bin/env python3
"""The PCIe laboratory: boots small virtual machines and holds what gpucoop says in them against what lspci and sysfs say.

usage: lab.py [--cache DIR] [--image FILE] [--keep DIR] GPUCOOP [MACHINE…]

Without MACHINE: all of machines/*.toml. DIR of --cache holds the kernel (image.py fetch; default build/lab), FILE of
--image a file system made by image.py build (default: one is made). --keep leaves what came out of the guests in DIR.
README.md describes the machine files. Exit status: 0 all as it must be, 1 something is not, 64 usage.
"""
import argparse
import json
import pathlib
import queue
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import compare  # noqa: E402
import image  # noqa: E402

LIMIT_S = 240          # a boot takes 4 s on an idle processor; nothing is concluded from how long one takes


class Failed(Exception):
    pass


class Monitor:
    """The emulator's control socket (QMP), with which devices are taken away and brought back."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT_S)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.lines.readline()
        self.command("qmp_capabilities")

    def command(self, name, **arguments):
        self.socket.sendall(json.dumps({"execute": name, "arguments": arguments}).encode())
        answer = {"event": ""}
        while "event" in answer:
            answer = json.loads(self.lines.readline() or '{"error": {"desc": "the emulator has ended"}}')
        if "error" in answer:
            raise Failed("%s %s: %s" % (name, arguments, answer["error"]["desc"]))


class Watch:
    """Takes devices away and brings them back while the guest reads in a loop, each step when the last one is done.

    Steps are `remove ID` and `add DRIVER,key=value…`.
    """

    def __init__(self, steps, path, tell):
        self.steps, self.path, self.tell = list(steps), path, tell
        self.monitor = None
        self.doing = None
        self.before = self.rest = 0

    def reading_done(self, gpus):
        """After each reading of the guest, with the number of GPUs that the kernel then lists."""
        if self.doing and not (gpus < self.before if self.doing == "remove" else gpus > self.before):
            return
        self.doing = None
        self.rest += 1
        if self.rest < 3:       # readings of a host at rest in between
            return
        self.rest = 0
        if not self.steps:
            self.tell("stop")
            return
        self.monitor = self.monitor or Monitor(self.path)
        self.doing, what = self.steps.pop(0).split(" ", 1)
        self.before = gpus
        if self.doing == "remove":
            self.monitor.command("device_del", id=what)
        else:
            driver, *options = what.split(",")
            self.monitor.command("device_add", driver=driver, **dict(option.split("=", 1) for option in options))


def lines_of(stream, into):
    for line in stream:
        into.put(line.decode("utf-8", "replace").strip())
    into.put(None)


def boot(machine, kernel, file_system, folder):
    """Runs a machine to its end; what it sent is in folder/out."""
    # no_timer_check: whether the timer runs, the kernel measures with a clock that goes on while the emulator waits for a
    # processor, and it panics.
    parameters = "console=ttyS0 quiet panic=-1 random.trust_cpu=on no_timer_check " + machine.get("kernel", "")
    if "watch" in machine:
        parameters += " lab.watch"
    argv = ["qemu-system-x86_64", "-machine", ",".join(["q35,accel=tcg"] + machine.get("machine", [])), "-m", "512",
            "-nodefaults", "-display", "none", "-no-reboot", "-kernel", str(kernel), "-initrd", str(file_system),
            "-append", parameters, "-serial", "stdio", "-serial", "file:%s/sent" % folder,
            "-qmp", "unix:%s/qmp,server=on,wait=off" % folder]
    for option in machine.get("globals", []):
        argv += ["-global", option]
    for device in machine.get("devices", []):
        argv += ["-device", device]
    console = []
    lines = queue.Queue()
    with open(folder / "qemu.err", "wb") as errors, \
            subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors) as qemu:
        def tell(word):
            qemu.stdin.write(word.encode() + b"\n")
            qemu.stdin.flush()

        try:
            threading.Thread(target=lines_of, args=(qemu.stdout, lines), daemon=True).start()
            deadline = time.monotonic() + LIMIT_S
            watch = Watch(machine.get("watch", []), str(folder / "qmp"), tell)
            while True:
                line = lines.get(timeout=max(0.1, deadline - time.monotonic()))
                if line is None:
                    break
                console.append(line)
                if "lab: watched" in line:
                    watch.reading_done(int(line.split()[-1]))
            qemu.wait(timeout=10)
        except Failed as error:
            qemu.wait(timeout=10)
            raise Failed("%s (status %s): %s" % (error, qemu.returncode, (folder / "qemu.err").read_text())) from error
        except (queue.Empty, subprocess.TimeoutExpired) as error:
            raise Failed("no end within %d s (step: %s, then %s); the console:\n%s"
                         % (LIMIT_S, watch.doing, watch.steps, "\n".join(console[-20:]))) from error
        finally:
            qemu.kill()
    if not any("lab: done" in line for line in console):
        raise Failed("the machine did not do its work:\n%s\n%s" % ("\n".join(console[-20:]),
                                                                   (folder / "qemu.err").read_text(errors="replace")))
    if watch.steps or watch.doing:
        raise Failed("%s was not done, and then: %s" % (watch.doing, watch.steps))
    with tarfile.open(folder / "sent") as archive:
        archive.extractall(folder / "out", members=[m for m in archive if m.isfile()])


def check(name, arguments, kernel, file_system):
    machine = tomllib.loads((HERE / "machines" / (name + ".toml")).read_text(encoding="utf-8"))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lab-") as folder:
        folder = pathlib.Path(folder)
        try:
            boot(machine, kernel, file_system, folder)
            findings = compare.compare(machine, folder / "out", arguments.gpucoop)
        except Failed as error:
            print("%s: %s" % (name, error))
            return False
        if arguments.keep:
            shutil.copytree(folder / "out", pathlib.Path(arguments.keep) / name, dirs_exist_ok=True)
    for line in findings.wrong:
        print("%s: %s" % (name, line))
    print("%s: %d values compared, %d wrong, %.1f s" % (name, findings.checked, len(findings.wrong),
                                                        time.monotonic() - began), flush=True)
    return not findings.wrong and findings.checked > 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0], add_help=False)
    parser.add_argument("--cache", default=str(HERE.parents[1] / "build/lab"))
    parser.add_argument("--image")
    parser.add_argument("--keep")
    parser.add_argument("gpucoop")
    parser.add_argument("machines", nargs="*")
    try:
        arguments = parser.parse_args()
    except SystemExit:
        return 64
    names = arguments.machines or sorted(path.stem for path in (HERE / "machines").glob("*.toml"))
    try:
        kernel = image.kernel(arguments.cache)
        image.found("qemu-system-x86_64", "qemu-system-x86")
        with tempfile.TemporaryDirectory() as folder:
            file_system = arguments.image
            if file_system is None:
                file_system = folder + "/initramfs"
                image.build(arguments.cache, arguments.gpucoop, file_system)
            good = [check(name, arguments, kernel, file_system) for name in names]
    except (image.Missing, subprocess.CalledProcessError) as error:
        print("laboratory: %s" % error, file=sys.stderr)
        return 1
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
