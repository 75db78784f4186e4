"""The measures that are programs of their own: the mock (W8) and the encoders (W9e)."""

import json
import statistics
import subprocess

from .rows import BUILD, client_core, swift_build

LIMIT_SECONDS = 600


def build(program):
    swift_build("Benchmarks", BUILD, program)


def measure(throughput, rounds):
    """What the program did in a second: the median of the rounds, and the least and the most of them."""
    command = [BUILD / "release" / throughput.program, *throughput.arguments, str(rounds)]
    with client_core():
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS)
    return {
        "title": throughput.title, "unit": throughput.unit, "goals": throughput.goals, "failures": {},
        "rates": {line["name"]: summary(line) for line in map(json.loads, done.stdout.splitlines())}}


def summary(line):
    rates, beside = line["rates"], line["beside"]
    figures = {"rate": statistics.median(rates), "least": min(rates), "most": max(rates), "rounds": len(rates)}
    if beside:
        figures["beside"] = statistics.median(rate / other for rate, other in zip(rates, beside))
    return figures
