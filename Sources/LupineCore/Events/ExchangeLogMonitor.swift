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
  /// The events are kept as they come: a log is made of them when somebody asks for it, which is rare.
  private struct State {
    var events: [RequestID: [SessionEvent]] = [:]
    var oldest: [RequestID] = []
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Makes a monitor without logs.
  ///
  /// - Parameter limit: how many logs are kept; the oldest go first. Default: 1,000.
  public init(limit: Int = 1_000) { self.limit = max(1, limit) }

  /// The logs, in the order of the requests' numbers.
  public var logs: [ExchangeLog] {
    let events = state.withLock { $0.events }
    return events.sorted { $0.key < $1.key }.compactMap { Self.log(of: $0.value) }
  }

  /// The log of one request.
  public func log(of id: RequestID) -> ExchangeLog? { Self.log(of: state.withLock { $0.events[id] } ?? []) }

  private static func log(of events: [SessionEvent]) -> ExchangeLog? {
    guard let first = events.first else { return nil }
    var log = ExchangeLog(first)
    for event in events.dropFirst() { log.record(event) }
    return log
  }

  /// Adds an event to its request's log.
  public func receive(_ event: SessionEvent) {
    state.withLock { state in
      if state.events[event.request]?.append(event) != nil { return }
      state.events[event.request] = [event]
      state.oldest.append(event.request)
      // Twice the limit before half of it goes, so that keeping the order costs nothing that shows.
      guard state.oldest.count >= 2 * limit else { return }
      for id in state.oldest.prefix(state.oldest.count - limit) { state.events[id] = nil }
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
