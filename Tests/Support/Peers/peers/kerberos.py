"""A Kerberos realm for the tests: a KDC, the keytab of a service, and the tickets of a user."""

import os
import shutil
import socket
import subprocess
import time

from .waiting import START_SECONDS, PeerError, free_port, tail

REALM, USER = "LUPINE.TEST", "mufasa"
PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"

KRB5 = """
[libdefaults]
  default_realm = {realm}
  dns_lookup_realm = false
  dns_lookup_kdc = false
  rdns = false
  dns_canonicalize_hostname = false
  udp_preference_limit = 1
[realms]
  {realm} = {{
    kdc = 127.0.0.1:{port}
  }}
[domain_realm]
  localhost = {realm}
[logging]
  kdc = FILE:{folder}/kdc.log
  default = FILE:{folder}/kdc.log
"""

KDC = """
[kdcdefaults]
  kdc_listen = 127.0.0.1:{port}
  kdc_tcp_listen = 127.0.0.1:{port}
[realms]
  {realm} = {{
    database_name = {folder}/principal
    key_stash_file = {folder}/stash
    acl_file = {folder}/acl
  }}
"""


def run(environment, *arguments, **options):
    program = shutil.which(arguments[0], path=PATH)
    if program is None:
        raise PeerError(f"{arguments[0]} is not installed: run Tests/Support/Peers/install")
    result = subprocess.run(
        [program, *arguments[1:]], env=environment, stdin=subprocess.DEVNULL if "input" not in options else None,
        capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise PeerError(f"{arguments[0]} failed: {result.stderr.strip() or result.stdout.strip()}")


def make_realm(folder, port):
    """Makes the realm's files and returns the environment in which Kerberos finds them."""
    (folder / "krb5.conf").write_text(KRB5.format(realm=REALM, port=port, folder=folder))
    (folder / "kdc.conf").write_text(KDC.format(realm=REALM, port=port, folder=folder))
    environment = dict(
        os.environ, KRB5_CONFIG=str(folder / "krb5.conf"), KRB5_KDC_PROFILE=str(folder / "kdc.conf"),
        KRB5CCNAME=f"FILE:{folder}/tickets", KRB5RCACHETYPE="none", KRB5RCACHENAME="none:")
    run(environment, "kdb5_util", "create", "-s", "-r", REALM, "-P", "not secret")
    for query in [
        f"addprinc -randkey HTTP/localhost@{REALM}", f"ktadd -k {folder}/service.keytab HTTP/localhost@{REALM}",
        f"addprinc -randkey {USER}@{REALM}", f"ktadd -k {folder}/user.keytab {USER}@{REALM}",
    ]:
        run(environment, "kadmin.local", "-r", REALM, "-q", query)
    # If the tests run as root, the web server serves as another user, who must be able to read these files.
    folder.chmod(0o755)
    for name in ("service.keytab", "krb5.conf"):
        (folder / name).chmod(0o644)
    return environment


def start(guard, folder):
    """Starts the KDC and gets the user's tickets; the returned environment names the realm and the tickets."""
    port = free_port()
    environment = make_realm(folder, port)
    log = folder / "kdc.log"
    with open(folder / "kdc.out", "wb") as output:
        process = guard.start(
            [shutil.which("krb5kdc", path=PATH), "-n", "-r", REALM], env=environment, stdin=subprocess.DEVNULL,
            stdout=output, stderr=output, cwd=folder)
    deadline = time.monotonic() + START_SECONDS
    while True:
        if process.poll() is not None:
            raise PeerError(f"krb5kdc ended with code {process.returncode}:\n{tail(log)}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            break
        except OSError as error:
            if time.monotonic() > deadline:
                raise PeerError(f"krb5kdc did not answer in {START_SECONDS} s:\n{tail(log)}") from error
            time.sleep(0.02)
    run(environment, "kinit", "-k", "-t", str(folder / "user.keytab"), f"{USER}@{REALM}")
    return {name: environment[name] for name in ("KRB5_CONFIG", "KRB5CCNAME")}, lambda: None


def service(folder):
    """The keytab of HTTP/localhost, and the environment for a server that uses it; `folder` is that server's own."""
    home = folder.parent / "kerberos"
    return home / "service.keytab", dict(os.environ, KRB5_CONFIG=str(home / "krb5.conf"), KRB5RCACHENAME="none:")
