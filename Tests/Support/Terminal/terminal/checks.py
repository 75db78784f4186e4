"""Runs checks of command lines in parallel, and reports those that fail."""

import concurrent.futures
import os
import re
import sys

from . import program

ESCAPE = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]")
COLOUR = re.compile(rb"\x1b\[[0-9;]*m")


class Topic:
    """A list of checks; each is one run of the program."""

    def __init__(self, file):
        self.name = os.path.basename(file)
        self.checks = []

    def line(self, *arguments, code=0, out=None, err=None, silent=(), exact=None, run=program.lupine, most=None, **options):
        """Adds a command line, with its exit code and with what its outputs must contain.

        `out` and `err` are texts or lists of them, `exact` is the whole standard output, `silent` are texts that neither
        output may have, and `most` is the longest time in seconds.
        """
        def check():
            result = run(*arguments, **options)
            faults = []
            if result.code != code:
                faults.append(f"exit code {result.code}, not {code}")
            for output, expected in ((result.out, out), (result.err, err)):
                for text in [expected] if isinstance(expected, (str, bytes)) else expected or []:
                    if as_bytes(text) not in output:
                        faults.append(f"does not say: {text!r}")
            faults += [f"says: {text!r}" for text in silent if as_bytes(text) in result.out + result.err]
            if exact is not None and result.out != as_bytes(exact):
                faults.append(f"the output is not {as_bytes(exact)!r}")
            if most is not None and result.seconds > most:
                faults.append(f"took {result.seconds:.1f} s")
            return [f"{fault}\n{result}" for fault in faults[:1]]

        self.checks.append((" ".join(map(str, arguments)), check))

    def check(self, name, function):
        """Adds a function that returns its faults; a line of text, or nothing."""
        def check():
            fault = function()
            return [fault] if fault else []

        self.checks.append((name, check))

    def run(self, workers=4):
        """Runs all checks, and ends the process with 1 if one fails."""
        failures = 0
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for name, faults in zip([name for name, _ in self.checks], pool.map(attempt, self.checks)):
                for fault in faults:
                    failures += 1
                    print(f"lupine {name}: {fault}", file=sys.stderr)
        print(f"{self.name}: {len(self.checks)} runs")
        sys.exit(1 if failures else 0)


def attempt(check):
    try:
        return check[1]()
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def harmful(output):
    """The first control character that a terminal must not receive; colours of the program are allowed."""
    return ESCAPE.search(COLOUR.sub(b"", output))
