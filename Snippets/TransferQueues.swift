// A queue of downloads and uploads that survives its program.

import Lupine
import LupineResumableUpload
import LupineTransferQueue

// snippet.hide
import Foundation
import LupineMock

let place = NSTemporaryDirectory() + "lupine-queue-" + UUID().uuidString
try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
defer { try? FileManager.default.removeItem(atPath: place) }
let folder = place + "/queue"
try Data("a video".utf8).write(to: URL(filePath: place + "/video.mov"))

let mock = MockTransport()
mock.stub(.get, "/big.iso", .data(Data("an image".utf8)))
mock.stub(.get, "/private.iso", .data(Data("another image".utf8)))
mock.stub(.get, "/signed.iso", .data(Data("a signed image".utf8)))
mock.stub(.post, "/videos", .text("thanks"))
mock.stub(.post, "/photos", .text("thanks"))
let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
let network = NetworkReachabilityManager()
// snippet.show
enum Purpose: Codable, Sendable { case installation, backup }

let queue = try TransferQueue(at: folder, session: session)
let image = QueuedTransfer.download("https://example.com/big.iso", to: .file("\(place)/big.iso"))
let id = try await queue.add(image, priority: .low, data: Purpose.installation)

for await event in queue.events {  // what finished meanwhile comes first
  switch event.kind {
  case .finished(let result): print(event.transfer, "is at", result.path ?? "the server")
  case .failed(let failure): print(event.transfer, "failed:", failure)
  case .cancelled: print(event.transfer, "was cancelled")
  case .needsCredential(let name): print(event.transfer, "waits for the credential", name ?? "of its server")
  }
  print("It was for", try event.value(of: Purpose.self))
  try await queue.acknowledge(event)
  // snippet.hide
  break
  // snippet.show
}
// snippet.hide
guard FileManager.default.contents(atPath: place + "/big.iso") == Data("an image".utf8) else { fatalError() }
await queue.close()
// snippet.show

let configured = TransferQueue.Configuration { configuration in
  configuration.limit = 6
  configuration.limitPerHost = 3
  configuration.bytesPerSecond = 2_000_000
  configuration.network = network
  // The upload of a file continues from what the server has, also in the next process.
  configuration.resumption = TransferQueue.UploadResumption { upload, name, store in
    upload.resumable().checkpoint(name, in: store).resumesAutomatically()
  } discard: { session, name, store in
    try await session.discardUpload(checkpoint: name, in: store)
  }
  // The URL without its signature is stored; each attempt asks for a signed one.
  configuration.refreshURL = { transfer in
    // snippet.hide
    if true { return transfer.url }
    // snippet.show
    return try await session.request("https://example.com/sign", parameters: ["url": transfer.url])
      .serializingString().value
  }
}
// snippet.hide
var settings = configured
settings.network = nil
settings.resumption = nil
settings.bytesPerSecond = nil
let second = try TransferQueue(at: folder, session: session, configuration: settings)
// snippet.show

let video = try await second.add(.upload(file: "\(place)/video.mov", to: "https://example.com/videos"))
let photos = try OutgoingRequest("https://example.com/photos", method: .post).encoding(multipart: form())
try await second.add(.upload(photos))

var secret = QueuedTransfer.download("https://example.com/private.iso", to: .file("\(place)/private.iso"))
secret.credential = "accounting"  // the session's provider gets this name
var signed = QueuedTransfer.download("https://example.com/signed.iso", to: .file("\(place)/signed.iso"))
signed.asksForURL = true
try await second.add([secret, signed])
// snippet.hide
var ends = 0
for await event in second.events {
  guard case .finished = event.kind else { fatalError("\(event)") }
  try await second.acknowledge(event)
  ends += 1
  if ends == 4 { break }
}
// snippet.show

for await progress in second.progress(of: video) { print(progress.completed, progress.total as Any) }
try await second.pause(video)
try await second.move(video, to: .front(of: .high))
try await second.resume(video)
for transfer in try await second.transfers { print(transfer.id, transfer.state, transfer.url) }
// snippet.hide
await second.close()

func form() -> MultipartFormData {
  var form = MultipartFormData()
  form.append(Data("a photo".utf8), name: "photo", fileName: "1.jpg")
  return form
}
