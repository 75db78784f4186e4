"""The cost of a program as callgrind counts it, which does not depend on the load of the machine."""

import re
import subprocess

# A first-level cache of 32 KiB for instructions and for data, as most processors have.
CACHES = ("--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64")


def counts(command, options=(), profile="/dev/null", environment=None):
    """The totals in callgrind's order: instructions; with `CACHES` also data read and written, then the misses of the first
    level for instructions, for data read and for data written.
    """
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", *options, *command], check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    return [int(total) for total in re.search(r"Collected : ([\d ]+)", done.stderr)[1].split()]
