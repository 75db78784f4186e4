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

  /// The addresses of the connections.
  package var addresses: [String] {
    events.withLock { $0 }.compactMap { if case .connected(let address, _) = $0 { address } else { nil } }
  }

  /// The names that were looked up.
  package var lookups: [String] {
    events.withLock { $0 }.compactMap { if case .nameResolved(let host, _) = $0 { host } else { nil } }
  }

  /// The status codes with which proxies have opened tunnels.
  package var tunnels: [Int] {
    events.withLock { $0 }.compactMap { if case .tunnelled(let head) = $0 { head.status.code } else { nil } }
  }

  /// The details of the TLS connections.
  package var secured: [TLSDetails] {
    events.withLock { $0 }.compactMap { if case .secured(let details) = $0 { details } else { nil } }
  }

  package var reused: [Bool] {
    events.withLock { $0 }.compactMap { if case .connected(_, let isReused) = $0 { isReused } else { nil } }
  }

  package var queuedCount: Int { events.withLock { $0 }.count { if case .queued = $0 { true } else { false } } }
}
