"""apache2, which requires credentials by Basic, Digest and Negotiate, sends Early Hints over HTTP/2, and is a proxy before
hypercorn."""

import hashlib
import os
import pathlib
import shutil
import subprocess

from . import hypercorn, kerberos
from .waiting import CERTIFICATES, PeerError, free_port, wait_for_both

MODULES = pathlib.Path("/usr/lib/apache2/modules")
LOADED = [
    "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "auth_digest", "alias", "env",
    "headers", "allowmethods", "auth_gssapi", "ssl", "http2", "proxy",
    "proxy_http",
]
USER, PASSWORD, REALM = "mufasa", "Circle of Life", "lupine"

APACHE = """
ServerName localhost
ServerRoot "{folder}"
DefaultRuntimeDir "{folder}"
PidFile "{folder}/apache.pid"
Listen 127.0.0.1:{port}
{modules}
{user}
ErrorLog "{folder}/apache.log"
StartServers 1
# Without a free thread, apache2 would end idle connections, which tests count on.
ServerLimit 1
ThreadLimit 128
ThreadsPerChild 128
MaxRequestWorkers 128
H2MinWorkers 1
H2MaxWorkers 64
KeepAlive On
MaxKeepAliveRequests 0
# HTTP/2 by prior knowledge, which the responses do not offer.
Protocols h2c http/1.1
H2Upgrade off
# The application of hypercorn, at every port; each piece is passed on when it arrives.
<Location "/application/">
  ProxyPass "unix:{socket}|http://localhost/" flushpackets=on
</Location>
DocumentRoot "{folder}/files"
<Directory "{folder}/files">
  Require all granted
</Directory>
# The name that was proved, and what the server got, for whoever asks.
Header always set X-User "expr=%{{REMOTE_USER}}"
Header always set X-Authorization "expr=%{{HTTP:Authorization}}"
<Location "/basic">
  AuthType Basic
  AuthName "{realm}"
  AuthUserFile "{folder}/basic"
  Require valid-user
</Location>
<Location "/digest">
  AuthType Digest
  AuthName "{realm}"
  AuthDigestProvider file
  AuthUserFile "{folder}/digest"
  AuthDigestNonceLifetime 3600
  Require valid-user
</Location>
# A lifetime this short makes the server name the next nonce with every answer.
<Location "/next-nonce">
  AuthType Digest
  AuthName "{realm}, next"
  AuthDigestProvider file
  AuthUserFile "{folder}/digest"
  AuthDigestNonceLifetime 30
  Require valid-user
</Location>
<Location "/negotiate">
  AuthType GSSAPI
  AuthName "{realm}"
  GssapiAllowedMech krb5
  GssapiCredStore "keytab:{keytab}"
  Require valid-user
</Location>
Listen 127.0.0.1:{tls}
<VirtualHost 127.0.0.1:{tls}>
  DocumentRoot "{folder}/files"
  SSLEngine on
  SSLCertificateFile "{certificates}/localhost.pem"
  SSLCertificateKeyFile "{certificates}/localhost.key.pem"
  Protocols h2 http/1.1
  # A 103 that names the resource comes before the file.
  H2EarlyHints on
  <Location "/hello">
    H2PushResource /style.css
  </Location>
</VirtualHost>
"""


def find():
    program = shutil.which("apache2", path=os.environ.get("PATH", os.defpath) + ":/usr/sbin")
    if program is None or not MODULES.exists():
        raise PeerError("apache2 is not installed: run Tests/Support/Peers/install")
    return program


def make_files(folder):
    for name in ("basic", "digest", "next-nonce", "negotiate"):
        (folder / "files" / name).mkdir(parents=True)
        (folder / "files" / name / "hello").write_text("Hello from apache\n")
    (folder / "files" / "hello").write_text("Hello from apache\n")
    hashed = subprocess.run(
        ["openssl", "passwd", "-apr1", PASSWORD], check=True, capture_output=True, text=True).stdout.strip()
    (folder / "basic").write_text(f"{USER}:{hashed}\n")
    secrets = [
        f"{USER}:{realm}:{hashlib.md5(f'{USER}:{realm}:{PASSWORD}'.encode()).hexdigest()}\n"
        for realm in (REALM, f"{REALM}, next")
    ]
    (folder / "digest").write_text("".join(secrets))
    # If root starts apache2, it serves as another user, who must be able to read these files.
    for path in [folder, folder / "basic", folder / "digest", folder / "files", *(folder / "files").rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    folder.parent.chmod(0o711)


def configuration(folder, port, tls, keytab):
    modules = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in LOADED)
    user = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
    return APACHE.format(
        folder=folder, port=port, tls=tls, modules=modules, user=user, realm=REALM, keytab=keytab,
        socket=hypercorn.socket(folder), certificates=CERTIFICATES)


def start(guard, folder):
    program = find()
    keytab, environment = kerberos.service(folder)
    make_files(folder)
    port, tls = free_port(), free_port()
    file = folder / "apache.conf"
    file.write_text(configuration(folder, port, tls, keytab))
    log = folder / "apache.log"
    with open(log, "ab") as output:
        process = guard.start(
            [program, "-D", "FOREGROUND", "-f", file],
            env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder)
    environment = {"LUPINE_APACHE": f"http://localhost:{port}", "LUPINE_APACHE_TLS": f"https://localhost:{tls}"}
    return environment, lambda: wait_for_both("apache2", process, log, port, tls)
