"""The tables of the results in the README, between two markers."""

from . import machine, table
from .rows import TITLES

BEGIN, END = "<!-- The figures; `make plot` writes them. -->", "<!-- The figures end here. -->"
CURL, NATIVE, CLIENTS = ("lupine", "lupine-loop"), ("native", "native-loop"), ("hyper", "go", "async-http-client", "urlsession")


def written_into(readme, results):
    """The README with the tables of these results."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError("Benchmarks/README.md has lost the markers of its figures")
    tables = [*ratios(results), "", *others(results)]
    return "\n".join([before + begin, "", *measured(results), "", *tables, "", end + after])


def measured(results):
    yield f"Measured on {machine.summary(results)}."
    older = {
        name: figures for name, result in results.items() for figures in result.get("rows", {}).values()
        if "machine" in figures}
    if older:
        yield f"`*`: not measured again since {machine.summary(older)}."


def line(*cells):
    return f"| {' | '.join(cells)} |"


def ratios(results):
    halves = [(name, f"{name}, loop's executor", "goals", "most memory") for name in ("Lupine", "native")]
    yield line("", *halves[0], *halves[1], *(TITLES[row] for row in CLIENTS))
    yield "|---" * (9 + len(CLIENTS)) + "|"
    for name, result in results.items():
        rows = result.get("rows", {})
        if "c" not in rows:
            continue
        yield line(
            name, *half_of_line(result, CURL), *half_of_line(result, NATIVE),
            *(f"{rows[row]['ratio']:.2f}{mark(rows[row])}" if row in rows else "" for row in CLIENTS))


def half_of_line(result, names):
    """The cells of one transport: its two rows, their goals and the memory of the first row."""
    rows, goals = result["rows"], result["goals"]
    yield from (ratio(rows[row], goals.get(row)) if row in rows else "" for row in names)
    yield ", ".join(f"{goals[row]:.2f}" for row in names if row in goals)
    yield table.memory(rows[names[0]], result["memory"]) if names[0] in rows else ""


def others(results):
    """The table of the figures that the first table does not contain, one line for each."""
    yield line("", "median (least to most)", "goal")
    yield "|---" * 3 + "|"
    for name, result in results.items():
        goals = result.get("goals", {})
        for row, figures in result.get("rows", {}).items():
            if row not in ("c", *CURL, *NATIVE, *CLIENTS):
                goal = goals.get(row)
                yield line(f"{name}, {TITLES[row]}{speed(name, figures)}", ratio(figures, goal), f"{goal:.2f}" if goal else "")
        for thing, figures in result.get("rates", {}).items():
            goal = goals.get(thing)
            yield line(f"{name}, {thing}", rate(figures, goal, result["unit"]), f"{goal:,}" if goal else "")
        if "default" in result:
            goal = result["default"]["goal"]
            yield line(f"{name}, Lupine as a part of C with its default CAPATH", ratio(result["default"], goal, 3), f"{goal:.2f}")
        for row, size in result.get("sizes", {}).items():
            yield line(f"{name}, stripped binary of {TITLES[row]}", f"{size / 1e6:.2f} MB", "")


def speed(name, figures):
    """The requests a second, where they are what is compared."""
    return f" ({table.number(1 / figures['wall'])} requests/s)" if name == "loops" else ""


def ratio(figures, goal, digits=2):
    median, least, most = (f"{figures[each]:.{digits}f}" for each in ("ratio", "least", "most"))
    return f"{median}{'!' if goal and figures['ratio'] > goal else ''}{mark(figures)} ({least} to {most})"


def mark(figures):
    """The mark of a row that was not measured again."""
    return "*" if "machine" in figures else ""


def rate(figures, goal, unit):
    part = f", {figures['beside']:.2f} of `JSONEncoder`'s" if "beside" in figures else ""
    return f"{table.rate(figures, goal, unit)} ({table.number(figures['least'])} to {table.number(figures['most'])}){part}"
