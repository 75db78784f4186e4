"""The rounds: each row once, in turn, again and again, so that what disturbs the machine disturbs them all."""

import statistics
import sys

from . import rows


def measure(workload, row_list, places, folder, authorities, rounds):
    """Measures a workload; returns for each row the median of its ratios to the program in C, and its figures."""
    samples = {row.name: [] for row in row_list}
    for number in range(rounds):
        floor = None
        for row in row_list:
            if row.part > 2 and workload.count == 1 and not workload.processes and number > 0:
                continue
            sample = best_of_processes(row, workload, places[workload.server], folder, authorities)
            if floor is None:
                floor = sample["cpu"] + decoding(workload, folder, authorities)
            sample["ratio"] = sample["cpu"] / floor
            samples[row.name].append(sample)
        print(f"{workload.name}: round {number + 1} of {rounds}", end="\r", file=sys.stderr, flush=True)
    return {
        "title": workload.title, "goals": workload.goals, "memory": workload.memory,
        "rows": {name: summary(each) for name, each in samples.items()}}


def best_of_processes(row, workload, url, folder, authorities):
    """A short process is started several times and its least cost counts, since what disturbs it only ever adds."""
    runs = [rows.run(row, workload, url, folder, authorities) for _ in range(max(1, workload.processes))]
    return min(runs, key=lambda each: each["cpu"])


def decoding(workload, folder, authorities):
    if not workload.decodes:
        return 0
    return rows.run(rows.LUPINE, workload, "nothing", folder, authorities, kind="decode")["cpu"]


def summary(samples):
    ratios = sorted(sample["ratio"] for sample in samples)
    return {
        "ratio": statistics.median(ratios), "least": ratios[0], "most": ratios[-1],
        "cpu": statistics.median(sample["cpu"] for sample in samples),
        "wall": statistics.median(sample["wall"] for sample in samples),
        "peak": max(sample["peak"] for sample in samples), "rounds": len(samples)}
