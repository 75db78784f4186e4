// Multipart: a form with a file, read part by part while it is sent.

import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub(
  .post, "https://httpbin.org/post", where: [.multipart(name: "title", "rainbow"), .multipart(name: "unicorn")],
  .text("received"))
let session = try Session.Builder().transport(mock).build()
let path = "/etc/hostname"
// snippet.show

let posted = try await session.upload(
  multipart: { form in
    form.append(.file(path), name: "unicorn")
    form.append("rainbow", name: "title")
  }, to: "https://httpbin.org/post"
).serializingString().value
// snippet.hide
print(posted)
