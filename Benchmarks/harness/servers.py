"""The servers: nginx, and a small program for requests that nginx cannot serve. Both run on a core without clients."""

import contextlib
import http.client
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "Tests" / "Support" / "Peers"))

from peers.waiting import CERTIFICATES, START_SECONDS, PeerError, listen, wait_for  # noqa: E402

GIB = 1 << 30
SMALL = "0123456789abcdef" * 4
DESCRIPTORS = 8192
ARTICLE = {"id": 42, "title": "A field of bluebonnets", "tags": ["blue", "wild", "texas"], "price": 12.5, "isAvailable": True}

NGINX = """
daemon off;
{user}
worker_processes 1;
error_log "{folder}/nginx.log";
pid "{folder}/nginx.pid";
events {{ worker_connections 2048; }}
http {{
  access_log off;
  default_type text/plain;
  sendfile on;
  sendfile_max_chunk 2m;
  tcp_nodelay on;
  keepalive_timeout 300;
  keepalive_requests 100000000;
  client_body_temp_path "{folder}/temporary-body";
  proxy_temp_path "{folder}/temporary-proxy";
  fastcgi_temp_path "{folder}/temporary-fastcgi";
  uwsgi_temp_path "{folder}/temporary-uwsgi";
  scgi_temp_path "{folder}/temporary-scgi";
  ssl_certificate "{certificates}/localhost.pem";
  ssl_certificate_key "{certificates}/localhost.key.pem";
  ssl_protocols TLSv1.3;

  server {{
    listen 127.0.0.1:{plain};
    listen 127.0.0.1:{tls} ssl http2;
    root "{folder}/files";
    location = /small {{ return 200 "{small}"; }}
    # A head as real servers send it: two of its eleven lines differ each time.
    location = /differing {{
      add_header Cache-Control "private, max-age=0";
      add_header Vary "Accept-Encoding, Origin";
      add_header X-Content-Type-Options nosniff;
      add_header X-Request-Id $request_id;
      add_header X-Served-At "$msec, request $connection_requests of $connection";
      return 200 "{small}";
    }}
    location = /storable {{ add_header Cache-Control max-age=3600; return 200 "{small}"; }}
    location = /large {{ add_header Cache-Control max-age=3600; }}
    location = /article {{ default_type application/json; return 200 '{article}'; }}
  }}
  # Each request is on a new connection, and no handshake is shortened.
  server {{
    listen 127.0.0.1:{fresh} ssl;
    keepalive_timeout 0;
    ssl_session_tickets off;
    ssl_session_cache off;
    location = /small {{ return 200 "{small}"; }}
  }}
}}
"""


CORES = sorted(os.sched_getaffinity(0))


@contextlib.contextmanager
def core(number):
    """Programs that start within this context run only on this core; a machine with one core has no choice.

    The programs inherit the core, because work between fork and exec would count as work of the program.
    """
    os.sched_setaffinity(0, {CORES[number % len(CORES)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, CORES)


def server_core():
    return core(0)


def client_core():
    """The core that the servers do not use, if there are two cores."""
    return core(1)


@contextlib.contextmanager
def other_cores():
    """All cores that the servers do not use; a machine with one core has no choice."""
    os.sched_setaffinity(0, set(CORES[1:]) or CORES)
    try:
        yield
    finally:
        os.sched_setaffinity(0, CORES)


def allow_descriptors():
    """Raises the limit of descriptors, usually 1,024, so that servers and rows can have a thousand connections each."""
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if least != resource.RLIM_INFINITY and least < DESCRIPTORS:
        wanted = DESCRIPTORS if most == resource.RLIM_INFINITY else min(DESCRIPTORS, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def start(guard, folder):
    """Starts both servers and returns the URL of each place that a workload can name."""
    allow_descriptors()
    places = start_nginx(guard, folder / "nginx")
    places.update(start_sink(guard))
    # For work without a server.
    places["nowhere"] = "nothing"
    return places


def start_nginx(guard, folder):
    program = shutil.which("nginx", path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/usr/local/sbin")
    if program is None:
        raise PeerError("nginx is not installed: run Tests/Support/Peers/install")
    (folder / "files").mkdir(parents=True)
    with open(folder / "files" / "large", "wb") as large:
        large.truncate(GIB)
    sockets = {name: listen() for name in ("plain", "tls", "fresh")}
    ports = {name: port for name, (_, port) in sockets.items()}
    configuration = folder / "nginx.conf"
    configuration.write_text(NGINX.format(
        user="user root;" if os.geteuid() == 0 else "", folder=folder, certificates=CERTIFICATES, small=SMALL,
        article=json.dumps(ARTICLE), **ports))
    descriptors = [listener.fileno() for listener, _ in sockets.values()]
    inherited = dict(os.environ, NGINX="".join(f"{descriptor};" for descriptor in descriptors))
    log = folder / "nginx.log"
    with open(log, "ab") as output, server_core():
        process = guard.start(
            [program, "-p", folder, "-e", log, "-c", configuration], env=inherited, stdin=subprocess.DEVNULL,
            stdout=output, stderr=output, pass_fds=descriptors)
    for listener, _ in sockets.values():
        listener.close()
    wait_for(
        "nginx", process, log, http.client.HTTPConnection("127.0.0.1", ports["plain"], timeout=START_SECONDS), "/small")
    plain = f"http://127.0.0.1:{ports['plain']}"
    return {
        "small": f"{plain}/small", "differing": f"{plain}/differing", "storable": f"{plain}/storable",
        # Each number is an origin of its own; names below localhost are addresses of this machine.
        "origins": f"http://#.localhost:{ports['plain']}/small",
        "json": f"{plain}/article", "large": f"{plain}/large",
        "tls": f"https://localhost:{ports['tls']}/small", "fresh": f"https://localhost:{ports['fresh']}/small"}


def start_sink(guard):
    listener, port = listen()
    with listener, server_core():
        guard.start(
            [sys.executable, pathlib.Path(__file__).with_name("sink.py"), str(listener.fileno())],
            stdin=subprocess.DEVNULL, pass_fds=[listener.fileno()])
    return {name: f"http://127.0.0.1:{port}/{name}" for name in ("slow", "hold", "sink")}


def authorities(folder):
    """Writes the file that a client loads: the system's root certificates and the root certificate of these servers."""
    bundle = folder / "authorities.pem"
    system = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
    bundle.write_bytes(system.read_bytes() + (CERTIFICATES / "root.pem").read_bytes())
    return bundle


def make_files(folder):
    """Makes the files that are sent, and the file that is decoded without a server.

    Reads the files that are sent once, so that they are in the page cache before the first round.
    """
    for name, size in (("large", GIB), ("tenth", GIB // 10)):
        with open(folder / name, "w+b", buffering=0) as file:
            file.truncate(size)
            while file.read(1 << 20):
                pass
    (folder / "article").write_text(json.dumps(ARTICLE))
