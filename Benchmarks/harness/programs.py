"""The measures that are programs of their own: the mock (W8), multipart (W9), the memory of transfers, the cost of trust."""

import os
import re
import subprocess

from .rows import BUILD, swift_build
from .servers import SERVER_CORE, client_core
from .workloads import MOCK_GOAL, MULTIPART_GOAL

PROGRAMS = {
    "W8": "MockThroughput", "W9": "multipart-measure", "memory": "transfer-measure", "trust": "trust-measure"}
TITLES = {"W9": "multipart and encoders", "memory": "transfers of 2 GiB", "trust": "evaluators beside libcurl's own verification"}
ARGUMENTS = {"W9": ["3"]}
LIMIT_SECONDS = 600


def wanted(names):
    return [name for name in PROGRAMS if not names or name in names]


def build(names):
    for name in wanted(names):
        swift_build("Benchmarks", BUILD, PROGRAMS[name])


def run(name, *arguments):
    command = [BUILD / "release" / PROGRAMS[name], *arguments]
    environment = dict(os.environ, LUPINE_SERVER_CORE=str(SERVER_CORE))
    with client_core():
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, timeout=LIMIT_SECONDS)


def mock_rate(requests=100_000, rounds=5):
    """Requests a second through the whole pipeline over the mock, on one core."""
    process = run("W8", str(requests), str(rounds))
    process.check_returncode()
    return int(re.search(r"(\d+) requests/s", process.stdout)[1])


def steps(names):
    """What there is to measure: pairs of a name and of what measures it."""
    return [(name, mock if name == "W8" else lambda name=name: report(name)) for name in wanted(names)]


def mock():
    rate = mock_rate()
    return {
        "title": "the mock, without a network", "rate": rate, "goal": MOCK_GOAL,
        "text": f"{rate:,} requests/s, goal {MOCK_GOAL:,}" + ("!" if rate < MOCK_GOAL else "")}


def report(name):
    """A program's own report; one that fails has printed why, and the figures that it has."""
    process = run(name, *ARGUMENTS.get(name, []))
    result = {"title": TITLES[name], "text": "\n     " + "\n     ".join(process.stdout.strip().splitlines())}
    if process.returncode != 0:
        result["failures"] = {name: f"code {process.returncode}"}
        result["text"] += f"\n     failed with code {process.returncode}!"
    rates = re.findall(r"^ *(.+): ([\d.]+) MB/s", process.stdout, re.MULTILINE)
    if rates:
        result["megabytes per second"] = {each: float(rate) for each, rate in rates}
    found = re.search(r"([\d.]+) x curl's", process.stdout)
    if name == "W9" and found:
        result.update(ratio=float(found[1]), goal=MULTIPART_GOAL)
        result["text"] += "\n     the form of files misses its goal!" if result["ratio"] > MULTIPART_GOAL else ""
    return result
