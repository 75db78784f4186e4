"""The size of a program on the disk."""

import pathlib
import subprocess
import sys
import tempfile


def stripped(row_list):
    """The size of each row's binary without symbols, in bytes; empty, with a message, if `strip` does not run."""
    try:
        with tempfile.TemporaryDirectory(prefix="lupine-sizes-") as folder:
            return {row.name: size(row.path, pathlib.Path(folder) / row.name) for row in row_list}
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"the sizes of stripped binaries are missing: {error}", file=sys.stderr)
        return {}


def size(program, copy):
    subprocess.run(["strip", "-o", copy, program], check=True)
    return copy.stat().st_size
