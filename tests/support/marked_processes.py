"""Processes that a test started, however far removed: by a text that they have in their environment."""
import collections
import pathlib

Process = collections.namedtuple("Process", "pid name state")


def marked_processes(mark):
    """Those that have not ended."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark.encode() not in (entry / "environ").read_bytes():
                continue
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z":
                found.append(Process(int(entry.name), (entry / "comm").read_text().strip(), state))
        except OSError:
            continue
    return found
