"""The workloads and their goals: W1 to W13, and the cost of trust."""

import dataclasses

from . import rows


@dataclasses.dataclass(frozen=True)
class Workload:
    """The work of a row: `count` requests of a kind, `concurrency` at a time, after `warm` requests to warm up."""

    name: str
    title: str
    kind: str
    server: str
    count: int
    concurrency: int = 1
    warm: int = 0
    # The highest acceptable ratio to the first row, for each row that has a goal.
    goals: dict = dataclasses.field(default_factory=dict)
    # The other rows are compared with the first row.
    rows: tuple = rows.OURS + rows.OTHERS
    # The highest acceptable memory of Lupine, in MB.
    memory: float | None = None
    # If not 0, each round runs this number of processes and measures whole processes, not only their requests.
    processes: int = 0
    # The number of connections that stay idle during the measurement.
    idle: int = 0
    # The highest acceptable ratio of Lupine to C with its default folder of certificates.
    default_goal: float | None = None
    # Whether the row may use all cores that the servers do not use.
    spreads: bool = False
    # Whether the cost of decoding is added to the first row.
    decodes: bool = False


@dataclasses.dataclass(frozen=True)
class Throughput:
    """A program that measures rates per second of processor time; it prints a line of JSON for each operation."""

    name: str
    title: str
    program: str
    unit: str
    arguments: tuple = ()
    # The lowest acceptable rate, for each operation that has a goal.
    goals: dict = dataclasses.field(default_factory=dict)


def both(default, loop):
    return {"lupine": default, "lupine-loop": loop}


def native(default, loop):
    return {"native": default, "native-loop": loop}


# URLSession on Linux has no setting for a root certificate.
SECURE = rows.OURS + (rows.STATIC_LUPINE, rows.NIO) + rows.FOREIGN
# A program that contains Swift's runtime also saves the cost of calls between libraries.
STATIC = rows.OURS + (rows.STATIC_LUPINE, rows.STATIC_NATIVE) + rows.OTHERS + rows.FOREIGN

# Lupine without and with a cache.
MEMORY = (rows.LUPINE, rows.CACHE)
STORED = (rows.LUPINE, rows.DISK)

MOCK = Throughput(
    "W8", "the mock, without a network", "mock-throughput", "requests/s", ("100000",),
    {"without the exchange log": 150_000})

ALL = [
    Workload(
        "W1", "64 bytes, one after the other", "get", "small", 15_000, warm=500,
        goals=both(1.25, 1.10) | native(1.15, 1.00), rows=STATIC),
    Workload(
        "W1r", "the same, 200 µs away", "get", "slow", 2_000, warm=100, goals=both(1.35, 1.15) | native(1.20, 1.05),
        rows=rows.OURS + rows.OTHERS + rows.FOREIGN),
    Workload(
        "W2", "64 in flight, HTTP/1.1", "get", "small", 20_000, 64, 2_000, both(1.35, 1.12) | native(0.70, 0.62),
        rows.OURS + (rows.STATIC_LUPINE, rows.UMBRELLA) + rows.OTHERS + rows.FOREIGN),
    Workload(
        "W2d", "the same, two head lines that differ", "get", "differing", 20_000, 64, 2_000, {"native": 0.85},
        rows.OURS + rows.FOREIGN),
    Workload(
        "idle", "200 in flight, 1,000 idle connections", "get", "small", 20_000, 200, 2_000,
        both(1.35, 1.12) | native(0.85, 0.75), rows.OURS, idle=1_000),
    Workload(
        "W3", "64 in flight, one HTTP/2 connection", "get", "tls", 20_000, 64, 2_000,
        both(1.30, 1.12) | native(0.45, 0.38), SECURE),
    Workload(
        "W4", "1 GiB down, discarded, without a session", "discard", "large", 1, goals={"lupine": 1.05, "native": 1.00},
        memory=30),
    Workload("W4b", "1 GiB down, to a file", "file", "large", 1, goals={"lupine": 1.05, "native": 1.00}, memory=30),
    Workload(
        "W4s", "1 GiB down, as an async stream", "stream", "large", 1, goals={"lupine": 1.5, "native": 1.20}, memory=30),
    Workload("W5", "1 GiB up, from a file", "put", "sink", 1, goals={"lupine": 1.05, "native": 1.00}, memory=30),
    Workload(
        "W5s", "1 GiB up, as an async stream", "put-stream", "sink", 1, rows=rows.OURS + (rows.NIO,), memory=30),
    Workload(
        "W6", "new TLS connections", "get", "fresh", 250, warm=10, goals={"lupine": 1.1, "native": 0.85},
        rows=rows.OURS + (rows.C_DEFAULT, rows.NIO), default_goal=0.05),
    Workload(
        "W7", "start, one GET, exit", "get", "small", 1,
        goals={"lupine": 1.7, "lupine-static": 1.3, "native": 1.30, "native-static": 0.70},
        rows=rows.OURS + (rows.STATIC_LUPINE, rows.STATIC_NATIVE, rows.UMBRELLA) + rows.OTHERS + rows.FOREIGN,
        processes=10),
    MOCK,
    Workload(
        "W9", "a form of ten files, 1 GiB", "form", "sink", 1, goals={"lupine": 1.1}, rows=(rows.C, rows.FORM), memory=30),
    Throughput("W9e", "encoders, from memory", "encoder-throughput", "MB/s"),
    Throughput("queue", "1,000 queued transfers, over the mock", "queue-throughput", "transfers/s"),
    Workload(
        "W10", "W2 with a decoded body", "decode", "json", 20_000, 64, 2_000, {"lupine": 1.15, "native": 0.90},
        decodes=True),
    Workload("W11", "a miss that is not stored", "get", "small", 15_000, warm=500, goals={"lupine-cache": 1.1}, rows=MEMORY),
    Workload("W11s", "a miss that is stored", "each", "storable", 15_000, warm=500, rows=MEMORY),
    Workload(
        "W12", "W4b, stored on the way", "file", "large", 1, goals={"lupine-disk": 1.3}, rows=STORED, memory=30),
    Workload("W12s", "W4s, stored on the way", "stream", "large", 1, rows=STORED, memory=30),
    Workload("W12h", "W12 from the store", "file", "large", 1, warm=1, rows=STORED, memory=30),
    Workload(
        "W13", "W5, resumable, over libcurl", "put", "sink", 1, goals={"lupine-resumable": 1.05},
        rows=(rows.LUPINE, rows.RESUMABLE), memory=30),
    Workload(
        "W13n", "W5, resumable, over native", "put", "sink", 1, goals={"native-resumable": 1.05},
        rows=(rows.NATIVE, rows.NATIVE_RESUMABLE), memory=30),
    Workload(
        "loops", "64 in flight, to eight origins", "spread", "origins", 40_000, 64, 4_000, rows=rows.LOOPS, spreads=True),
    Workload("trust", "evaluators, new TLS connections", "get", "fresh", 250, warm=10, rows=rows.TRUST),
    Workload("trust-kept", "the same, one TLS connection", "get", "tls", 5_000, warm=500, rows=rows.TRUST),
]
REQUESTS = [each for each in ALL if isinstance(each, Workload)]

# Names for several workloads at once.
SETS = {"W9": ["W9", "W9e"], "memory": ["W4b", "W4s", "W5", "W5s", "W9", "W13", "W13n"], "W13": ["W13", "W13n"], "trust": ["trust", "trust-kept"],
    "cache": ["W8", "W11", "W11s", "W12", "W12s", "W12h"]}
NAMES = dict.fromkeys([each.name for each in ALL] + list(SETS))


def named(names):
    """The workloads of these names; all workloads if there are no names."""
    wanted = {workload for name in names for workload in SETS.get(name, [name])}
    return [each for each in ALL if each.name in wanted or not names]
