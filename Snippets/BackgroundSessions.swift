// Transfers that go on without their program, and a hook that starts it again, as with a background session of URLSession.

import Lupine
import LupineTransferQueue

// snippet.hide
import Foundation
import LupineMock

let mock = MockTransport()
mock.stub(.get, "/1.jpg", .data(Data("a photo".utf8)))
let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
let waiting = TransferQueue.Configuration { $0.runsTransfers = false }

// snippet.show
/// Reads the events of the time in which the program did not run.
func readEvents(of group: String, at folder: String) async throws {
  let queue = try TransferQueue(at: folder, session: session, configuration: waiting)
  for event in try await queue.unacknowledgedEvents {
    switch event.kind {
    case .finished(let result): print(group, "has", result.path ?? "an upload")
    case .failed(let failure): print(group, "failed:", failure)
    case .cancelled, .needsCredential: break
    }
    try await queue.acknowledge(event)  // after that, no process gets it again
  }
  await queue.close()
}

// The hook has started the program: the name of the group is the last argument.
if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "events" {
  try await readEvents(of: CommandLine.arguments[3], at: CommandLine.arguments[2])
  exit(0)
}

// snippet.hide
let place = NSTemporaryDirectory() + "lupine-background-" + UUID().uuidString
try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
defer { try? FileManager.default.removeItem(atPath: place) }
let folder = place + "/queue"
let (url, destination) = ("https://example.com/1.jpg", place + "/1.jpg")
// snippet.show
let queue = try TransferQueue(at: folder, session: session, configuration: waiting)

var profile = TransferQueue.Profile()
profile.headers["User-Agent"] = "Photos/2"
profile.totalTimeout = 3_600
try await queue.setProfile(profile, named: "photos")
try await queue.setHook([program, "events", folder], forGroup: "album")

var photo = QueuedTransfer.download(url, to: .file(destination))
photo.profile = "photos"
photo.group = "album"
try await queue.add(photo)  // when it returns, the program may end
// snippet.hide
let runner = try TransferRunner(at: folder) { profile in
  try Session.Builder(profile, transports: ["mock": mock], defaultTransport: "mock").clock(ImmediateClock()).build()
}
let (starts, start) = AsyncStream.makeStream(of: Void.self)
async let running: Void = runner.run { start.finish() }
for await _ in starts {}
var exitCode: Int32?
for await _ in queue.updates {
  exitCode = try await queue.hooks.first?.exitCode
  if exitCode != nil { break }
}
guard exitCode == 0, try await queue.unacknowledgedEvents.isEmpty,
  FileManager.default.contents(atPath: destination) == Data("a photo".utf8)
else { fatalError("the program was not started again, or did not read the event") }
await queue.close()
runner.stop()
try await running
