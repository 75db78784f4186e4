"""HAProxy as a proxy before hypercorn, with its own HTTP/1.1 and HTTP/2."""

import subprocess

from . import hypercorn
from .waiting import CERTIFICATES, PeerError, listen, wait_for_both

HAPROXY = """
global
  maxconn 4000
  ssl-server-verify none
defaults
  mode http
  timeout connect 5s
  timeout client 300s
  timeout server 300s
  timeout http-keep-alive 300s
frontend tests
  bind fd@{plain}
  bind fd@{tls} ssl crt {folder}/localhost.pem alpn h2,http/1.1
  default_backend hypercorn
backend hypercorn
  server hypercorn unix@{socket}
"""


def start(guard, folder):
    (plain, port), (tls, tls_port) = listen(), listen()
    log = folder / "haproxy.log"
    # HAProxy wants the certificate and its key in one file.
    pair = [(CERTIFICATES / name).read_text() for name in ("localhost.pem", "localhost.key.pem")]
    (folder / "localhost.pem").write_text("".join(pair))
    configuration = folder / "haproxy.cfg"
    configuration.write_text(HAPROXY.format(
        folder=folder, plain=plain.fileno(), tls=tls.fileno(), socket=hypercorn.socket(folder)))
    try:
        with plain, tls, open(log, "wb") as output:
            process = guard.start(
                ["/usr/sbin/haproxy", "-db", "-f", configuration],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder,
                pass_fds=[plain.fileno(), tls.fileno()])
    except FileNotFoundError as error:
        raise PeerError("haproxy is not installed: run Tests/Support/Peers/install") from error
    environment = {
        "LUPINE_HAPROXY": f"http://127.0.0.1:{port}", "LUPINE_HAPROXY_TLS": f"https://localhost:{tls_port}",
    }
    return environment, lambda: wait_for_both("haproxy", process, log, port, tls_port)
