import FoundationEssentials
import Glibc
import HTTPTypes
import LupineCore
import LupineCurl
import LupineReachability

extension Probe {
  /// Fetches a file piece by piece, with a `Range` for each, through a session that waits while it is offline.
  ///
  /// Arguments: the URL, the file's size, the size of a piece, where to write. What was received stays received: after
  /// an interruption the piece that failed is asked for again.
  @Sendable static func download(_ arguments: [String]) async throws {
    guard arguments.count == 4, let size = Int(arguments[1]), let piece = Int(arguments[2]) else {
      throw ProbeError("usage: download URL SIZE PIECE FILE")
    }
    let session = try Session.Builder()
      .transport(.curl)
      .timeouts(connect: .seconds(2), idle: .seconds(2))
      .clock(AnnouncingClock())
      .retrier(.offline(waitingUpTo: .seconds(60)))
      .monitor(.custom(report))
      .build()
    var received = Data()
    while received.count < size {
      let range = "bytes=\(received.count)-\(min(size, received.count + piece) - 1)"
      let part = try await session.request(arguments[0], headers: [.range: range])
        .validate(statusCode: [206]).serializingData().value
      received += part
      say("received \(received.count)")
    }
    try received.write(to: URL(fileURLWithPath: arguments[3]))
    say("done")
  }

  @Sendable private static func report(_ event: SessionEvent) {
    switch event.kind {
    case .head(let head): say("head \(head.status.code) attempt \(event.attempt)")
    case .failed(let error): say("failed \(error.kind)")
    case .retrying(let delay?, _): say("retrying after \(delay)")
    default: break
    }
  }
}
