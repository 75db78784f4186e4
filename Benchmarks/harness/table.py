"""The table of the results, as text."""

from .rows import TITLES

LINE = "{:<45} {:<23} {:>8} {:>17} {:>9} {:>18} {:>10} {:>14}"


def seconds(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.2f} {unit}"
    return f"{value * 1e9:.0f} ns"


def lines(results):
    """The lines of the table; `!` follows a figure that misses its goal."""
    yield LINE.format("workload", "row", "x first", "spread", "goal", "each", "a second", "peak")
    for name, result in results.items():
        title = f"{name:<4} {result['title']}"
        for first, *others in [*rows(result), *rates(result)] or [[""] * 7]:
            yield LINE.format(title, first, *others)
            title = ""
        for row, failure in result["failures"].items():
            yield f"{'':<4} {TITLES.get(row, row)} failed! {failure}"
        if "default" in result:
            yield f"{'':<4} Lupine takes {part(**result['default'])} of C with its default CAPATH"
        if "sizes" in result:
            yield f"{'':<4} stripped binaries: {', '.join(size(*each) for each in result['sizes'].items())}"


def rows(result):
    for row, figures in result.get("rows", {}).items():
        goal = result["goals"].get(row)
        yield [
            TITLES[row], ratio(figures, goal), f"{figures['least']:.2f} – {figures['most']:.2f}",
            f"≤ {goal:.2f}" if goal else "", seconds(figures["cpu"]),
            number(1 / figures["wall"]),
            memory(figures, result["memory"] if row.startswith(("lupine", "native")) else None)]


def rates(result):
    for name, figures in result.get("rates", {}).items():
        goal = result["goals"].get(name)
        yield [
            name, f"{figures['beside']:.2f} " if "beside" in figures else "", f"{number(figures['least'])} – {number(figures['most'])}",
            f"≥ {goal:,}" if goal else "", rate(figures, goal, result["unit"]), "", ""]


def size(row, count):
    return f"{TITLES[row]} {count / 1e6:.2f} MB"


def part(ratio, least, most, goal):
    return f"{ratio:.3f}{'!' if ratio > goal else ''} ({least:.3f} – {most:.3f}, goal ≤ {goal:.2f})"


def ratio(figures, bound):
    return f"{figures['ratio']:.2f}" + ("!" if bound and figures["ratio"] > bound else " ")


def rate(figures, bound, unit):
    return f"{number(figures['rate'])}{'!' if bound and figures['rate'] < bound else ''} {unit}"


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def memory(figures, bound):
    peak = f"{figures['peak']:.0f} MB"
    return f"{peak}{'!' if figures['peak'] > bound else ''} (≤ {bound})" if bound else peak
