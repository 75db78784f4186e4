"""The guard: a process that outlives the script that started the peers, and cleans up after it."""

import os
import shutil
import signal
import subprocess
import sys
import time

STOP_SECONDS = 10


def members(sessions):
    """The ids of the processes in these POSIX sessions, zombies left out."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in "ZX" and int(fields[3]) in sessions:
            found.append(int(name))
    return found


def stop(sessions):
    """Ends every process of the sessions: with SIGTERM first, and with SIGKILL after STOP_SECONDS."""
    deadline = time.monotonic() + STOP_SECONDS
    asked = set()
    while alive := members(sessions):
        insist = time.monotonic() > deadline
        for process in alive:
            if process in asked and not insist:
                continue
            asked.add(process)
            try:
                os.kill(process, signal.SIGKILL if insist else signal.SIGTERM)
            except OSError:
                pass
        time.sleep(0.02)


def run_guard(reader, folder):
    """Reads the id of each session from the pipe; when the pipe closes, ends all sessions and removes the folder."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    # A program that reads the output of this script to its end must not wait for the guard.
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    with os.fdopen(reader) as lines:
        sessions = {int(line) for line in lines}
    stop(sessions)
    shutil.rmtree(folder, ignore_errors=True)


class Guard:
    """Starts processes, each in its own POSIX session, and ends them when this script ends."""

    def __init__(self, folder):
        reader, self.writer = os.pipe()
        if sys.stdout is not None:
            sys.stdout.flush()
        self.process = os.fork()
        if self.process == 0:
            try:
                os.close(self.writer)
                run_guard(reader, folder)
            finally:
                os._exit(0)
        os.close(reader)

    def start(self, arguments, **options):
        def announce():
            # Runs in the child before exec, so that the guard always has the id, even if this script is killed.
            os.write(self.writer, f"{os.getpid()}\n".encode())

        return subprocess.Popen(arguments, start_new_session=True, preexec_fn=announce, **options)

    def finish(self):
        os.close(self.writer)
        # Waits for every child and every orphaned descendant, so that no zombie remains.
        while True:
            try:
                os.wait()
            except ChildProcessError:
                return
