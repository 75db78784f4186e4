"""The measures that are programs of their own: the mock (W8), multipart (W9), the memory of transfers, the cost of trust."""

import re
import subprocess

from .rows import BUILD, swift_build
from .servers import pin
from .workloads import MOCK_GOAL

PROGRAMS = {
    "W8": "MockThroughput", "W9": "multipart-measure", "memory": "transfer-measure", "trust": "trust-measure"}
TITLES = {"W9": "multipart", "memory": "transfers of 2 GiB", "trust": "evaluators beside libcurl's own verification"}
ARGUMENTS = {"W9": ["3"]}


def wanted(names):
    return [name for name in PROGRAMS if not names or name in names]


def build(names):
    for name in wanted(names):
        swift_build("Benchmarks", BUILD, PROGRAMS[name])


def run(name, *arguments):
    command = [BUILD / "release" / PROGRAMS[name], *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, preexec_fn=pin(1)).stdout


def mock_rate(requests=100_000, rounds=5):
    """Requests a second through the whole pipeline over the mock, on one core."""
    return int(re.search(r"(\d+) requests/s", run("W8", str(requests), str(rounds)))[1])


def measure(names):
    results = {}
    if "W8" in wanted(names):
        rate = mock_rate()
        results["W8"] = {
            "title": "the mock, without a network", "rate": rate, "goal": MOCK_GOAL,
            "text": f"{rate:,} requests/s, goal {MOCK_GOAL:,}" + ("!" if rate < MOCK_GOAL else "")}
    for name in TITLES:
        if name in wanted(names):
            text = run(name, *ARGUMENTS.get(name, []))
            results[name] = {"title": TITLES[name], "text": "\n     " + "\n     ".join(text.strip().splitlines())}
    return results
