"""A server that asks for NTLM; what it is told is judged by pyspnego from PyPI."""

import http.client
import os
import pathlib
import subprocess

from .waiting import CHECKOUT, START_SECONDS, PeerError, listen, wait_for


def start(guard, folder):
    python = CHECKOUT / ".peers" / "venv" / "bin" / "python"
    if not python.exists():
        raise PeerError("pyspnego is not installed: run Tests/Peers/install")
    (folder / "users").write_text("LUPINE:mufasa:Circle of Life\n")
    listener, port = listen()
    log = folder / "ntlm.log"
    program = pathlib.Path(__file__).with_name("ntlm_server.py")
    with listener, open(log, "wb") as output:
        process = guard.start(
            [python, "-I", program, str(listener.fileno())], env=dict(os.environ, NTLM_USER_FILE=str(folder / "users")),
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder, pass_fds=[listener.fileno()])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
    return {"LUPINE_NTLM": f"http://127.0.0.1:{port}"}, lambda: wait_for("the NTLM server", process, log, connection, "/")
