"""A server and a proxy that require NTLM; pyspnego verifies the credentials. `ntlm.py` passes their sockets to them."""

import base64
import http.client
import http.server
import select
import socket
import ssl
import sys
import threading
import urllib.parse

import spnego


class Handler(http.server.BaseHTTPRequestHandler):
    """The server; `serve` sends the response to an authenticated client."""

    protocol_version = "HTTP/1.1"
    status, asking, telling = 401, "WWW-Authenticate", "Authorization"
    user = None
    context = None
    # The number of AUTHENTICATE messages on the connection, so that a test can detect a repeated attempt.
    proofs = 0

    def answer(self, status, body, fields=()):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        # Identifies the connection, so that a test can detect requests that share one.
        self.send_header("X-Connection", str(self.client_address[1]))
        self.send_header("X-Proofs", str(self.proofs))
        self.end_headers()
        self.wfile.write(body)

    def ask(self, text, token=""):
        self.answer(self.status, text, [(self.asking, f"NTLM {token}".strip())])

    def respond(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        scheme, _, token = self.headers.get(self.telling, "").partition(" ")
        if scheme.upper() == "NTLM":
            # NTLM authenticates the connection, not the request; a new handshake replaces the user.
            self.user = None
            return self.negotiate(base64.b64decode(token), body)
        if self.user is not None:
            return self.serve(body)
        self.ask(b"who is there?\n")

    def negotiate(self, token, body):
        if self.context is None:
            self.context = spnego.server(protocol="ntlm")
        else:
            self.proofs += 1
        try:
            reply = self.context.step(token)
        except spnego.exceptions.SpnegoError:
            self.context = None
            return self.ask(b"wrong password\n")
        if self.context.complete:
            self.user, self.context = self.context.client_principal, None
            return self.serve(body)
        self.ask(b"go on\n", base64.b64encode(reply).decode())

    def serve(self, body):
        self.answer(200, f"{self.user} {len(body)}\n".encode())

    do_GET = do_POST = do_PUT = do_CONNECT = respond

    def log_message(self, text, *arguments):
        print(text % arguments, file=sys.stderr)


class Proxy(Handler):
    """The proxy, which forwards requests and opens tunnels."""

    status, asking, telling = 407, "Proxy-Authenticate", "Proxy-Authorization"

    def serve(self, body):
        if self.command == "CONNECT":
            return self.tunnel()
        url = urllib.parse.urlsplit(self.path)
        connection = http.client.HTTPConnection(url.hostname, url.port or 80, timeout=60)
        own = {"proxy-authorization", "proxy-connection", "connection", "content-length", "transfer-encoding"}
        fields = {name: value for name, value in self.headers.items() if name.lower() not in own}
        connection.request(self.command, url._replace(scheme="", netloc="").geturl(), body or None, fields)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        self.answer(response.status, content, [("X-User", self.user)])

    def tunnel(self):
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host.strip("[]"), int(port)), timeout=60) as server:
            self.send_response_only(200, "Connection established")
            self.end_headers()
            self.close_connection = True
            self.pass_on(server)

    def pass_on(self, server):
        pairs = {self.connection: server, server: self.connection}
        while True:
            for source in select.select(list(pairs), [], [])[0]:
                data = source.recv(1 << 16)
                if not data:
                    return
                pairs[source].sendall(data)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, descriptor, handler, tls=None):
        super().__init__(("127.0.0.1", 0), handler, bind_and_activate=False)
        self.socket.close()
        self.socket = socket.socket(fileno=int(descriptor))
        if tls is not None:
            # The handshake happens at the first read, in the thread of the connection.
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)


server, proxy, secured, certificates = sys.argv[1:]
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(f"{certificates}/localhost.pem", f"{certificates}/localhost.key.pem")
for each in (Server(proxy, Proxy), Server(secured, Proxy, tls)):
    threading.Thread(target=each.serve_forever, daemon=True).start()
Server(server, Handler).serve_forever()
