"""hypercorn from PyPI: HTTP/1.1 and HTTP/2 by the Python packages h11 and h2, with and without TLS."""

import subprocess

from .waiting import CERTIFICATES, CHECKOUT, PeerError, listen, listen_unix, wait_for_both


def socket(folder):
    """The path of the Unix-domain socket for proxies; `folder` is the folder of any peer."""
    return folder.parent / "hypercorn" / "hypercorn.sock"


def start(guard, folder):
    python = CHECKOUT / ".peers" / "venv" / "bin" / "python"
    if not python.exists():
        raise PeerError("hypercorn is not installed: run Tests/Support/Peers/install")
    (plain, port), (tls, tls_port), unix = listen(), listen(), listen_unix(socket(folder))
    # HAProxy drops its privileges before it connects.
    socket(folder).chmod(0o666)
    log = folder / "hypercorn.log"
    with plain, tls, unix, open(log, "wb") as output:
        process = guard.start(
            [
                python, "-I", "-B", "-c",
                # -I ignores the environment, so the folder of the application is added here.
                f"import sys; sys.path.insert(0, {str(CHECKOUT / 'Tests/Support/Peers')!r}); "
                "from hypercorn.__main__ import main; sys.exit(main())",
                "--bind", f"fd://{tls.fileno()}", "--insecure-bind", f"fd://{plain.fileno()}",
                "--insecure-bind", f"fd://{unix.fileno()}",
                "--certfile", CERTIFICATES / "localhost.pem", "--keyfile", CERTIFICATES / "localhost.key.pem",
                "--workers", "0", "--keep-alive", "300", "--graceful-timeout", "1", "peers.application:application",
            ],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder,
            pass_fds=[plain.fileno(), tls.fileno(), unix.fileno()],
        )
    environment = {
        "LUPINE_HYPERCORN": f"http://127.0.0.1:{port}",
        "LUPINE_HYPERCORN_TLS": f"https://localhost:{tls_port}",
    }
    return environment, lambda: wait_for_both("hypercorn", process, log, port, tls_port)
