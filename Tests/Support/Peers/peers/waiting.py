"""Functions for all peers: they find a free port, and wait until a peer answers."""

import http.client
import pathlib
import random
import socket
import ssl
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[4]
CERTIFICATES = CHECKOUT / "Fixtures" / "Certificates"
START_SECONDS = 60
# Linux assigns the ports 32768 to 60999 automatically (ip_local_port_range).
FIRST_PORT, PAST_LAST_PORT = 16384, 32768
reservations = []


class PeerError(Exception):
    """A peer that cannot be started."""


def listen():
    """A listening socket on a free port. The peer inherits it, so no other process can take the port before."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen(511)
    listener.set_inheritable(True)
    return listener, listener.getsockname()[1]


def listen_unix(path):
    """A listening Unix-domain socket."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen(511)
    listener.set_inheritable(True)
    return listener


def free_port():
    """A port that is free for TCP and for UDP, for a peer that opens its ports itself.

    The port is below those that Linux assigns automatically, and it is reserved for TCP until this process ends.
    """
    while True:
        port = random.randrange(FIRST_PORT, PAST_LAST_PORT)
        if is_free_for_datagrams(port) and reserve(port):
            return port


def reserve(port):
    """Reserves a TCP port until this process ends; returns whether it was free.

    The reservation is a socket that is bound to the port and does not listen. It keeps other runs of the peers from the
    port, and connections too, also on a system that assigns other ports automatically. SO_REUSEADDR, which all peers
    set, lets the peer listen beside it.
    """
    reservation = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        reservation.bind(("127.0.0.1", port))
    except OSError:
        reservation.close()
        return False
    # After bind, which would otherwise take a port that another run has reserved.
    reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reservations.append(reservation)
    return True


def is_free_for_datagrams(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as attempt:
        try:
            attempt.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def wait_for_port(name, process, log, port):
    """Returns when the peer accepts connections.

    If the peer ends, or accepts none in START_SECONDS, this raises an error with the peer's log.
    """
    deadline = time.monotonic() + START_SECONDS
    while True:
        if process.poll() is not None:
            raise PeerError(f"{name} ended with code {process.returncode} before it listened:\n{tail(log)}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=START_SECONDS).close()
            return
        except OSError as error:
            if time.monotonic() > deadline:
                raise PeerError(f"{name} did not listen in {START_SECONDS} s ({error}):\n{tail(log)}") from error
            time.sleep(0.02)


def tail(log):
    try:
        lines = log.read_text(errors="replace").splitlines()[-20:]
    except OSError:
        lines = []
    return "\n".join(f"    {line}" for line in lines) or "    (its log is empty)"


def wait_for(name, process, log, connection, path):
    """Returns when the peer answers a request for `path`.

    If the peer ends, or does not answer in START_SECONDS, this raises an error with the peer's log.
    """
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


def wait_for_both(name, process, log, port, tls_port):
    """Returns when a web server answers without TLS, and with TLS and a certificate of the tests' authority."""
    trust = ssl.create_default_context(cafile=CERTIFICATES / "root.pem")
    plain = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
    secured = http.client.HTTPSConnection("127.0.0.1", tls_port, timeout=START_SECONDS, context=trust)
    wait_for(name, process, log, plain, "/hello")
    wait_for(f"{name} over TLS", process, log, secured, "/hello")
