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
    private var events: [RequestID: [SessionEvent]] = [:]
    private var oldest: [RequestID] = []
    /// The request that told last, and its events: most often it tells the next one as well.
    private var last: RequestID?
    private var row: [SessionEvent] = []

    mutating func record(_ event: SessionEvent, limit: Int) {
      if event.request != last {
        settle()
        begin(event.request, limit)
      }
      row.append(event)
      if row.count > 2 * ExchangeLogMonitor.longest { shorten(to: ExchangeLogMonitor.longest) }
    }

    /// The events of so many of the newest requests.
    mutating func settled(limit: Int) -> [RequestID: [SessionEvent]] {
      settle()
      drop(to: limit)
      return events
    }

    private mutating func settle() {
      shorten(to: ExchangeLogMonitor.longest)
      if let last { events[last] = row }
      last = nil
      row = []
    }

    private mutating func begin(_ request: RequestID, _ limit: Int) {
      last = request
      if let known = events.removeValue(forKey: request) {
        row = known
        return
      }
      row.reserveCapacity(Self.usualCount)
      oldest.append(request)
      // Twice the limit before half of it goes, so that keeping the order costs nothing that shows.
      if oldest.count >= 2 * limit { drop(to: limit) }
    }

    private mutating func drop(to limit: Int) {
      guard oldest.count > limit else { return }
      for id in oldest.prefix(oldest.count - limit) { events[id] = nil }
      oldest.removeFirst(oldest.count - limit)
    }

    /// Keeps the request's first event, which names it, and the newest ones.
    private mutating func shorten(to limit: Int) {
      if row.count > limit + 1 { row.removeSubrange(1..<(row.count - limit)) }
    }

    /// What a request tells that is answered at once.
    private static let usualCount = 12
  }

  /// The most events of one request, beside its first.
  private static let longest = 1_000

  private let limit: Int
  private let state = Mutex(State())

  /// Makes a monitor without logs.
  ///
  /// Of a request that goes on and on, such as a stream of events that connects again for weeks, the log has its first event
  /// and the newest 1,000.
  ///
  /// - Parameter limit: how many logs there are at most; the oldest go first. Default: 1,000.
  public init(limit: Int = 1_000) { self.limit = max(1, limit) }

  /// The logs, in the order of the requests' numbers.
  public var logs: [ExchangeLog] {
    let events = state.withLock { $0.settled(limit: limit) }
    return events.sorted { $0.key < $1.key }.compactMap { Self.log(of: $0.value) }
  }

  /// The log of one request.
  public func log(of id: RequestID) -> ExchangeLog? {
    Self.log(of: state.withLock { $0.settled(limit: limit)[id] } ?? [])
  }

  private static func log(of events: [SessionEvent]) -> ExchangeLog? {
    guard let first = events.first else { return nil }
    var log = ExchangeLog(first)
    for event in events.dropFirst() { log.record(event) }
    return log
  }

  /// Adds an event to its request's log.
  public func receive(_ event: SessionEvent) {
    state.withLock { $0.record(event, limit: limit) }
  }
}

extension ExchangeLogMonitor: CustomStringConvertible {
  /// All logs, one below the other.
  public var description: String { logs.map(\.description).joined(separator: "\n") }
}
