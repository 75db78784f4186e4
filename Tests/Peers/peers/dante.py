"""dante: a SOCKS 5 proxy."""

import os
import pathlib
import subprocess

from .waiting import PeerError, free_port, wait_for_port

DANTE = """
logoutput: stderr
internal: 127.0.0.1 port = {port}
external: lo
clientmethod: none
socksmethod: none
{user}
client pass {{ from: 127.0.0.0/8 to: 0.0.0.0/0 }}
socks pass {{ from: 127.0.0.0/8 to: 0.0.0.0/0 }}
"""

PROGRAM = pathlib.Path("/usr/sbin/danted")


def start(guard, folder):
    if not PROGRAM.exists():
        raise PeerError("dante-server is not installed: run Tests/Peers/install")
    port = free_port()
    log = folder / "dante.log"
    configuration = folder / "danted.conf"
    user = "user.privileged: root\nuser.unprivileged: nobody" if os.geteuid() == 0 else ""
    configuration.write_text(DANTE.format(port=port, user=user))
    with open(log, "wb") as output:
        process = guard.start(
            [PROGRAM, "-f", configuration, "-p", folder / "dante.pid", "-N", "1"], stdin=subprocess.DEVNULL, stdout=output,
            stderr=output, cwd=folder)
    return {"LUPINE_DANTE": f"127.0.0.1:{port}"}, lambda: wait_for_port("dante", process, log, port)
