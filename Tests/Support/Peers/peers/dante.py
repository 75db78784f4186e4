"""dante: a SOCKS 5 proxy without authentication, and one that requires a user name and a password."""

import os
import pathlib
import pwd
import subprocess

from .waiting import PeerError, free_port, wait_for_port

DANTE = """
logoutput: stderr
internal: 127.0.0.1 port = {port}
external: lo
clientmethod: none
socksmethod: {method}
{user}
client pass {{ from: 127.0.0.0/8 to: 0.0.0.0/0 }}
socks pass {{ from: 127.0.0.0/8 to: 0.0.0.0/0 }}
"""

PROGRAM = pathlib.Path("/usr/sbin/danted")
# dante reads its users from the system's database. With this library it reads them from files of the tests instead.
USERS_LIBRARY = "libnss_wrapper.so"


def start(guard, folder):
    if not PROGRAM.exists():
        raise PeerError("dante-server is not installed: run Tests/Support/Peers/install")
    if not any(pathlib.Path("/usr/lib").glob(f"*/{USERS_LIBRARY}")):
        raise PeerError("libnss-wrapper is not installed: run Tests/Support/Peers/install")
    everyone, wait_for_everyone = start_one(guard, folder, "none", {})
    users, wait_for_users = start_one(guard, folder, "username", users_of_our_own(folder))
    environment = {"LUPINE_DANTE": f"127.0.0.1:{everyone}", "LUPINE_DANTE_USERS": f"127.0.0.1:{users}"}
    return environment, lambda: [wait() for wait in (wait_for_everyone, wait_for_users)]


def start_one(guard, folder, method, environment):
    port = free_port()
    log = folder / f"{method}.log"
    configuration = folder / f"{method}.conf"
    user = "user.privileged: root\nuser.unprivileged: nobody" if os.geteuid() == 0 else ""
    configuration.write_text(DANTE.format(port=port, method=method, user=user))
    with open(log, "wb") as output:
        process = guard.start(
            [PROGRAM, "-f", configuration, "-p", folder / f"{method}.pid", "-N", "1"], stdin=subprocess.DEVNULL,
            stdout=output, stderr=output, cwd=folder, env=dict(os.environ, **environment))
    return port, lambda: wait_for_port("dante", process, log, port)


def users_of_our_own(folder):
    """Writes the files of users; returns the environment in which a program reads them instead of the system's."""
    password = subprocess.run(
        ["openssl", "passwd", "-6", "open sesame"], check=True, capture_output=True, text=True).stdout.strip()
    known = {entry.pw_uid: entry for entry in (pwd.getpwuid(os.geteuid()), pwd.getpwnam("nobody"))}
    lines = [f"{entry.pw_name}:x:{entry.pw_uid}:{entry.pw_gid}::/nonexistent:/bin/false" for entry in known.values()]
    files = {
        "passwd": lines + ["ali:x:54321:54321::/nonexistent:/bin/false"],
        "shadow": [f"ali:{password}:19000:0:99999:7:::"],
        "group": [f"group{number}:x:{number}:" for number in sorted({entry.pw_gid for entry in known.values()} | {54321})],
    }
    if os.geteuid() == 0:
        # dante reads them as the user nobody, too.
        for path in (folder.parent, folder):
            path.chmod(0o711)
    for name, content in files.items():
        (folder / name).write_text("\n".join(content) + "\n")
        (folder / name).chmod(0o644)
    return {"LD_PRELOAD": USERS_LIBRARY} | {f"NSS_WRAPPER_{name.upper()}": str(folder / name) for name in files}
