"""A file system that leaves requests without an answer.

Only the first half of `reading` can be read, `opening` cannot be opened, and no file can be created.

The mount belongs to a mount namespace of the server process, so the mount ends with the server. Other processes reach
it by /proc/PID/root. If the system does not allow the mount, for example for a user who is not root, there is none.
"""

import ctypes
import errno
import os
import pathlib
import stat
import struct
import subprocess
import sys
import time

from .waiting import START_SECONDS, PeerError, tail

CLONE_NEWNS = 0x20000
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 2, 4, 0x4000, 1 << 18

# From linux/fuse.h: the operations that the server handles and a flag. Then the inodes, names and size of the files.
LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INIT, OPENDIR = 1, 2, 3, 14, 15, 18, 25, 26, 27
CREATE, MKNOD, INTERRUPT, BATCH_FORGET = 35, 8, 36, 42
DIRECT_IO = 1
ROOT, READING, OPENING = 1, 2, 3
FILES = {b"reading": READING, b"opening": OPENING}
SIZE = 1 << 20
# The server's exit code if the system does not allow the mount.
NOT_ALLOWED = 3


def start(guard, folder):
    """Waits until the file system is mounted, or until the system has refused the mount."""
    if os.geteuid() != 0 or not pathlib.Path("/dev/fuse").exists():
        return {}, lambda: None
    place = folder / "mount"
    place.mkdir()
    log = folder / "log"
    with open(log, "wb") as output:
        process = guard.start(
            [sys.executable, "-B", "-m", "peers.frozen", place], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            cwd=pathlib.Path(__file__).parent.parent)
    mounted = pathlib.Path(f"/proc/{process.pid}/root{place}")
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None:
        if (mounted / "reading").exists():
            return {"LUPINE_FROZEN": str(mounted)}, lambda: None
        if time.monotonic() > deadline:
            raise PeerError(f"the frozen file system was not mounted in {START_SECONDS} s:\n{tail(log)}")
        time.sleep(0.02)
    if process.returncode == NOT_ALLOWED:
        return {}, lambda: None
    raise PeerError(f"the frozen file system ended with code {process.returncode}:\n{tail(log)}")


def mount(place):
    """Mounts the file system in a new mount namespace; returns the descriptor from which requests are read."""
    system = ctypes.CDLL(None, use_errno=True)
    descriptor = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = f"fd={descriptor},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other"
    if (
        system.unshare(CLONE_NEWNS) != 0
        or system.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) != 0
        or system.mount(b"frozen", os.fsencode(place), b"fuse.frozen", MS_NOSUID | MS_NODEV, options.encode()) != 0
    ):
        print(f"The mount is not allowed: {os.strerror(ctypes.get_errno())}", flush=True)
        sys.exit(NOT_ALLOWED)
    return descriptor


def attributes(node):
    kind = stat.S_IFDIR | 0o777 if node == ROOT else stat.S_IFREG | 0o644
    size = 0 if node == ROOT else SIZE
    return struct.pack("<6Q10I", node, size, size // 512, 0, 0, 0, 0, 0, 0, kind, 1, os.getuid(), os.getgid(), 0, 4096, 0)


def answer(operation, node, content):
    """The answer to a request: bytes, the number of an error, or None for a request that never gets an answer."""
    if operation == INIT:
        _, minor, readahead, _ = struct.unpack_from("<4I", content)
        return struct.pack("<4I2H2I2H8I", 7, min(minor, 31), readahead, 0, 12, 9, 1 << 17, 1, 32, 0, *[0] * 8)
    if operation == LOOKUP:
        found = FILES.get(content.rstrip(b"\0"))
        if found is None:
            return errno.ENOENT
        return struct.pack("<4Q2I", found, 0, 3600, 3600, 0, 0) + attributes(found)
    if operation == GETATTR:
        return struct.pack("<Q2I", 3600, 0, 0) + attributes(node)
    if operation == OPENDIR or (operation == OPEN and node == READING):
        return struct.pack("<Q2I", node, DIRECT_IO, 0)
    if operation in (RELEASE, FLUSH):
        return b""
    if operation == READ:
        _, offset, size = struct.unpack_from("<2QI", content)
        return bytes(size) if offset + size <= SIZE // 2 else None
    if operation in (OPEN, CREATE, MKNOD):
        return None
    return errno.ENOSYS


def serve(descriptor):
    waiting = set()

    def reply(number, result):
        code, content = (0, result) if isinstance(result, bytes) else (-result, b"")
        try:
            os.write(descriptor, struct.pack("<IiQ", 16 + len(content), code, number) + content)
        except FileNotFoundError:
            # The process that sent the request has ended.
            pass

    while True:
        request = os.read(descriptor, 1 << 18)
        _, operation, number, node = struct.unpack_from("<2I2Q", request)
        content = request[40:]
        if operation == INTERRUPT:
            # Without an answer to the request, the system could not end the waiting process.
            (number,) = struct.unpack_from("<Q", content)
            if number in waiting:
                waiting.remove(number)
                reply(number, errno.EINTR)
        elif operation not in (FORGET, BATCH_FORGET):
            result = answer(operation, node, content)
            if result is None:
                waiting.add(number)
            else:
                reply(number, result)


if __name__ == "__main__":
    serve(mount(sys.argv[1]))
