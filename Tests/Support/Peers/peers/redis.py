"""redis: a server without authentication, and with a user who needs a password."""

import subprocess

from .waiting import PeerError, free_port, wait_for_port

# The default user needs no password. Nothing is written to the disk.
REDIS = """
bind 127.0.0.1
port {port}
unixsocket {folder}/redis.sock
unixsocketperm 777
dir {folder}
save ""
appendonly no
user ali on ">open sesame" ~* &* +@all
"""


def start(guard, folder):
    port = free_port()
    log = folder / "redis.log"
    configuration = folder / "redis.conf"
    configuration.write_text(REDIS.format(port=port, folder=folder))
    try:
        with open(log, "wb") as output:
            process = guard.start(
                ["redis-server", configuration], stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder)
    except FileNotFoundError as error:
        raise PeerError("redis-server is not installed: run Tests/Support/Peers/install") from error
    environment = {"LUPINE_REDIS": f"127.0.0.1:{port}", "LUPINE_REDIS_SOCKET": str(folder / "redis.sock")}
    return environment, lambda: wait_for_port("redis", process, log, port)
