"""The measurements by separate programs: the mock (W8) and the encoders (W9e)."""

import json
import statistics
import subprocess

from .rows import BUILD, client_core, swift_build

LIMIT_SECONDS = 600


def build(program):
    swift_build("Benchmarks", BUILD, program)


def measure(throughput, rounds):
    """The rates that the program measures: for each, the median, the least and the most of the rounds."""
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
