import DequeModule
import Synchronization

/// Keeps an `ExchangeLog` of each request of a session.
///
/// ```swift
/// let exchanges = ExchangeLogMonitor()
/// let session = try Session.Builder().transport(.native).monitor(exchanges).build()
/// ```
///
/// `print(exchanges)` shows what has happened so far.
///
/// One monitor serves one session: requests of two sessions have the same numbers.
public final class ExchangeLogMonitor: EventMonitor {
  /// The raw events.
  ///
  /// A log is built from them on request, which is rare.
  private struct State {
    private var events: [RequestID: [SessionEvent]] = [:]
    private var oldest: Deque<RequestID> = []
    /// The request of the last event and its events.
    ///
    /// The next event usually belongs to the same request.
    private var last: RequestID?
    private var row: [SessionEvent] = []

    mutating func record(_ event: SessionEvent, limit: Int) {
      if event.request != last { begin(event.request, limit) }
      row.append(event)
      // Trimmed to the limit at twice the limit, so that the average cost per event is small.
      if row.count > 2 * ExchangeLogMonitor.longest { row = row.shortened(to: ExchangeLogMonitor.longest) }
    }

    /// Returns the events of the newest requests.
    ///
    /// Older ones are kept, because they may continue.
    func newest(_ limit: Int) -> [[SessionEvent]] { oldest.suffix(limit).map { shortenedEvents(of: $0) } }

    /// Returns the events of a request if it is one of the newest.
    func events(of id: RequestID, amongNewest limit: Int) -> [SessionEvent] {
      oldest.suffix(limit).contains(id) ? shortenedEvents(of: id) : []
    }

    private func shortenedEvents(of id: RequestID) -> [SessionEvent] {
      (id == last ? row : events[id] ?? []).shortened(to: ExchangeLogMonitor.longest)
    }

    private mutating func begin(_ request: RequestID, _ limit: Int) {
      if let last { events[last] = row }
      row = []
      last = request
      if let known = events.removeValue(forKey: request) {
        row = known
        return
      }
      row.reserveCapacity(Self.usualCount)
      oldest.append(request)
      if oldest.count / 2 >= limit { events[oldest.removeFirst()] = nil }
    }

    /// The number of events of a typical request.
    private static let usualCount = 12
  }

  /// The maximum number of events of one request, in addition to its first.
  private static let longest = 1_000

  private let limit: Int
  private let state = Mutex(State())

  /// Creates a monitor without logs.
  ///
  /// The log of a long-running request, such as a stream of events that reconnects for weeks, contains its first event,
  /// the newest 1,000, and the events that began the attempt and the exchange of these.
  ///
  /// - Parameter limit: the maximum number of logs; the oldest are removed first. Default: 1,000.
  public init(limit: Int = 1_000) { self.limit = max(1, limit) }

  /// The logs, in the order of the request numbers.
  public var logs: [ExchangeLog] {
    let events = state.withLock { $0.newest(limit) }
    return events.compactMap { Self.log(of: $0) }.sorted { $0.id < $1.id }
  }

  /// Returns the log of one request.
  public func log(of id: RequestID) -> ExchangeLog? {
    Self.log(of: state.withLock { $0.events(of: id, amongNewest: limit) })
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
  /// All logs, one after the other.
  public var description: String { logs.map(\.description).joined(separator: "\n") }
}

extension [SessionEvent] {
  /// Returns the request's first event, the newest events, and before them the events that began their attempt and
  /// exchange.
  fileprivate func shortened(to limit: Int) -> Self {
    guard limit < .max, count > limit + 1 else { return self }
    let cut = count - limit
    return [self[0]] + setting(at: cut).map { self[$0] } + self[cut...]
  }

  /// Returns the indices of the events that began the attempt and the exchange of an event, except the first event.
  private func setting(at index: Int) -> [Int] {
    var setting: [Int] = []
    for each in 0...index {
      switch self[each].kind {
      case .attempting: setting = [each]
      case .sending: setting = [Int](setting.prefix(1)) + [each]
      case .connected, .head, .received: setting.append(each)
      default: break
      }
    }
    return setting.filter { 0 < $0 && $0 < index }
  }
}
