"""What is measured, and what the figures are to be: W1 to W10."""

import dataclasses

GIB = 1 << 30


@dataclasses.dataclass(frozen=True)
class Workload:
    """One piece of work that every row does: `count` requests of a kind, so many at a time, after some to warm up."""

    name: str
    title: str
    kind: str
    server: str
    count: int
    concurrency: int = 1
    warm: int = 0
    # The highest ratio to the program in C that is good enough, for each row that has a goal.
    goals: dict = dataclasses.field(default_factory=dict)
    # The most memory in MB that Lupine may take.
    memory: float | None = None
    # The whole process counts, not only its requests; this often a round.
    processes: int = 0
    # So many connections lie idle meanwhile; the other clients take no part.
    idle: int = 0
    # Lupine takes part twice: as its core and libcurl alone, and as all that `import Lupine` brings.
    umbrella: bool = False
    # The program in C takes part with its default folder of certificates too; Lupine's highest ratio to that.
    default_goal: float | None = None
    # The cost of decoding is added to the floor.
    decodes: bool = False


def both(default, loop):
    return {"lupine": default, "lupine-loop": loop}


REQUESTS = [
    Workload("W1", "64 bytes, one after the other", "get", "small", 15_000, warm=500, goals=both(1.25, 1.10)),
    Workload("W1r", "the same, 200 µs away", "get", "slow", 2_000, warm=100, goals=both(1.35, 1.15)),
    Workload("W2", "64 in flight, HTTP/1.1", "get", "small", 20_000, 64, 2_000, both(1.35, 1.12), umbrella=True),
    Workload(
        "idle", "200 in flight, 1,000 idle connections", "get", "small", 20_000, 200, 2_000, both(1.35, 1.12),
        idle=1_000),
    Workload("W3", "64 in flight, one HTTP/2 connection", "get", "tls", 20_000, 64, 2_000, both(1.30, 1.12)),
    Workload("W4", "1 GiB down, discarded, without a session", "discard", "large", 1, goals={"lupine": 1.05}, memory=30),
    Workload("W4b", "1 GiB down, to a file", "file", "large", 1, goals={"lupine": 1.05}, memory=30),
    Workload("W4s", "1 GiB down, as an async stream", "stream", "large", 1, goals={"lupine": 1.5}),
    Workload("W5", "1 GiB up, from a file", "put", "sink", 1, goals={"lupine": 1.05}, memory=30),
    Workload("W6", "new TLS connections", "get", "fresh", 250, warm=10, goals={"lupine": 1.1}, default_goal=0.05),
    Workload(
        "W7", "start, one GET, exit", "get", "small", 1, goals={"lupine": 1.7, "lupine-static": 1.3}, processes=10,
        umbrella=True),
    Workload("W10", "W2 with a decoded body", "decode", "json", 20_000, 64, 2_000, {"lupine": 1.15}, decodes=True),
]

# Requests a second over the mock, on one core.
MOCK_GOAL = 150_000
# Processor time of a form of files, as a multiple of that of `curl -F`.
MULTIPART_GOAL = 1.10

NAMES = [workload.name for workload in REQUESTS] + ["W8", "W9", "memory", "trust"]
