"""Four instances of squid.

The first has ports without authentication and a port that requires Basic. The second requires Digest or Basic. The
third requires Negotiate. The fourth stores responses in memory, as a shared cache; the others store nothing.
"""

import os
import pathlib
import shutil
import subprocess

from . import kerberos
from .waiting import CERTIFICATES, PeerError, free_port, wait_for_port

USER, PASSWORD = "ali", "open sesame"
CERTIFICATE, KEY = "localhost.pem", "localhost.key.pem"

SQUID = """
{schemes}
{ports}
acl known proxy_auth REQUIRED
acl nowhere dstdomain forbidden.invalid
http_access deny nowhere
{access}
http_access allow all
{caching}
access_log none
cache_log /dev/null
cache_store_log none
pid_filename none
netdb_filename none
pinger_enable off
coredump_dir {folder}
visible_hostname localhost
shutdown_lifetime 0 seconds
hosts_file /etc/hosts
forwarded_for delete
"""

BASIC = """
auth_param basic program {helpers}/basic_ncsa_auth {folder}/users
auth_param basic realm Lupine
"""
DIGEST = """
auth_param digest program {helpers}/digest_file_auth {folder}/digest
auth_param digest realm Lupine
auth_param digest children 2 startup=1 idle=1
"""
NEGOTIATE = """
auth_param negotiate program {helpers}/negotiate_kerberos_auth -s GSS_C_NO_NAME -k {keytab} -t none
auth_param negotiate children 2 startup=1 idle=1
"""

NO_CACHE = "cache deny all\ncache_mem 0"
# In memory alone: no folder is configured.
CACHE = "cache_mem 16 MB\nmaximum_object_size_in_memory 1 MB"

PROGRAM = pathlib.Path("/usr/sbin/squid")
HELPERS = pathlib.Path("/usr/lib/squid")


def make_files(folder):
    password = subprocess.run(
        ["openssl", "passwd", "-apr1", PASSWORD], check=True, capture_output=True, text=True).stdout.strip()
    (folder / "users").write_text(f"{USER}:{password}\n")
    (folder / "digest").write_text(f"{USER}:{PASSWORD}\n")
    # squid's configuration cannot quote an option, and the path of the checkout may have a blank: the files are copied.
    for name in (CERTIFICATE, KEY):
        shutil.copyfile(CERTIFICATES / name, folder / name)
    if os.geteuid() == 0:
        # squid does not run as root, and its own user must be able to read the lists of users.
        for path in (folder.parent.parent, folder.parent, folder):
            path.chmod(0o711)
        for name in ("users", "digest", CERTIFICATE, KEY):
            (folder / name).chmod(0o644)


def run(guard, home, name, schemes, ports, access="", caching=NO_CACHE):
    """Starts a squid; returns a function that waits for its ports. `ports` pairs each port with its line."""
    folder = home / name
    folder.mkdir()
    make_files(folder)
    keytab, environment = kerberos.service(home)
    lines = "\n".join(line.format(port=port, folder=folder, certificate=CERTIFICATE, key=KEY) for port, line in ports)
    (folder / "squid.conf").write_text(SQUID.format(
        schemes="".join(schemes).format(helpers=HELPERS, folder=folder, keytab=keytab), ports=lines, access=access,
        caching=caching, folder=folder))
    with open(folder / "output.log", "wb") as output:
        process = guard.start(
            [PROGRAM, "-N", "-d", "1", "-f", folder / "squid.conf"], env=environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=output, cwd=folder)
    return lambda: [wait_for_port("squid", process, folder / "output.log", port) for port, _ in ports]


def start(guard, folder):
    if not PROGRAM.exists() or not (HELPERS / "basic_ncsa_auth").exists():
        raise PeerError("squid is not installed: run Tests/Support/Peers/install")
    plain, users, tls, digest, digest_tls, negotiate, negotiate_tls, cache = (free_port() for _ in range(8))
    http = "http_port 127.0.0.1:{port}"
    https = "https_port 127.0.0.1:{port} tls-cert={folder}/{certificate} tls-key={folder}/{key}"
    known, open_ports = "http_access deny !known", [(plain, http), (users, http), (tls, https)]
    waits = [
        run(guard, folder, "basic", [BASIC], open_ports, f"acl for_users localport {users}\nhttp_access deny for_users !known"),
        run(guard, folder, "digest", [DIGEST, BASIC], [(digest, http), (digest_tls, https)], known),
        run(guard, folder, "negotiate", [NEGOTIATE], [(negotiate, http), (negotiate_tls, https)], known),
        run(guard, folder, "cache", [BASIC], [(cache, http)], caching=CACHE),
    ]
    environment = {
        "LUPINE_SQUID": f"http://127.0.0.1:{plain}",
        "LUPINE_SQUID_USERS": f"http://127.0.0.1:{users}",
        "LUPINE_SQUID_TLS": f"https://localhost:{tls}",
        "LUPINE_SQUID_CACHE": f"http://127.0.0.1:{cache}",
        "LUPINE_SQUID_DIGEST": f"http://127.0.0.1:{digest}",
        "LUPINE_SQUID_DIGEST_TLS": f"https://localhost:{digest_tls}",
        "LUPINE_SQUID_NEGOTIATE": f"http://localhost:{negotiate}",
        "LUPINE_SQUID_NEGOTIATE_TLS": f"https://localhost:{negotiate_tls}",
    }
    return environment, lambda: [wait() for wait in waits]
