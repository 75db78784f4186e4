// Faults, latency and bandwidth on a mock.

import FoundationEssentials
import Lupine
import LupineMock

let mock = MockTransport()
mock.stub(.get, "/refused", .fault(.connectionRefused))
mock.stub(.get, "/cut", .text("half of it arrives").fault(.reset(afterBytes: 7)))
mock.stub(.get, "/recovers", .sequence([.fault(.resetBeforeHead), .status(.serviceUnavailable), .text("up")]))
mock.stub(.get, "/slow", .text("far away").latency(.normal(mean: .seconds(2), deviation: .milliseconds(500)), seed: 1))
mock.stub(.get, "/narrow", .data(Data(count: 1_000_000)).bandwidth(bytesPerSecond: 64_000))
mock.stub(.get, "/uneven", .data(Data(count: 1_000_000)).bandwidth(.exponential(mean: 64_000), seed: 1))
mock.stub([.get, .head], "/file", .resource(Data("0123456789".utf8), etag: "v1"))

let session = try Session.Builder().transport(mock).clock(ImmediateClock()).retrier(.backoff(limit: 3)).build()
let text = try await session.request("https://example.com/recovers").validate().serializingString().value
// snippet.hide
for path in ["refused", "cut", "slow", "narrow", "uneven", "file"] {
  let response = await session.request("https://example.com/\(path)").serializingData().response
  print(path, response.error?.kind as Any)
}
print(text)
