// Large files: transfers that are resumed, verified, limited and compressed.

import Lupine
// snippet.hide
import Foundation
import LupineMock

let mock = MockTransport()
let whole = MockReply.resource(Data("lupine".utf8), etag: "v1")
let cut = whole.reset(afterBytes: 3)
mock.stub(.get, "https://api.example.com/big.bin", .sequence([cut, whole, cut, whole]))
mock.stub(.post, "https://api.example.com/rows") { request in .text("\(request.body.count) bytes") }
mock.stub(.post, "https://api.example.com/videos", .text("thank you"))
mock.stub(
  .get, "https://api.example.com/page",
  MockReply.text("text").informational([HTTPResponse(status: .init(code: 103))]))
let session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://api.example.com").build()
let folder = NSTemporaryDirectory() + "lupine-transfers-" + UUID().uuidString
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
defer { try? FileManager.default.removeItem(atPath: folder) }
let digest = "5d2db3c9159d1114164145ddbccb3f54e77c9d8cf9663cb901c3895756d9f2cd"
let readings = AsyncStream<[UInt8]> { continuation in
  continuation.yield(Array("21.5 °C".utf8))
  continuation.finish()
}
@Sendable func signedURL() async throws -> String { "https://api.example.com/big.bin" }
// snippet.show

// The response of an interrupted download has data with which the download resumes; a program can store them.
let download = session.download("big.bin", to: .file("\(folder)/big.bin"))
let response = await download.serializingFile().response
if let data = response.resumeData {
  let file = try await session.download(resumingWith: data, otherwise: .restart).serializingFile().value
  print(file.lastPathComponent)
}

// A download that resumes automatically, also in another process, with fresh URLs and a check of its content.
let tough = session.download("big.bin", to: .folder(folder, .removePreviousFile))
  .resumesAutomatically(limit: 5)
  .checkpoint("\(folder)/big.resume", as: "big.bin")
  .refreshingURL { _ in try await signedURL() }
  .expecting(.sha256(digest))
  .sizeLimit(10_000_000_000)
// snippet.hide
print(try await tough.serializingFile().value.lastPathComponent)
print(mock.requests.last?.headers[.range] ?? "no range")
try Data(repeating: 0x61, count: 10_000).write(to: URL(filePath: "\(folder)/video.mov"))
// snippet.show

// An upload with a gzip body, which waits for 100 (Continue) from the server.
let receipt = try await session.upload(.file("\(folder)/video.mov"), to: "videos", expectsContinue: true)
  .adapter(.compression(.gzip))
  .uploadProgress(interval: .milliseconds(500)) { print($0) }
  .serializingString().value
// snippet.hide
print(receipt)
// snippet.show

// Compresses a body of 4 KiB or more, unless it is an image.
let csvUpload = session.upload(Data(count: 10_000), to: "videos", headers: [.contentType: "text/csv"])
  .adapter(.compression(minimumSize: 4_096, where: { $0.headers[.contentType]?.hasPrefix("image/") != true }))
// snippet.hide
print(try await csvUpload.serializingString().value, mock.requests.last?.headers[.contentEncoding] ?? "not compressed")
// snippet.show

// Bodies that are generated during the upload: one can be sent again, the other exists only once.
let rows = RequestBody.stream {
  AsyncStream<[UInt8]> { continuation in
    for number in 1...3 { continuation.yield(Array("row \(number)\n".utf8)) }
    continuation.finish()
  }
}
let stored = try await session.upload(rows, to: "rows").serializingString().value
let measured = try await session.upload(.oneShot(readings), to: "rows").serializingString().value
// snippet.hide
print(stored, measured)
// snippet.show

// A response whose head is checked before its body is received.
let page = await session.request("page")
  .onInterimResponse { hints in print("early hints:", hints.headerFields.count) }
  .onHTTPResponse { head in head.headerFields[.contentType] == "text/html" ? .allow : .cancel }
  .serializingString().response
// snippet.hide
print(page.error?.message ?? "")
