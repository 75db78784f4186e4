// Multipart: parts of every kind, and the progress of the upload.

import FoundationEssentials
import Lupine
// snippet.hide
import LupineMock

let mock = MockTransport()
mock.stub(.post, "https://httpbin.org/post", where: [.multipart(name: "title", "rainbow")], .text("received"))
let session = try Session.Builder().transport(mock).build()
let thumbnail = Data([0x89, 0x50, 0x4E, 0x47])
// snippet.show

var form = MultipartFormData()
form.mediaTypes = .system.adding(["lup": "image/x-lupine"])
form.append("rainbow", name: "title")
form.append(json: ["horns": 1], name: "facts")
form.append(thumbnail, name: "thumbnail", fileName: "thumbnail.png", contentType: "image/png")
form.append(.file("/etc/hostname", length: 1), name: "beginning", fileName: "a.lup")
form.append(.stream { AsyncStream<[UInt8]> { $0.finish() } }, name: "log", fileName: "log.txt")
let answer = try await session.upload(multipart: form, to: "https://httpbin.org/post")
  .uploadProgress { print($0) }
  .serializingString().value

var message = Multipart(.related)
message.append(.text("{}"), headers: [.contentType: "application/json"])
message.append(.file("/etc/hostname"), headers: [.contentType: "image/png"])
let body = try await message.encode()  // or .writeEncodedData(to:); sending needs neither
// snippet.hide
print(answer, body.count)
