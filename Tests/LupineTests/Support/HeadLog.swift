import Lupine
import Synchronization

/// Records the status of each response head that a session receives, and lets a test wait for the next head.
final class HeadLog: EventMonitor {
  private let statuses = Mutex<[Int]>([])
  private let heads: AsyncStream<Int>
  private let arrival: AsyncStream<Int>.Continuation

  init() {
    (heads, arrival) = AsyncStream.makeStream()
  }

  /// The statuses so far, with those of redirects and challenges.
  var all: [Int] { statuses.withLock { $0 } }

  /// Waits for the next head; only one task may call this function.
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
