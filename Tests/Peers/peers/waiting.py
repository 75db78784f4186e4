"""What every peer needs: a port of its own, and a way to wait until it answers."""

import http.client
import pathlib
import socket
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
CERTIFICATES = CHECKOUT / "Fixtures" / "Certificates"
START_SECONDS = 60


class PeerError(Exception):
    """A peer that cannot be started."""


def listen():
    """A listening socket on a free port. The peer inherits it, so nobody else can take the port in between."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen(511)
    listener.set_inheritable(True)
    return listener, listener.getsockname()[1]


def tail(log):
    try:
        lines = log.read_text(errors="replace").splitlines()[-20:]
    except OSError:
        lines = []
    return "\n".join(f"    {line}" for line in lines) or "    (its log is empty)"


def wait_for(name, process, log, connection, path):
    """Returns when the peer answers; a peer that ends, or is silent for too long, is an error with its log."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        if process.poll() is not None:
            raise PeerError(f"{name} ended with code {process.returncode} before it answered:\n{tail(log)}")
        try:
            connection.request("GET", path)
            if connection.getresponse().read() is not None:
                return
        except (OSError, http.client.HTTPException) as error:
            if time.monotonic() > deadline:
                raise PeerError(f"{name} did not answer in {START_SECONDS} s ({error}):\n{tail(log)}") from error
            time.sleep(0.02)
        finally:
            connection.close()
