import Lupine
import Synchronization

/// The statuses of the heads that a session has received, and the first of them as an event to wait for.
final class HeadLog: EventMonitor {
  private let statuses = Mutex<[Int]>([])
  private let heads: AsyncStream<Int>
  private let arrival: AsyncStream<Int>.Continuation

  init() {
    (heads, arrival) = AsyncStream.makeStream()
  }

  /// Every status so far, redirects and challenges included.
  var all: [Int] { statuses.withLock { $0 } }

  /// Waits for the next head; one task may do so.
  func next() async -> Int? {
    for await status in heads { return status }
    return nil
  }

  func receive(_ event: SessionEvent) {
    guard case .head(let head) = event.kind else { return }
    statuses.withLock { $0.append(head.status.code) }
    arrival.yield(head.status.code)
  }
}
