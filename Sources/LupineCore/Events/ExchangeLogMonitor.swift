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
      if event.request != last { begin(event.request, limit) }
      row.append(event)
      // Twice the bound before half of it goes, so that keeping it costs nothing that shows.
      if row.count > 2 * ExchangeLogMonitor.longest { row = row.shortened(to: ExchangeLogMonitor.longest) }
    }

    /// The events of so many of the newest requests; the others stay, since they may go on.
    func newest(_ limit: Int) -> [[SessionEvent]] { oldest.suffix(limit).map { told(by: $0) } }

    /// The events of a request, where it is one of so many of the newest.
    func events(of id: RequestID, amongNewest limit: Int) -> [SessionEvent] {
      oldest.suffix(limit).contains(id) ? told(by: id) : []
    }

    private func told(by id: RequestID) -> [SessionEvent] {
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
      // Twice the limit before half of it goes, so that keeping the order costs nothing that shows.
      guard oldest.count / 2 >= limit else { return }
      for id in oldest.prefix(oldest.count - limit) { events[id] = nil }
      oldest.removeFirst(oldest.count - limit)
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
  /// Of a request that goes on and on, such as a stream of events that connects again for weeks, the log has its first
  /// event, the newest 1,000, and what began the attempt and the exchange that these continue.
  ///
  /// - Parameter limit: how many logs there are at most; the oldest go first. Default: 1,000.
  public init(limit: Int = 1_000) { self.limit = max(1, limit) }

  /// The logs, in the order of the requests' numbers.
  public var logs: [ExchangeLog] {
    let events = state.withLock { $0.newest(limit) }
    return events.compactMap { Self.log(of: $0) }.sorted { $0.id < $1.id }
  }

  /// The log of one request.
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
  /// All logs, one below the other.
  public var description: String { logs.map(\.description).joined(separator: "\n") }
}

extension [SessionEvent] {
  /// A request's first event, which names it, and the newest ones behind what says where they belong.
  fileprivate func shortened(to limit: Int) -> Self {
    guard count > limit + 1 else { return self }
    let cut = count - limit
    return [self[0]] + setting(at: cut).map { self[$0] } + self[cut...]
  }

  /// What told, before an event, of the attempt and of the exchange that it belongs to; the first event is kept anyway.
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
