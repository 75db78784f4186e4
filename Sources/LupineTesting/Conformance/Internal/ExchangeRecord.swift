import HTTPTypes
import LupineCore
import Synchronization

/// The events that a transport emitted during an exchange.
final class ExchangeRecord: Sendable {
  private let state = Mutex<(events: [SessionEvent.Kind], heads: [HTTPResponse])>(([], []))

  func append(_ event: SessionEvent.Kind) { state.withLock { $0.events.append(event) } }

  func sinkWasAsked(_ head: HTTPResponse) { state.withLock { $0.heads.append(head) } }

  /// The heads for which the transport requested a sink.
  var heads: [HTTPResponse] { state.withLock { $0.heads } }

  var informational: [HTTPResponse] {
    state.withLock { $0.events }.compactMap { if case .informational(let head) = $0 { head } else { nil } }
  }

  var reused: [Bool] {
    state.withLock { $0.events }.compactMap { if case .connected(_, let isReused) = $0 { isReused } else { nil } }
  }
}
