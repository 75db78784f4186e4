"""httpbin from PyPI, under gunicorn."""

import http.client
import subprocess

from .waiting import CHECKOUT, START_SECONDS, PeerError, listen, listen_unix, wait_for


def start(guard, folder):
    python = CHECKOUT / ".peers" / "venv" / "bin" / "python"
    if not python.exists():
        raise PeerError("httpbin is not installed: run Tests/Support/Peers/install")
    listener, port = listen()
    log = folder / "httpbin.log"
    unix = listen_unix(folder / "httpbin.sock")
    with listener, unix, open(log, "wb") as output:
        process = guard.start(
            [
                # Isolated: a PYTHONPATH or a user's packages must not change the peer.
                python, "-I", "-m", "gunicorn", "--bind", f"fd://{listener.fileno()}",
                "--bind", f"fd://{unix.fileno()}",
                "--workers", "2", "--worker-class", "gthread", "--threads", "16", "--keep-alive", "60",
                "--graceful-timeout", "2", "--timeout", "120", "--worker-tmp-dir", str(folder),
                "--no-control-socket", "httpbin:app",
            ],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder, pass_fds=[listener.fileno(), unix.fileno()],
        )
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
    environment = {
        "LUPINE_HTTPBIN": f"http://127.0.0.1:{port}",
        "LUPINE_HTTPBIN_SOCKET": str(folder / "httpbin.sock"),
        "LUPINE_PYTHON": str(python),
    }
    return environment, lambda: wait_for("httpbin", process, log, connection, "/status/200")
