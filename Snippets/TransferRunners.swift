// Transfers that go on when the program is gone: a runner, and the program that it starts again.

import Lupine
import LupineTransferQueue

// snippet.hide
import Foundation
import LupineMock

let place = NSTemporaryDirectory() + "lupine-runner-" + UUID().uuidString
try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
defer { try? FileManager.default.removeItem(atPath: place) }
let folder = place + "/queue"

let mock = MockTransport()
mock.stub(.get, "/{name}", .data(Data("a photo".utf8)))
let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
let urls = (1...3).map { "https://example.com/\($0).jpg" }
// snippet.show
// The program stores what a runner needs, and may end then.
let waiting = TransferQueue.Configuration { $0.runsTransfers = false }
let queue = try TransferQueue(at: folder, session: session, configuration: waiting)

var profile = TransferQueue.Profile()
profile.headers["User-Agent"] = "Photos/2"
profile.retries = 3
// snippet.hide
profile.transport = "mock"
// snippet.show
try await queue.setProfile(profile, named: "photos")
try await queue.setHook(["/usr/bin/env", "true"], forGroup: "album")

try await queue.add(
  urls.enumerated().map { number, url in
    var photo = QueuedTransfer.download(url, to: .file("\(place)/\(number).jpg"))
    photo.profile = "photos"
    photo.group = "album"
    return photo
  })

// snippet.hide
let transports: [String: any Transport] = ["native": .native, "mock": mock]
// snippet.show
let runner = try TransferRunner(at: folder) { profile in
  try Session.Builder(profile, transports: transports, defaultTransport: "native").install(CredentialFiles.standard)
    .build()
}
// snippet.hide
async let running: Void = runner.run()
for await transfers in queue.updates where transfers.allSatisfy({ $0.state == .finished }) { break }
// snippet.show

/// The program that the hook starts: what `handleEventsForBackgroundURLSession` is for URLSession.
func hear(of group: String) async throws {
  let queue = try TransferQueue(at: folder, session: session, configuration: waiting)
  for event in try await queue.unacknowledgedEvents {
    print(group, event.transfer, event.kind)
    try await queue.acknowledge(event)
  }
  await queue.close()
}
// snippet.hide
try await hear(of: "album")
while let next = try await queue.hooks.first, next.isDue { await Task.yield() }
guard try await queue.unacknowledgedEvents.isEmpty else { fatalError() }
await queue.close()
runner.stop()
try await running
