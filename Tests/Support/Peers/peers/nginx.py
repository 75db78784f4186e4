"""nginx, with HTTP/1.1, HTTP/2, ranges, gzip and slow answers, also as a proxy before hypercorn."""

import array
import os
import shutil
import subprocess
import sys

from . import hypercorn
from .waiting import CERTIFICATES, PeerError, listen, wait_for_both

NGINX = """
daemon off;
{user}
worker_processes 1;
worker_rlimit_nofile {descriptors};
error_log "{folder}/nginx.log";
pid "{folder}/nginx.pid";
events {{ worker_connections {connections}; }}
http {{
  access_log off;
  default_type text/plain;
  types {{ text/plain txt; application/octet-stream bin; }}
  client_max_body_size 0;
  client_body_temp_path "{folder}/temporary-body";
  proxy_temp_path "{folder}/temporary-proxy";
  fastcgi_temp_path "{folder}/temporary-fastcgi";
  uwsgi_temp_path "{folder}/temporary-uwsgi";
  scgi_temp_path "{folder}/temporary-scgi";
  keepalive_timeout 300;
  keepalive_requests 1000000;
  absolute_redirect off;

  server {{
    listen 127.0.0.1:{plain};
    listen 127.0.0.1:{tls} ssl http2;
    server_name localhost 127.0.0.1;
    ssl_certificate "{certificates}/localhost.pem";
    ssl_certificate_key "{certificates}/localhost.key.pem";
    ssl_protocols TLSv1.2 TLSv1.3;
    # libcurl takes no tickets before TLS 1.3.
    ssl_session_cache shared:sessions:1m;
    root "{folder}/files";

    location = /hello {{ return 200 "Hello from nginx\\n"; }}
    location = /json {{ default_type application/json; return 200 '{{"server":"nginx","numbers":[1,2,3]}}'; }}
    location = /empty {{ return 204; }}
    # Busy, for a second or for longer than anybody waits.
    location = /busy {{ add_header Retry-After 1 always; return 503; }}
    location = /closed {{ add_header Retry-After 86400 always; return 503; }}
    location = /redirect {{ return 302 /hello; }}
    # Which connection carried the request, and how many it has carried.
    location = /connection {{ return 200 "$connection $connection_requests\\n"; }}
    # "r" where the connection resumes a TLS session, "." where it has made a full handshake; each request has its own.
    location = /session {{ keepalive_timeout 0; return 200 "$ssl_session_reused\n"; }}
    location = /protocol {{ return 200 "$server_protocol $ssl_protocol\\n"; }}
    location /gzip/ {{ gzip on; gzip_min_length 0; gzip_types text/plain; gzip_proxied any; }}
    location /paced/ {{ alias "{folder}/files/"; limit_rate 16m; }}
    # The inner server sends 4 MiB and then next to nothing, so this one gives up: a body that is cut, wherever it began.
    location /cut/ {{
      proxy_pass "http://unix:{folder}/cut.sock:/"; proxy_set_header Host $host; proxy_http_version 1.1;
      proxy_buffering off; proxy_read_timeout 200ms;
    }}
    # A server that speaks as a proxy would, and says what it was told as one.
    location = /proxy-challenge {{
      add_header Proxy-Authenticate 'Digest realm="evil", nonce="evil", qop="auth"' always;
      return 407 "told=$http_proxy_authorization\n";
    }}
    # What the server read of a request.
    location = /fields {{
      return 200 "custom=$http_x_custom\\nevil=$http_x_evil\\nauthorization=$http_authorization\\ncookie=$http_cookie\\n";
    }}
    # For caches: the query has the fields, the path has the status, and each response has its own body.
    location ~ ^/cached/(?<cached_status>404|301|200)$ {{
      set $cached_tag "";
      set $cached_known "-";
      if ($arg_tag) {{ set $cached_tag '"$arg_tag"'; set $cached_known '"$arg_tag"'; }}
      add_header Cache-Control $arg_control always;
      add_header CDN-Cache-Control $arg_targeted always;
      add_header Vary $arg_vary always;
      add_header ETag $cached_tag always;
      add_header Age $arg_age always;
      add_header Set-Cookie $arg_cookie always;
      if ($http_if_none_match = $cached_known) {{ return 304; }}
      if ($cached_status = 404) {{ return 404 "$request_id\\n"; }}
      if ($cached_status = 301) {{ return 301 /hello; }}
      return 200 "$request_id $request_method\\n";
    }}
    # Two events, to whoever has not seen the second.
    location = /events {{
      types {{}} default_type text/event-stream;
      if ($http_last_event_id = "2") {{ return 204; }}
      try_files /events.txt =404;
    }}
    # Coded, and so of unknown length: libcurl reads no trailers of HTTP/2 behind a body whose length it knows.
    location = /trailers {{
      gzip on; gzip_min_length 0; gzip_types text/plain; add_trailer X-Trailer behind; try_files /gzip/text.txt =404;
    }}
    location = /slow {{ limit_rate 64k; try_files /big.bin =404; }}
    location /uploads/ {{ dav_methods PUT DELETE; create_full_put_path on; dav_access user:rw; }}
    # nginx reads the whole body before it asks the inner server, so a chunked body has a length there.
    location = /echo-size {{ proxy_pass "http://unix:{folder}/echo.sock"; proxy_set_header Host $host; }}
    {application}
{statuses}
  }}
  # A server that ends each connection after five requests, with GOAWAY over HTTP/2.
  server {{
    listen 127.0.0.1:{few} ssl http2;
    ssl_certificate "{certificates}/localhost.pem";
    ssl_certificate_key "{certificates}/localhost.key.pem";
    keepalive_requests 5;
    location = /connection {{ return 200 "$connection $connection_requests\n"; }}
  }}
  # Without TLS, this version of nginx speaks only one version of HTTP on a port.
  server {{
    listen 127.0.0.1:{http2} http2;
    {application}
  }}
  server {{
    listen "unix:{folder}/cut.sock";
    root "{folder}/files";
    location / {{ limit_rate_after 4m; limit_rate 1; }}
  }}
  server {{
    listen "unix:{folder}/echo.sock";
    lingering_close always;
    location / {{ return 200 "$content_length\\n"; }}
  }}
}}
"""

# The application of hypercorn; nginx passes each piece on when it arrives.
APPLICATION = """location /application/ {{
      proxy_pass "http://unix:{socket}:/"; proxy_http_version 1.1; proxy_set_header Host $host;
      proxy_set_header Connection ""; proxy_buffering off; proxy_request_buffering off;
    }}"""

STATUSES = [400, 401, 403, 404, 409, 410, 418, 422, 429, 500, 502, 503, 504]
BIG_SIZE = 16 * 1024 * 1024
ZEROS_SIZE = 96 * 1024 * 1024


def make_files(folder):
    files = folder / "files"
    (files / "gzip").mkdir(parents=True)
    (files / "uploads").mkdir()
    # Each 8 bytes are their own offset, most significant byte first, so that any range can be checked.
    offsets = array.array("Q", range(0, BIG_SIZE, 8))
    if sys.byteorder == "little":
        offsets.byteswap()
    with open(files / "big.bin", "wb") as big:
        offsets.tofile(big)
    # A sparse file of zeros.
    with open(files / "zeros.bin", "wb") as zeros:
        zeros.truncate(ZEROS_SIZE)
    (files / "events.txt").write_text(
        "retry: 1\nid: 1\ndata: one\n\n: nothing\n\nevent: add\nid: 2\ndata: two\ndata: lines\n\n")
    (files / "gzip" / "text.txt").write_text("".join(f"Line {number} of a text that shrinks.\n" for number in range(5000)))


def start(guard, folder):
    program = shutil.which("nginx", path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/usr/local/sbin")
    if program is None:
        raise PeerError("nginx is not installed: run Tests/Support/Peers/install")
    make_files(folder)
    (plain, plain_port), (tls, tls_port), (http2, http2_port), (few, few_port) = (listen() for _ in range(4))
    log = folder / "nginx.log"
    configuration = folder / "nginx.conf"
    configuration.write_text(NGINX.format(
        user="user root;" if os.geteuid() == 0 else "", folder=folder, certificates=CERTIFICATES,
        plain=plain_port, tls=tls_port, http2=http2_port, few=few_port,
        application=APPLICATION.format(socket=hypercorn.socket(folder)), descriptors=4096, connections=2048,
        statuses="\n".join(f'    location = /status/{s} {{ return {s} "{s}\\n"; }}' for s in STATUSES)))
    # nginx takes over the sockets whose numbers this variable lists, as in an upgrade of its own program.
    inherited = dict(os.environ, NGINX=f"{plain.fileno()};{tls.fileno()};{http2.fileno()};{few.fileno()};")
    with plain, tls, http2, few, open(log, "ab") as output:
        process = guard.start(
            [program, "-p", folder, "-e", log, "-c", configuration],
            env=inherited, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder,
            pass_fds=[plain.fileno(), tls.fileno(), http2.fileno(), few.fileno()],
        )
    environment = {
        "LUPINE_NGINX": f"http://127.0.0.1:{plain_port}",
        "LUPINE_NGINX_HTTP2": f"http://127.0.0.1:{http2_port}",
        "LUPINE_NGINX_TLS": f"https://localhost:{tls_port}",
        "LUPINE_NGINX_FEW": f"https://localhost:{few_port}",
        "LUPINE_CA": str(CERTIFICATES / "root.pem"),
    }
    return environment, lambda: wait_for_both("nginx", process, log, plain_port, tls_port)
