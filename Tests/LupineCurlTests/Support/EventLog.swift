import HTTPTypes
import LupineCore
import Synchronization

/// Keeps the events that a transport emits.
final class EventLog: Sendable {
  private let events = Mutex<[SessionEvent.Kind]>([])
  private let onAppend: @Sendable (SessionEvent.Kind) -> Void

  init(onAppend: @escaping @Sendable (SessionEvent.Kind) -> Void = { _ in }) { self.onAppend = onAppend }

  func append(_ event: SessionEvent.Kind) {
    events.withLock { $0.append(event) }
    onAppend(event)
  }

  var informational: [HTTPResponse] {
    events.withLock { $0 }.compactMap { if case .informational(let head) = $0 { head } else { nil } }
  }

  var reused: [Bool] {
    events.withLock { $0 }.compactMap { if case .connected(_, let isReused) = $0 { isReused } else { nil } }
  }

  var queuedCount: Int { events.withLock { $0 }.count { if case .queued = $0 { true } else { false } } }
}
