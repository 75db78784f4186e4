"""The rows: programs that all have the command line of `Row/Work.swift`."""

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

from .servers import CHECKOUT, PeerError, client_core
from .workloads import GIB

BUILD = CHECKOUT / ".build-bench"
CLIENTS = CHECKOUT / ".build-bench-clients"
STATIC = CHECKOUT / ".build-bench-static"


@dataclasses.dataclass(frozen=True)
class Row:
    """A client. One that is very slow makes a part of the requests, and takes part in fewer rounds of the long work.

    URLSession on Linux cannot be told of a root certificate, so that it can ask no server of ours over TLS.
    """

    name: str
    title: str
    program: str
    package: str
    scratch: object
    options: tuple = ()
    part: int = 1
    knows_roots: bool = True

    @property
    def path(self):
        return self.scratch / "release" / self.program

    def build(self):
        """Builds the program anew; what an earlier build has left is not measured where this one fails."""
        self.path.unlink(missing_ok=True)
        swift_build(self.package, self.scratch, self.program, *self.options)


def swift_build(package, scratch, product, *options):
    command = [
        CHECKOUT / "Tests" / "Peers" / "swift-build", "-c", "release", "--package-path", CHECKOUT / package,
        "--scratch-path", scratch, "--product", product, *options]
    subprocess.run(command, check=True, cwd=CHECKOUT)


class Floor(Row):
    """A program in C, without Swift's standard library, which SwiftPM would link it with."""

    @property
    def path(self):
        return self.scratch / self.program

    def build(self):
        self.path.unlink(missing_ok=True)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        compiler = shutil.which("clang") or "cc"
        source = CHECKOUT / "Benchmarks" / "RawCurl" / "main.c"
        subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", self.path, source, "-lcurl"], check=True)


class Static(Row):
    """A program that brings all of Swift's runtime, built as the README recommends for one that starts often."""

    def build(self):
        self.path.unlink(missing_ok=True)
        swift_build(self.package, self.scratch, self.program, *self.options, *self.runtime())

    def runtime(self):
        """The C++ runtime below Swift's comes as an archive too: from a folder that has no shared one to be taken first."""
        compiler = shutil.which("clang") or "cc"
        found = subprocess.run(
            [compiler, "-print-file-name=libstdc++.a"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        archives = self.scratch / "archives"
        archives.mkdir(parents=True, exist_ok=True)
        archive = archives / "libstdc++.a"
        archive.unlink(missing_ok=True)
        archive.symlink_to(pathlib.Path(found).resolve(strict=True))
        return ["-Xswiftc", f"-L{archives}", "-Xswiftc", "-Xclang-linker", "-Xswiftc", "-static-libgcc"]


C = Floor("c", "raw libcurl in C", "raw-curl", "Benchmarks", BUILD)
# What a program gets that leaves the folder of certificates as it is, which takes long.
C_DEFAULT = Floor(
    "c-default", "raw libcurl in C, its default CAPATH", "raw-curl", "Benchmarks", BUILD, part=10)
LUPINE = Row("lupine", "Lupine", "lupine-row", "Benchmarks", BUILD)
LOOP = Row("lupine-loop", "Lupine, on the loop's executor", "lupine-row", "Benchmarks", BUILD)
UMBRELLA = Row("lupine-umbrella", "Lupine, all of it", "lupine-umbrella-row", "Benchmarks", BUILD)
STATIC_LUPINE = Static(
    "lupine-static", "Lupine, static standard library", "lupine-row", "Benchmarks", STATIC,
    ("--static-swift-stdlib", "-Xswiftc", "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"))
NIO = Row("async-http-client", "AsyncHTTPClient", "async-http-client-row", "Benchmarks/Clients", CLIENTS, part=2)
FOUNDATION = Row(
    "urlsession", "URLSession", "urlsession-row", "Benchmarks/Clients", CLIENTS, part=10, knows_roots=False)

OURS = [C, LUPINE, LOOP]
OTHERS = [NIO, FOUNDATION]


# What a row that cannot be measured raises.
FAILURES = (RuntimeError, OSError, ValueError, PeerError)
LIMIT_SECONDS = 300


def command(row, workload, places, folder, count, kind=None):
    """What runs a row for so many requests; `kind` is another kind of work than the workload's, without a server."""
    return [
        row.path, kind or workload.kind, "nothing" if kind else places[workload.server], str(count),
        str(workload.concurrency), str(workload.warm // row.part), str(file_for(workload, folder, kind))]


def run(row, workload, places, folder, authorities, kind=None):
    """Runs a row once; returns its figures for one request: seconds of the processor, of the wall, and memory in MB."""
    arguments = command(row, workload, places, folder, max(1, workload.count // row.part), kind)
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        with client_core():
            process = subprocess.Popen(
                arguments, stdout=subprocess.PIPE, stderr=errors, env=environment(row, workload, places, authorities, folder))
        output, usage = finish(process)
        if process.returncode != 0:
            raise RuntimeError(f"{row.program} ended with code {process.returncode}: {first_line(errors)}")
    if workload.kind == "file":
        file_for(workload, folder, kind).unlink(missing_ok=True)
    figures = json.loads(output)
    whole = usage.ru_utime + usage.ru_stime
    used = whole if workload.processes else figures["cpu"] / figures["requests"]
    return {"cpu": used, "wall": figures["wall"] / figures["requests"], "peak": figures["peak"] * 1024 / 1e6}


def finish(process):
    """Waits for the end of a process, and ends one that takes too long; returns what it printed and used."""
    watchdog = threading.Timer(LIMIT_SECONDS, process.kill)
    watchdog.start()
    try:
        with process.stdout:
            output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        raise
    finally:
        watchdog.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return output, usage


def first_line(errors):
    errors.seek(0)
    return next((line.strip()[:200] for line in errors if line.strip()), "no reason given")


def environment(row, workload, places, authorities, folder):
    """What a row is told; its temporary files go where the others' files go, and no language adds a field to requests."""
    variables = dict(
        os.environ, LUPINE_CA=str(authorities), LUPINE_EXECUTOR="loop" if row is LOOP else "global", LANG="C", LC_ALL="C",
        TMPDIR=str(folder / "memory"))
    if row is C_DEFAULT:
        variables["LUPINE_DEFAULT_CAPATH"] = "1"
    if workload.idle:
        variables.update(LUPINE_IDLE=str(workload.idle), LUPINE_IDLE_URL=places["hold"])
    return variables


def file_for(workload, folder, kind):
    """Where the bytes of a row come from, or go to."""
    if workload.kind != "file":
        return folder / ("article" if kind else "large")
    return folder / "memory" / "received"


@contextlib.contextmanager
def memory(folder):
    """`folder`/memory for what rows write: memory where there is room for it, since no disk is to be measured."""
    place = pathlib.Path("/dev/shm")
    has_room = os.access(place, os.W_OK) and shutil.disk_usage(place).free > 2 * GIB
    with tempfile.TemporaryDirectory(prefix="lupine-bench-", dir=place if has_room else folder) as home:
        (folder / "memory").symlink_to(home)
        yield
