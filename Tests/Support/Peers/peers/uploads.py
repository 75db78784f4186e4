"""Resumable uploads for the application of hypercorn: the draft of the IETF by this file, tus by resumable-upload."""

import tempfile

# The bytes, the cuts and the completeness of each upload, by its path.
UPLOADS = {}
TUS = []


class Cut(Exception):
    """Ends a request without a response, so that hypercorn ends its stream or its connection."""


async def start(send, status, fields=()):
    await send({
        "type": "http.response.start", "status": status,
        "headers": [(name.encode(), str(value).encode()) for name, value in fields],
    })


async def end(send, status, fields=(), body=b""):
    await start(send, status, [*fields, *([("content-length", len(body))] if status != 204 else [])])
    await send({"type": "http.response.body", "body": body})


async def read(upload, receive, limit):
    """Adds the request's content to the upload, at most `limit` bytes; returns whether that was all."""
    more = True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            return False
        piece = event.get("body", b"")
        if len(piece) > limit:
            upload["data"] += piece[:limit]
            return False
        upload["data"] += piece
        limit -= len(piece)
        more = event.get("more_body", False)
    return True


async def draft(scope, receive, send):
    """`POST /uploads` with `cuts: N,N` creates an upload whose appends end after N bytes each; careful creation only."""
    fields = {name.decode(): value.decode() for name, value in scope["headers"]}
    method, path = scope["method"], scope["path"]
    upload = UPLOADS.get(path)
    if method == "POST":
        path = f"/uploads/{len(UPLOADS)}"
        cuts = [int(cut) for cut in fields.get("cuts", "").split(",") if cut]
        UPLOADS[path] = {"data": bytearray(), "cuts": cuts, "complete": False}
        return await end(send, 201, [("location", path), ("upload-limit", "max-size=100000000")])
    if upload is None:
        return await end(send, 404)
    state = [("upload-offset", len(upload["data"])), ("upload-complete", "?1" if upload["complete"] else "?0")]
    if method == "HEAD":
        return await end(send, 204, [*state, ("cache-control", "no-store")])
    if method == "DELETE":
        del UPLOADS[path]
        return await end(send, 204)
    if int(fields["upload-offset"]) != len(upload["data"]) or upload["complete"]:
        return await end(send, 409, state)
    is_whole = await read(upload, receive, upload["cuts"].pop(0) if upload["cuts"] else 1 << 60)
    if not is_whole:
        raise Cut
    upload["complete"] = fields["upload-complete"] == "?1"
    body = bytes(upload["data"]) if upload["complete"] else b""
    await end(send, 200, [("upload-complete", fields["upload-complete"])], body)


async def tus(scope, receive, send):
    if not TUS:
        from resumable_upload import SQLiteStorage, TusServer
        from resumable_upload.asgi import TusASGIApp
        folder = tempfile.mkdtemp()
        storage = SQLiteStorage(db_path=f"{folder}/uploads.db", upload_dir=folder)
        TUS.append(TusASGIApp(TusServer(
            storage=storage, base_path="/tus", checksum_algorithms=("sha1", "sha256"), enable_downloads=True)))
    await TUS[0](scope, receive, send)
