"""A server on loopback that answers each path as a script says, byte by byte."""

import contextlib
import socket
import socketserver
import threading
import time
import urllib.parse


class Server(socketserver.ThreadingTCPServer):
    """Answers with the function of `scripts` that belongs to the first part of the path."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 100

    def __init__(self, scripts, context=None):
        """`context` is that of the server's TLS, if it has any."""
        super().__init__(("127.0.0.1", 0), Handler)
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.scripts = scripts
        self.requests = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def handle_error(self, request, client_address):
        """Says nothing: a client may end a connection at any time."""


class Handler(socketserver.StreamRequestHandler):
    """One connection, with one request."""

    def handle(self):
        line = self.rfile.readline().decode("latin-1").split()
        if len(line) < 3:
            return
        self.method, self.target = line[0], line[1]
        self.fields = {}
        while (field := self.rfile.readline().strip()):
            name, _, value = field.decode("latin-1").partition(":")
            self.fields[name.lower()] = value.strip()
        self.server.requests.append(self)
        path, _, query = self.target.partition("?")
        self.query = dict(urllib.parse.parse_qsl(query))
        script = self.server.scripts.get(path.split("/")[1])
        with contextlib.suppress(OSError):
            if script is None:
                self.answer(b"nothing here\n", status="404 Not Found")
            else:
                script(self)
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)

    def send(self, data):
        self.wfile.write(data)
        self.wfile.flush()

    def head(self, *fields, status="200 OK"):
        """Sends a head with these fields, each a line in bytes or text, and with the end of the connection as its end."""
        lines = [f"HTTP/1.1 {status}".encode(), b"Connection: close"]
        lines += [field if isinstance(field, bytes) else field.encode() for field in fields]
        self.send(b"\r\n".join(lines) + b"\r\n\r\n")

    def answer(self, body, *fields, status="200 OK"):
        self.head(f"Content-Length: {len(body)}", *fields, status=status)
        if self.method != "HEAD":
            self.send(body)

    def endless(self, piece, pause=0.0):
        """Sends the piece until the client has had enough."""
        while True:
            self.send(piece)
            if pause:
                time.sleep(pause)
