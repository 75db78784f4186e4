"""An HTTP server that asks for NTLM and lets pyspnego judge the answer. Its socket is inherited; see `ntlm.py`."""

import base64
import http.server
import socket
import sys

import spnego


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    user = None
    context = None

    def answer(self, status, text, fields=()):
        body = text.encode()
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        # Which connection this is, so that a test can tell who shares one.
        self.send_header("X-Connection", str(self.client_address[1]))
        self.end_headers()
        self.wfile.write(body)

    def respond(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme.upper() == "NTLM":
            # NTLM proves the connection, not the request: what it says holds until the connection ends.
            self.user = None
            return self.negotiate(base64.b64decode(token), body)
        if self.user is not None:
            return self.answer(200, f"{self.user} {len(body)}\n")
        self.answer(401, "who is there?\n", [("WWW-Authenticate", "NTLM")])

    def negotiate(self, token, body):
        if self.context is None:
            self.context = spnego.server(protocol="ntlm")
        try:
            reply = self.context.step(token)
        except spnego.exceptions.SpnegoError:
            self.context = None
            return self.answer(401, "wrong password\n", [("WWW-Authenticate", "NTLM")])
        if self.context.complete:
            self.user, self.context = self.context.client_principal, None
            return self.answer(200, f"{self.user} {len(body)}\n")
        text = base64.b64encode(reply).decode()
        self.answer(401, "go on\n", [("WWW-Authenticate", f"NTLM {text}")])

    do_GET = do_POST = do_PUT = respond

    def log_message(self, text, *arguments):
        print(text % arguments, file=sys.stderr)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, descriptor):
        super().__init__(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = socket.socket(fileno=descriptor)


Server(int(sys.argv[1])).serve_forever()
