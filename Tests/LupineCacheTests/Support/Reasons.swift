import LupineCore
import Synchronization

/// Records the decisions of a cache.
final class Reasons: EventMonitor {
  private let state = Mutex<[String]>([])
  private let receiver: @Sendable (String) -> Void

  init(_ receiver: @escaping @Sendable (String) -> Void = { _ in }) { self.receiver = receiver }

  var all: [String] { state.withLock { $0 } }

  func receive(_ event: SessionEvent) {
    guard case .decided(policy: "cache", let reason) = event.kind else { return }
    state.withLock { $0.append(reason) }
    receiver(reason)
  }
}
