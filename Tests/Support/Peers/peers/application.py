"""The ASGI application of hypercorn, which caddy and HAProxy also serve as proxies."""

from . import uploads

PIECE = 16 * 1024
# The byte at each offset of a body is the offset modulo 251, a prime, so that a test notices misplaced pieces.
PATTERN = bytes(index % 251 for index in range(251 * PIECE))


def content(start, count):
    first = start % 251
    return PATTERN[first:first + count]


async def respond(send, status, fields=()):
    await send({
        "type": "http.response.start", "status": status,
        "headers": [(name.encode(), str(value).encode()) for name, value in fields],
    })


async def collect(receive):
    """The request's body, or None if the client disconnects."""
    pieces, more = [], True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            return None
        pieces.append(event.get("body", b""))
        more = event.get("more_body", False)
    return b"".join(pieces)


async def answer(send, body):
    await respond(send, 200, [("content-length", len(body))])
    await send({"type": "http.response.body", "body": body})


async def mirror(receive, send):
    """Sends each piece of the request's body back when it arrives."""
    started, more = False, True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            return
        # Not before the first piece: a client that waits for 100 Continue sends no body after any other response.
        if not started:
            await respond(send, 200)
            started = True
        more = event.get("more_body", False)
        await send({"type": "http.response.body", "body": event.get("body", b""), "more_body": more})


async def pattern(send, count, has_length):
    await respond(send, 200, [("content-length", count)] if has_length else [])
    for start in range(0, count, PIECE):
        await send({
            "type": "http.response.body", "body": content(start, min(PIECE, count - start)), "more_body": True,
        })
    await send({"type": "http.response.body", "body": b""})


async def application(scope, receive, send):
    if scope["type"] != "http":
        raise NotImplementedError(scope["type"])
    words = scope["path"].strip("/").split("/")
    if words[0] in ("echo", "size"):
        body = await collect(receive)
        if body is not None:
            await answer(send, body if words[0] == "echo" else f"{len(body)}\n".encode())
    elif words[0] == "uploads":
        await uploads.draft(scope, receive, send)
    elif words[0] == "tus":
        await uploads.tus(scope, receive, send)
    elif words[0] == "mirror":
        await mirror(receive, send)
    elif words[0] in ("known", "unknown"):
        await pattern(send, int(words[1]), words[0] == "known")
    elif words[0] == "status":
        await respond(send, int(words[1]), [("etag", '"1"')])
        await send({"type": "http.response.body", "body": b""})
    else:
        await respond(send, 200, [("content-length", 6)])
        await send({"type": "http.response.body", "body": b"Hello\n"})
