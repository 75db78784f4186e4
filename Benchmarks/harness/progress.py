"""What is being done and for how long, on the terminal."""

import sys
import time

BEGAN = time.monotonic()


def show(text):
    """Says what is being done: over what was said before on a terminal, and on a line of its own elsewhere."""
    minutes, seconds = divmod(int(time.monotonic() - BEGAN), 60)
    line = f"{minutes}:{seconds:02} {text}"
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
    else:
        print(line, file=sys.stderr, flush=True)


def clear():
    """Leaves an empty line to whatever is printed next."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
