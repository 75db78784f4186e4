"""Shows the current step and the elapsed time on the terminal."""

import sys
import time

BEGAN = time.monotonic()


def show(text):
    """Shows the current step: in place of the previous step on a terminal, and on a new line elsewhere."""
    minutes, seconds = divmod(int(time.monotonic() - BEGAN), 60)
    line = f"{minutes}:{seconds:02} {text}"
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
    else:
        print(line, file=sys.stderr, flush=True)


def clear():
    """Clears the line of the current step, for the next output."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
