// An upload that continues after a failure from what the server already has, also in another process.

import Lupine
import LupineResumableUpload

// snippet.hide
import Foundation
import LupineMock
import Synchronization

struct Receipt: Decodable, Sendable { let id: Int }

let folder = NSTemporaryDirectory() + "lupine-uploads-" + UUID().uuidString
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
defer { try? FileManager.default.removeItem(atPath: folder) }
let path = "\(folder)/video.mov"
try Data(repeating: 0x61, count: 10_000).write(to: URL(filePath: path))

/// The bytes that the server has.
let received = Mutex(0)
let mock = MockTransport()
mock.stub(.post, "/videos") { request in
  received.withLock { $0 = 4_000 }
  var place = HTTPResponse(status: .init(code: 104), headerFields: [.location: "/uploads/7"])
  place.headerFields["Upload-Draft-Interop-Version"] = "8"
  return MockReply.reset.informational([place])
}
mock.stub(.head, "/uploads/7") { _ in
  MockReply.empty.field("Upload-Offset", "\(received.withLock { $0 })").field("Upload-Complete", "?0")
}
mock.stub(.patch, "/uploads/7") { request in
  received.withLock { $0 += request.body.count }
  return .json(["id": 7]).field("Upload-Complete", "?1")
}
mock.stub(
  .options, "/files",
  MockReply.empty.field("Tus-Resumable", "1.0.0").field("Tus-Version", "1.0.0")
    .field("Tus-Extension", "creation,checksum").field("Tus-Checksum-Algorithm", "sha1,sha256"))
mock.stub(.post, "/files", .status(.created).field("Location", "/files/1"))
mock.stub(.patch, "/files/1", MockReply.empty.field("Upload-Offset", "10000"))
let session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://example.com").build()
// snippet.show
let receipt = try await session.upload(.file(path), to: "videos", method: .post)
  .resumable()
  .resumesAutomatically(limit: 3)
  .checkpoint("\(folder)/video.upload")  // and go on in a new process
  .uploadProgress { print($0.completed, $0.total as Any) }
  .serializingDecodable(Receipt.self).value
// snippet.hide
print(receipt.id, "after", mock.requests.map(\.method.rawValue))
guard receipt.id == 7, received.withLock({ $0 }) == 10_000 else { fatalError("\(mock.requests)") }
// snippet.show

// A server of tus 1.0.0, with a checksum of each append.
let stored = await session.upload(.file(path), to: "files", method: .post, headers: [.contentType("video/quicktime")])
  .resumable(.tus)
  .sendingDigest()
  .serializingData().response

// Deletes what the server has of an upload whose process has ended, and its checkpoint.
try await session.discardUpload(checkpoint: "\(folder)/video.upload")
// snippet.hide
guard stored.response?.status == .noContent else { fatalError("\(stored)") }
