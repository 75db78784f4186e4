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

from .servers import CERTIFICATES, CHECKOUT, GIB, PeerError, client_core, other_cores

BUILD = CHECKOUT / ".build-bench"
CLIENTS = CHECKOUT / ".build-bench-clients"
STATIC = CHECKOUT / ".build-bench-static"


@dataclasses.dataclass(frozen=True)
class Row:
    """A client. A very slow client makes 1/`part` of the requests and skips rounds of the long transfers."""

    name: str
    title: str
    program: str
    package: str
    scratch: object
    options: tuple = ()
    part: int = 1
    # The variables of its environment, in addition to those of all rows.
    variables: tuple = ()

    @property
    def path(self):
        return self.scratch / "release" / self.program

    @property
    def missing(self):
        """What the row needs and this machine has not; empty if there is nothing."""
        return ""

    def build(self):
        """Builds the program. First removes the old one, so that it is not measured if the build fails."""
        self.path.unlink(missing_ok=True)
        swift_build(self.package, self.scratch, self.program, *self.options)


def swift_build(package, scratch, product, *options):
    command = [
        CHECKOUT / "Tests" / "Support" / "Peers" / "swift-build", "-c", "release", "--package-path", CHECKOUT / package,
        "--scratch-path", scratch, "--product", product, *options]
    subprocess.run(command, check=True, cwd=CHECKOUT)


class Floor(Row):
    """A program in C, built without SwiftPM, because SwiftPM would link Swift's standard library."""

    @property
    def path(self):
        return self.scratch / self.program

    def build(self):
        self.path.unlink(missing_ok=True)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        compiler = shutil.which("clang") or "cc"
        source = CHECKOUT / "Benchmarks" / "RawCurl" / "main.c"
        subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", self.path, source, "-lcurl"], check=True)


class Hyper(Row):
    """A program in Rust, with the crates of Debian's packages, so that nothing is downloaded."""

    CRATES = pathlib.Path("/usr/share/cargo/registry")

    @property
    def missing(self):
        if shutil.which("cargo") and any(self.CRATES.glob("hyper-rustls-0.23.*")):
            return ""
        return "rustc, cargo, librust-hyper+full-dev, librust-tokio+full-dev, librust-hyper-rustls-dev, librust-rustls-pemfile-dev"

    def build(self):
        self.path.unlink(missing_ok=True)
        # cargo reads .cargo/config.toml of the working directory.
        subprocess.run(
            ["cargo", "build", "--release", "--offline", "--quiet", "--target-dir", self.scratch], check=True,
            cwd=CHECKOUT / self.package)


class Go(Row):
    """A program in Go, which uses the standard library alone."""

    @property
    def missing(self):
        return "" if shutil.which("go") else "golang-go"

    def build(self):
        self.path.unlink(missing_ok=True)
        subprocess.run(["go", "build", "-o", self.path, "."], check=True, cwd=CHECKOUT / self.package)


class Static(Row):
    """A program that contains Swift's runtime, built as the README recommends for a program that starts often."""

    def build(self):
        self.path.unlink(missing_ok=True)
        swift_build(self.package, self.scratch, self.program, *self.options, *self.runtime())

    def runtime(self):
        """The options that also link the C++ runtime statically.

        The archive is in a folder without the shared library, because the linker would prefer the shared library.
        """
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
# A program that keeps the default folder of certificates, which libcurl reads slowly.
C_DEFAULT = Floor(
    "c-default", "C, default CAPATH", "raw-curl", "Benchmarks", BUILD, part=10,
    variables=(("LUPINE_DEFAULT_CAPATH", "1"),))
LUPINE = Row("lupine", "Lupine", "lupine-row", "Benchmarks", BUILD)
LOOP = Row(
    "lupine-loop", "Lupine, loop's executor", "lupine-row", "Benchmarks", BUILD, variables=(("LUPINE_EXECUTOR", "loop"),))
NATIVE = Row("native", "native", "native-row", "Benchmarks", BUILD)
NATIVE_LOOP = Row(
    "native-loop", "native, loop's executor", "native-row", "Benchmarks", BUILD, variables=(("LUPINE_EXECUTOR", "loop"),))
UMBRELLA = Row("lupine-umbrella", "Lupine, all of it", "lupine-umbrella-row", "Benchmarks", BUILD)
STATIC_LUPINE = Static(
    "lupine-static", "Lupine, static", "lupine-row", "Benchmarks", STATIC,
    ("--static-swift-stdlib", "-Xswiftc", "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"))
STATIC_NATIVE = dataclasses.replace(STATIC_LUPINE, name="native-static", title="native, static", program="native-row")
# Lupine with the plugin that encodes forms.
FORM = dataclasses.replace(LUPINE, program="form-row")
RESUMABLE = Row("lupine-resumable", "Lupine, resumable", "resumable-row", "Benchmarks", BUILD)
NATIVE_RESUMABLE = dataclasses.replace(
    RESUMABLE, name="native-resumable", title="native, resumable", variables=(("LUPINE_TRANSPORT", "native"),))
CACHE = Row("lupine-cache", "Lupine, cache in memory", "cache-row", "Benchmarks", BUILD)
DISK = dataclasses.replace(
    CACHE, name="lupine-disk", title="Lupine, cache on the disk", variables=(("LUPINE_CACHE", "disk"),))
NIO = Row("async-http-client", "AsyncHTTPClient", "async-http-client-row", "Benchmarks/Clients", CLIENTS, part=2)
FOUNDATION = Row("urlsession", "URLSession", "urlsession-row", "Benchmarks/Clients", CLIENTS, part=10)
HYPER = Hyper("hyper", "hyper", "hyper-row", "Benchmarks/Clients/HyperRow", CHECKOUT / ".build-bench-hyper")
GO = Go("go", "Go's net/http", "go-row", "Benchmarks/Clients/GoRow", CHECKOUT / ".build-bench-go")

OURS = (C, LUPINE, LOOP, NATIVE, NATIVE_LOOP)
OTHERS = (NIO, FOUNDATION)
# The clients in other languages make simple requests only.
FOREIGN = (HYPER, GO)


def looped(count):
    return dataclasses.replace(
        NATIVE, name=f"native-{count}", title=f"native, {count} loop{'s' * (count > 1)}",
        variables=(("LUPINE_LOOPS", str(count)),))


LOOPS = tuple(looped(count) for count in (1, 2, 4))


def trusting(name, title, *variables):
    return Row(name, title, "trust-row", "Benchmarks", BUILD, variables=variables)


def pinning(name, title):
    return trusting(name, title, ("LUPINE_TRUST", name), ("LUPINE_PIN", str(CERTIFICATES / "localhost.pem")))


TRUST = (
    trusting("library", "libcurl's verification"), pinning("public-keys", "public keys"),
    pinning("certificates", "pinned certificates"), pinning("default", "the default evaluator"))

TITLES = {row.name: row.title for row in (
    C, C_DEFAULT, LUPINE, LOOP, NATIVE, NATIVE_LOOP, UMBRELLA, STATIC_LUPINE, STATIC_NATIVE, CACHE, DISK, RESUMABLE, NATIVE_RESUMABLE, *OTHERS, *FOREIGN, *LOOPS, *TRUST)}


def distinct(row_list):
    """The first row of each program."""
    return list({row.path: row for row in reversed(row_list)}.values())[::-1]


# The errors of a row that cannot be measured.
FAILURES = (RuntimeError, OSError, ValueError, PeerError)
LIMIT_SECONDS = 300


def command(row, workload, places, folder, count):
    """The command that runs a row for `count` requests."""
    return [
        row.path, workload.kind, places[workload.server], str(count), str(workload.concurrency),
        str(workload.warm // row.part), str(file_for(workload, folder))]


def run(row, workload, places, folder, authorities):
    """Runs a row once; returns processor time and elapsed time of one request in seconds, and the memory in MB."""
    arguments = command(row, workload, places, folder, max(1, workload.count // row.part))
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        with other_cores() if workload.spreads else client_core():
            process = subprocess.Popen(
                arguments, stdout=subprocess.PIPE, stderr=errors, env=environment(row, workload, places, authorities, folder))
        output, usage = finish(process)
        if process.returncode != 0:
            raise RuntimeError(f"{row.program} ended with code {process.returncode}: {first_line(errors)}")
    if workload.kind == "file":
        file_for(workload, folder).unlink(missing_ok=True)
    figures = json.loads(output)
    whole = usage.ru_utime + usage.ru_stime
    used = whole if workload.processes else figures["cpu"] / figures["requests"]
    return {"cpu": used, "wall": figures["wall"] / figures["requests"], "peak": figures["peak"] * 1024 / 1e6}


def finish(process):
    """Waits for a process, and ends it after LIMIT_SECONDS; returns its output and its use of resources."""
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
    """The environment of a row.

    The temporary files of all rows go to the same folder. No language is set, because it would add a field to requests.
    """
    variables = dict(
        os.environ, LUPINE_CA=str(authorities), LANG="C", LC_ALL="C", TMPDIR=str(folder / "memory"), **dict(row.variables))
    if workload.idle:
        variables.update(LUPINE_IDLE=str(workload.idle), LUPINE_IDLE_URL=places["hold"])
    return variables


def file_for(workload, folder):
    """The file that a row reads or writes."""
    return folder / {"file": "memory/received", "form": "tenth", "decode": "article"}.get(workload.kind, "large")


@contextlib.contextmanager
def memory(folder):
    """Provides `folder`/memory for the files of rows: in memory if there is room, so that no disk is measured."""
    place = pathlib.Path("/dev/shm")
    has_room = os.access(place, os.W_OK) and shutil.disk_usage(place).free > 3 * GIB
    with tempfile.TemporaryDirectory(prefix="lupine-bench-", dir=place if has_room else folder) as home:
        (folder / "memory").symlink_to(home)
        yield
