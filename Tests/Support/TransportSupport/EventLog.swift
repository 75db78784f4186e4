package import HTTPTypes
package import LupineCore
import Synchronization

/// Keeps the events that a transport emits.
package final class EventLog: Sendable {
  private let events = Mutex<[SessionEvent.Kind]>([])
  private let onAppend: @Sendable (SessionEvent.Kind) -> Void

  package init(onAppend: @escaping @Sendable (SessionEvent.Kind) -> Void = { _ in }) { self.onAppend = onAppend }

  package func append(_ event: SessionEvent.Kind) {
    events.withLock { $0.append(event) }
    onAppend(event)
  }

  package var informational: [HTTPResponse] {
    events.withLock { $0 }.compactMap { if case .informational(let head) = $0 { head } else { nil } }
  }

  package var reused: [Bool] {
    events.withLock { $0 }.compactMap { if case .connected(_, let isReused) = $0 { isReused } else { nil } }
  }

  package var queuedCount: Int { events.withLock { $0 }.count { if case .queued = $0 { true } else { false } } }
}
