#!/usr/bin/env python3
"""A server that discards bodies; it delays the response by 200 µs for `/slow` and by 1 s for `/hold`.

    sink.py DESCRIPTOR    accepts on the listening socket of that number
"""

import socket
import sys
import threading
import time

DELAYS = {b"/slow": 0.0002, b"/hold": 1.0}
BODY = b"0123456789abcdef" * 4
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 64\r\nContent-Type: text/plain\r\n\r\n" + BODY


def length(head):
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def drop(connection, count):
    """Receives `count` bytes, which the kernel drops without a copy."""
    space = bytearray(1 << 20)
    while count > 0:
        received = connection.recv_into(space, min(count, len(space)), socket.MSG_TRUNC)
        if received == 0:
            raise ConnectionError("the client has gone")
        count -= received


def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    pending = b""
    with connection:
        while True:
            while b"\r\n\r\n" not in pending:
                received = connection.recv(16 << 10)
                if not received:
                    return
                pending += received
            head, _, rest = pending.partition(b"\r\n\r\n")
            expected = length(head)
            drop(connection, expected - len(rest))
            pending = rest[expected:]
            delay = DELAYS.get(head.split(b" ", 2)[1])
            if delay:
                time.sleep(delay)
            connection.sendall(ANSWER)


def quietly(connection):
    try:
        serve(connection)
    except ConnectionError:
        pass


def main():
    listener = socket.socket(fileno=int(sys.argv[1]))
    listener.listen(2048)
    # Each of the many connections has a thread, so the stacks are small.
    threading.stack_size(256 << 10)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=quietly, args=(connection,), daemon=True).start()


main()
