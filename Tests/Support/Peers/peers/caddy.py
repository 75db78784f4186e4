"""caddy as a proxy before hypercorn, with HTTP/1.1 and HTTP/2 of Go."""

import os
import subprocess

from . import hypercorn
from .waiting import CERTIFICATES, PeerError, free_port, wait_for_both

SITE = """
{names} {{
  bind 127.0.0.1
  {tls}
  reverse_proxy unix/{socket} {{
    flush_interval -1
  }}
}}
"""
OPTIONS = """
{{
  admin off
  auto_https disable_redirects
  storage file_system "{folder}/storage"
  servers {{
    protocols h1 h2 h2c
  }}
}}
"""


def configuration(folder, port, tls_port):
    inner = hypercorn.socket(folder)
    plain = SITE.format(names=f"http://localhost:{port}, http://127.0.0.1:{port}", tls="", socket=inner)
    secured = SITE.format(
        names=f"https://localhost:{tls_port}",
        tls=f'tls "{CERTIFICATES}/localhost.pem" "{CERTIFICATES}/localhost.key.pem"', socket=inner)
    return OPTIONS.format(folder=folder) + plain + secured


def start(guard, folder):
    port, tls_port = free_port(), free_port()
    log = folder / "caddy.log"
    file = folder / "Caddyfile"
    file.write_text(configuration(folder, port, tls_port))
    try:
        with open(log, "wb") as output:
            process = guard.start(
                ["caddy", "run", "--config", file, "--adapter", "caddyfile"],
                env=dict(os.environ, HOME=str(folder), XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder)),
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder)
    except FileNotFoundError as error:
        raise PeerError("caddy is not installed: run Tests/Support/Peers/install") from error
    environment = {"LUPINE_CADDY": f"http://127.0.0.1:{port}", "LUPINE_CADDY_TLS": f"https://localhost:{tls_port}"}
    return environment, lambda: wait_for_both("caddy", process, log, port, tls_port)
