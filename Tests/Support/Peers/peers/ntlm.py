"""A server and a proxy that require NTLM; pyspnego from PyPI verifies the credentials."""

import http.client
import os
import pathlib
import subprocess

from .waiting import CERTIFICATES, CHECKOUT, START_SECONDS, PeerError, listen, wait_for


def start(guard, folder):
    python = CHECKOUT / ".peers" / "venv" / "bin" / "python"
    if not python.exists():
        raise PeerError("pyspnego is not installed: run Tests/Support/Peers/install")
    (folder / "users").write_text("LUPINE:mufasa:Circle of Life\n")
    (server, port), (proxy, proxy_port), (secured, tls_port) = listen(), listen(), listen()
    log = folder / "ntlm.log"
    program = pathlib.Path(__file__).with_name("ntlm_server.py")
    descriptors = [server.fileno(), proxy.fileno(), secured.fileno()]
    with server, proxy, secured, open(log, "wb") as output:
        process = guard.start(
            [python, "-I", program, *map(str, descriptors), CERTIFICATES],
            env=dict(os.environ, NTLM_USER_FILE=str(folder / "users")), stdin=subprocess.DEVNULL, stdout=output,
            stderr=output, cwd=folder, pass_fds=descriptors)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
    environment = {
        "LUPINE_NTLM": f"http://127.0.0.1:{port}",
        "LUPINE_NTLM_PROXY": f"http://127.0.0.1:{proxy_port}",
        "LUPINE_NTLM_PROXY_TLS": f"https://localhost:{tls_port}",
    }
    return environment, lambda: wait_for("the NTLM server", process, log, connection, "/")
