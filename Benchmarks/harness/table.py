"""The table, as text."""

TITLES = {
    "c": "raw libcurl in C", "c-default": "C, default CAPATH", "lupine": "Lupine", "lupine-loop": "Lupine, loop's executor",
    "lupine-umbrella": "Lupine, all of it", "lupine-static": "Lupine, static", "async-http-client": "AsyncHTTPClient",
    "urlsession": "URLSession"}
LINE = "{:<45} {:<24} {:>7} {:>13} {:>7} {:>11} {:>14}"


def seconds(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.2f} {unit}"
    return f"{value * 1e9:.0f} ns"


def lines(results):
    """The table; `!` stands behind a figure that misses its goal."""
    yield LINE.format("workload", "row", "x C", "spread", "goal", "CPU each", "peak")
    for name, result in results.items():
        if "rows" not in result:
            yield f"{name:<4} {result['title']} {result['text']}"
            continue
        if not result["rows"]:
            yield f"{name:<4} {result['title']}"
        for index, (row, figures) in enumerate(result["rows"].items()):
            title = f"{name:<4} {result['title']}" if index == 0 else ""
            yield LINE.format(
                title, TITLES.get(row, row), ratio(figures, result["goals"].get(row)),
                f"{figures['least']:.2f} – {figures['most']:.2f}", goal(result["goals"].get(row)),
                seconds(figures["cpu"]), memory(figures, result["memory"] if row.startswith("lupine") else None))
        for row, failure in result["failures"].items():
            yield f"{'':<4} {TITLES.get(row, row)} failed! {failure}"
        if "default" in result:
            yield f"{'':<4} Lupine takes {part(**result['default'])} of C with its default CAPATH"
        if "sizes" in result:
            yield f"{'':<4} stripped binaries: {', '.join(size(*each) for each in result['sizes'].items())}"


def size(row, count):
    return f"{TITLES.get(row, row)} {count / 1e6:.2f} MB"


def part(ratio, goal):
    return f"{ratio:.3f}{'!' if ratio > goal else ''} (goal ≤ {goal:.2f})"


def ratio(figures, bound):
    return f"{figures['ratio']:.2f}" + ("!" if bound and figures["ratio"] > bound else " ")


def goal(bound):
    return f"≤ {bound:.2f}" if bound else ""


def memory(figures, bound):
    peak = f"{figures['peak']:.0f} MB"
    return f"{peak}{'!' if figures['peak'] > bound else ''} (≤ {bound})" if bound else peak
