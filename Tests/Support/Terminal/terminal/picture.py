"""Draws a screen of a terminal as SVG."""

import html
import re

COLOURS = {"31": "#f7768e", "32": "#9ece6a", "33": "#e0af68", "34": "#7aa2f7", "35": "#bb9af7", "36": "#7dcfff"}
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")
WIDTH, HEIGHT, MARGIN = 8.4, 19, 16


def spans(line, codes):
    """The parts of a line, each with the attributes of its colour; `codes` are those of the line before."""
    parts, end = [], 0
    for found in [*SEQUENCE.finditer(line), None]:
        text = line[end:found.start() if found else None]
        if text:
            attributes = "".join(f' fill="{COLOURS[code]}"' for code in sorted(codes) if code in COLOURS)
            attributes += ' font-weight="bold"' if "1" in codes else ""
            attributes += ' opacity="0.6"' if "2" in codes else ""
            shown = html.escape(text).replace(" ", "\u00a0")
            parts.append(f"<tspan{attributes}>{shown}</tspan>" if attributes else shown)
        if found:
            end = found.end()
            for code in found.group(1).split(";"):
                if code in ("", "0"):
                    codes.clear()
                else:
                    if code == "39" or code in COLOURS:
                        codes -= set(COLOURS)
                    codes.add(code)
    return "".join(parts)


def svg(command, screen):
    """The picture of a terminal of 80 columns after a command."""
    lines = [f"\x1b[2m$\x1b[0m {command}", *screen.rstrip("\n").split("\n")]
    width, height = round(80 * WIDTH + 2 * MARGIN), len(lines) * HEIGHT + 2 * MARGIN
    codes = set()
    rows = [f'    <text x="{MARGIN}" y="{MARGIN + HEIGHT * (number + 1) - 5}">{spans(line, codes)}</text>'
            for number, line in enumerate(lines)]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{html.escape(command)}, and the response">',
        f'  <rect width="{width}" height="{height}" rx="8" fill="#1a1b26"/>',
        '  <g font-family="ui-monospace, \'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="14" fill="#c0caf5">',
        *rows, "  </g>", "</svg>", ""])
