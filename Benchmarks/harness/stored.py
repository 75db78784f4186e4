"""The figures as JSON: those that `bench` measured here, and those in the project, which its chart and table are made of."""

import json

from .servers import CHECKOUT
from .workloads import ALL

MEASURED = CHECKOUT / ".build-bench" / "results.json"
KEPT = CHECKOUT / "Benchmarks" / "results.json"


def read(file):
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def add(results, file):
    """Writes each workload's figures in the place of its older ones; those of the others stay. Returns all."""
    kept = read(file) | results
    ordered = {each.name: kept[each.name] for each in ALL if each.name in kept}
    file.write_text(json.dumps(ordered, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return ordered
