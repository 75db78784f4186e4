"""Runs the program `lupine`, also on a terminal of its own."""

import fcntl
import os
import pty
import select
import shlex
import signal
import struct
import subprocess
import termios
import threading
import time

PROGRAM = os.environ["LUPINE_PROGRAM"]
# The program in a command of a shell: the path of the checkout may have a blank.
QUOTED = shlex.quote(PROGRAM)
# The variables of the user must not change the output.
BASE = {name: value for name, value in os.environ.items()
        if name not in ("NO_COLOR", "TERM", "LANG", "LC_ALL", "http_proxy", "https_proxy", "all_proxy")}


class Result:
    """How a run ended: its code (128 and the number after a signal), its outputs, and its time in seconds."""

    def __init__(self, code, out, err, seconds, memory=0):
        self.code = 128 - code if code < 0 else code
        self.out, self.err, self.seconds, self.memory = out, err, seconds, memory

    def __str__(self):
        return f"code {self.code}\n--- out\n{self.out[:3000]!r}\n--- err\n{self.err[:3000]!r}"


def lupine(*arguments, input=b"", environment=None, limit=30, folder=None):
    """Runs the program without a terminal. `input` is the standard input, or a file such as a pipe."""
    start = time.monotonic()
    stdin = {"input": input} if isinstance(input, bytes) and input else {"stdin": input or subprocess.DEVNULL}
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, timeout=limit, cwd=folder,
        env={**BASE, **(environment or {})}, **stdin)
    return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - start)


def measured(*arguments, limit=60):
    """Runs the program without a terminal, and also states the most memory that it had, in MB."""
    start = time.monotonic()
    child = subprocess.Popen(
        [PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=BASE)
    alarm = threading.Timer(limit, child.kill)
    alarm.start()
    _, status, usage = os.wait4(child.pid, 0)
    alarm.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Result(child.returncode, b"", b"", time.monotonic() - start, usage.ru_maxrss / 1000)


def on_terminal(*arguments, columns=80, kind="xterm-256color", environment=None, keys=b"", until=None, limit=30, stdin=None,
                stdout=None):
    """Runs the program on a terminal, and returns all that the terminal received.

    `stdin` and `stdout` are files or pipes in the place of the terminal. `keys` are typed as soon as the program has written something. When the output has the bytes `until`, Ctrl-C is typed.
    """
    start = time.monotonic()
    main, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child = subprocess.Popen(
        [PROGRAM, *map(str, arguments)], stdin=stdin or end, stdout=stdout or end, stderr=end, start_new_session=True,
        env={**BASE, "TERM": kind, **(environment or {})},
        preexec_fn=lambda: fcntl.ioctl(2, termios.TIOCSCTTY, 0))
    os.close(end)
    output = b""
    while time.monotonic() - start < limit:
        if not select.select([main], [], [], 0.5)[0]:
            continue
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        output += piece
        if keys:
            os.write(main, keys)
            keys = b""
        if until is not None and until in output:
            os.write(main, b"\x03")
            until = None
    else:
        child.send_signal(signal.SIGKILL)
    code = child.wait()
    os.close(main)
    return Result(code, output.replace(b"\r\n", b"\n"), b"", time.monotonic() - start)
