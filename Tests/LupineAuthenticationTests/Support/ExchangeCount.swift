import LupineCore
import Synchronization

/// Counts the exchanges of a session.
final class ExchangeCount: EventMonitor {
  private let exchanges = Mutex(0)

  var count: Int { exchanges.withLock { $0 } }

  func receive(_ event: SessionEvent) {
    guard case .sending = event.kind else { return }
    exchanges.withLock { $0 += 1 }
  }
}
