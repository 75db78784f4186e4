"""The figures as JSON: those of `bench` on this machine, and those in the project, for the chart and the tables."""

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
    """Replaces the figures of these workloads in the file and keeps those of the others; returns all figures."""
    kept = read(file) | results
    ordered = {each.name: kept[each.name] for each in ALL if each.name in kept}
    file.write_text(json.dumps(ordered, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return ordered


def completed(results, kept):
    """The results, with the kept figures of rows that were not measured again; each has the facts of its own machine."""
    for name, result in results.items():
        older = kept.get(name, {})
        for row, figures in older.get("rows", {}).items():
            if row not in result.get("rows", {}) and row not in result["failures"]:
                result["rows"][row] = {"machine": older["machine"]} | figures
        if "default" in older and "default" not in result:
            result["default"] = {"machine": older["machine"]} | older["default"]
        if "sizes" in older:
            result["sizes"] = older["sizes"] | result.get("sizes", {})
    return results
