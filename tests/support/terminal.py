"""What a program prints on a terminal."""
import os
import pty
import subprocess
import threading


def output_of(argv, **more):
    """Its standard output as bytes, where that is a terminal; standard error is dropped. Killed after a minute."""
    master, slave = pty.openpty()
    process = subprocess.Popen(argv, stdout=slave, stderr=subprocess.DEVNULL, **more)
    os.close(slave)
    timer = threading.Timer(60, process.kill)
    timer.start()
    output = b""
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:
            break
        if not block:
            break
        output += block
    process.wait()
    timer.cancel()
    os.close(master)
    return output
