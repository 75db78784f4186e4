"""squid: a proxy that forwards and opens tunnels, over HTTP and HTTPS, one port for everyone and one for users."""

import os
import pathlib
import subprocess

from .waiting import CERTIFICATES, PeerError, free_port, wait_for_port

SQUID = """
auth_param basic program {helper} {folder}/users
auth_param basic realm Lupine
http_port 127.0.0.1:{plain}
http_port 127.0.0.1:{users}
https_port 127.0.0.1:{tls} tls-cert={certificates}/localhost.pem tls-key={certificates}/localhost.key.pem
acl for_users localport {users}
acl known proxy_auth REQUIRED
acl nowhere dstdomain forbidden.invalid
http_access deny nowhere
http_access deny for_users !known
http_access allow all
cache deny all
cache_mem 0
access_log none
cache_log {folder}/squid.log
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

PROGRAM = pathlib.Path("/usr/sbin/squid")
HELPER = pathlib.Path("/usr/lib/squid/basic_ncsa_auth")


def start(guard, folder):
    if not PROGRAM.exists() or not HELPER.exists():
        raise PeerError("squid is not installed: run Tests/Peers/install")
    plain, users, tls = free_port(), free_port(), free_port()
    log = folder / "squid.log"
    log.touch()
    password = subprocess.run(
        ["openssl", "passwd", "-apr1", "open sesame"], check=True, capture_output=True, text=True).stdout.strip()
    (folder / "users").write_text(f"ali:{password}\n")
    if os.geteuid() == 0:
        # squid refuses to work as root, and its own user must reach its log and the list of users.
        for path in (folder.parent, folder):
            path.chmod(0o711)
        (folder / "users").chmod(0o644)
        log.chmod(0o666)
    configuration = folder / "squid.conf"
    configuration.write_text(SQUID.format(
        plain=plain, users=users, tls=tls, certificates=CERTIFICATES, helper=HELPER, folder=folder))
    with open(folder / "output.log", "wb") as output:
        process = guard.start(
            [PROGRAM, "-N", "-f", configuration], stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder)
    environment = {
        "LUPINE_SQUID": f"http://127.0.0.1:{plain}",
        "LUPINE_SQUID_USERS": f"http://127.0.0.1:{users}",
        "LUPINE_SQUID_TLS": f"https://localhost:{tls}",
    }
    return environment, lambda: [wait_for_port("squid", process, folder / "output.log", port) for port in (plain, users, tls)]
