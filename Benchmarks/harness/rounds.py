"""The rounds: each round runs each row once, so that a disturbance of the machine affects all rows."""

import dataclasses
import statistics

from . import rows, sizes
from .progress import show


def measure(workload, row_list, places, folder, authorities, rounds):
    """Measures a workload; returns for each row the median of its ratios to the first row, and its figures.

    If a row fails, only its own figures are missing. If the first row fails, the whole measurement fails.
    """
    samples = {row.name: [] for row in row_list}
    failures = {}
    for number in range(rounds):
        floor = None
        for row in row_list:
            if row.name in failures or is_left_out(row, workload, number):
                continue
            show(f"{workload.name}: round {number + 1} of {rounds}, {row.title}")
            try:
                sample = best_of_processes(row, workload, places, folder, authorities)
            except rows.FAILURES as error:
                if floor is None:
                    raise
                failures[row.name] = str(error)
                continue
            if floor is None:
                sample["cpu"] += decoding(workload, places, folder, authorities)
                floor = sample["cpu"]
            sample["ratio"] = sample["cpu"] / floor
            samples[row.name].append(sample)
    result = {
        "title": workload.title, "goals": workload.goals, "memory": workload.memory,
        "rows": {name: summary(each) for name, each in samples.items() if each and name not in failures},
        "failures": failures}
    if {"lupine", "c-default"} <= result["rows"].keys():
        parts = (each["cpu"] / other["cpu"] for each, other in zip(samples["lupine"], samples["c-default"]))
        result["default"] = spread(parts) | {"goal": workload.default_goal}
    if workload.processes:
        result["sizes"] = sizes.stripped([row for row in rows.distinct(row_list) if row.name in result["rows"]])
    return result


def is_left_out(row, workload, number):
    """Whether the row skips this round: a very slow client makes the long transfers only in the first round."""
    return row.part > 2 and workload.count == 1 and not workload.processes and number > 0


def best_of_processes(row, workload, places, folder, authorities):
    """Runs a short process several times and returns the cheapest run, because a disturbance only adds to the cost."""
    runs = [rows.run(row, workload, places, folder, authorities) for _ in range(max(1, workload.processes))]
    return min(runs, key=lambda each: each["cpu"])


def decoding(workload, places, folder, authorities):
    if not workload.decodes:
        return 0
    alone = dataclasses.replace(workload, server="nowhere")
    return rows.run(rows.LUPINE, alone, places, folder, authorities)["cpu"]


def spread(ratios):
    ratios = sorted(ratios)
    return {"ratio": statistics.median(ratios), "least": ratios[0], "most": ratios[-1]}


def summary(samples):
    return spread(sample["ratio"] for sample in samples) | {
        "cpu": statistics.median(sample["cpu"] for sample in samples), "cheapest": min(sample["cpu"] for sample in samples),
        "wall": statistics.median(sample["wall"] for sample in samples),
        "peak": max(sample["peak"] for sample in samples), "rounds": len(samples)}
