import Synchronization

/// Keeps an `ExchangeLog` of each request of a session.
///
/// ```swift
/// let exchanges = ExchangeLogMonitor()
/// let session = try Session.Builder().transport(.curl).monitor(exchanges).build()
/// …
/// print(exchanges)
/// ```
///
/// One monitor serves one session: requests of two sessions have the same numbers.
public final class ExchangeLogMonitor: EventMonitor {
  private struct State {
    var logs: [RequestID: ExchangeLog] = [:]
    var oldest: [RequestID] = []
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Makes a monitor without logs.
  ///
  /// - Parameter limit: how many logs are kept; the oldest go first. Default: 1,000.
  public init(limit: Int = 1_000) { self.limit = max(1, limit) }

  /// The logs, in the order of the requests' numbers.
  public var logs: [ExchangeLog] { state.withLock { $0.logs.values.sorted { $0.id < $1.id } } }

  /// The log of one request.
  public func log(of id: RequestID) -> ExchangeLog? { state.withLock { $0.logs[id] } }

  /// Adds an event to its request's log.
  public func receive(_ event: SessionEvent) {
    state.withLock { state in
      if state.logs[event.request]?.record(event) != nil { return }
      state.logs[event.request] = ExchangeLog(event)
      state.oldest.append(event.request)
      // Twice the limit before half of it goes, so that keeping the order costs nothing that shows.
      guard state.oldest.count >= 2 * limit else { return }
      for id in state.oldest.prefix(state.oldest.count - limit) { state.logs[id] = nil }
      state.oldest.removeFirst(state.oldest.count - limit)
    }
  }
}

extension ExchangeLogMonitor: CustomStringConvertible {
  /// All logs, one below the other.
  public var description: String { logs.map(\.description).joined(separator: "\n") }
}

/// A transport that wants to hear what becomes of the requests it carries.
package protocol ObservingTransport: Transport {
  /// Makes the monitor of one session; nil where it wants to hear nothing.
  func makeMonitor() -> (any EventMonitor)?
}
