"""What a program takes on the disk."""

import pathlib
import shutil
import subprocess
import tempfile


def stripped(row_list):
    """The size of each row's binary without symbols, in bytes; empty where there is no `strip`."""
    if shutil.which("strip") is None:
        return {}
    with tempfile.TemporaryDirectory(prefix="lupine-sizes-") as folder:
        return {row.name: size(row.path, pathlib.Path(folder) / row.name) for row in row_list}


def size(program, copy):
    subprocess.run(["strip", "-o", copy, program], check=True)
    return copy.stat().st_size
