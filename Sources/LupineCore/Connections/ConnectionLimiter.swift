/// Counts the exchanges under way and lets others wait their turn; of those that may, the one with the highest priority
/// goes first, and of these the one that came first.
public final class ConnectionLimiter {
  /// Whether a look for somebody whose turn has come may find one.
  public var mayAdmit: Bool { mayFindOne }
  // The compiler sees who changes what is private, and checks it for exclusive access no more.
  private var mayFindOne = false
  private let perHost: Int
  private let total: Int
  private var running = 0
  /// How many exchanges wait.
  public var waitingCount: Int { waiting }
  private var waiting = 0
  private var hosts: [HTTPURL.Origin: HostQueue] = [:]
  private var lastURL: HTTPURL?
  private var lastHost: HostQueue?
  private var room = 1_000

  /// Makes a limiter for so many connections to one host, and in all.
  public init(perHost: Int, total: Int) {
    self.perHost = max(1, perHost)
    self.total = max(1, total)
  }

  /// The line of a URL's origin.
  public func host(of url: HTTPURL) -> HostQueue {
    if let lastHost, lastURL?.string == url.string { return lastHost }
    let host = host(url.origin)
    (lastURL, lastHost) = (url, host)
    return host
  }

  private func host(_ origin: HTTPURL.Origin) -> HostQueue {
    if let host = hosts[origin] { return host }
    if hosts.count >= room {
      hosts = hosts.filter { !$0.value.isIdle }
      room = max(1_000, hosts.count * 2)
    }
    let host = HostQueue()
    hosts[origin] = host
    return host
  }

  /// True where the exchange may start; otherwise it waits.
  public func enter(_ waiter: QueuedExchange, at host: HostQueue) -> Bool {
    if host.next?.precedes(waiter) != true, hasRoom(host, waiter) {
      begin(at: host)
      return true
    }
    host.append(waiter)
    waiting += 1
    return false
  }

  /// Why an exchange with the host waits.
  public func reason(for waiter: QueuedExchange, at host: HostQueue) -> String {
    host.running >= min(perHost, waiter.perHost ?? .max)
      ? "\(host.running) exchanges with this host are under way, as many as may be"
      : running >= min(total, waiter.total ?? .max)
        ? "\(running) exchanges are under way, as many as may be" : "others came first"
  }

  /// The next exchange whose turn has come.
  public func next() -> UInt64? {
    guard mayFindOne else { return nil }
    var best: (waiter: QueuedExchange, host: HostQueue)?
    for host in hosts.values {
      guard let waiter = host.next, best?.waiter.precedes(waiter) != true else { continue }
      if hasRoom(host, waiter) { best = (waiter, host) }
    }
    guard let best else {
      mayFindOne = false
      return nil
    }
    best.host.removeNext()
    waiting -= 1
    begin(at: best.host)
    return best.waiter.id
  }

  /// Notes that an exchange is over, whether it waited or not.
  public func leave(_ id: UInt64, from host: HostQueue) {
    if host.remove(id) {
      waiting -= 1
      return
    }
    mayFindOne = waiting > 0
    if host.isLifted { return }
    host.running -= 1
    running -= 1
  }

  /// Lets every exchange with a host go ahead.
  public func lift(_ host: HostQueue) {
    guard !host.isLifted else { return }
    host.isLifted = true
    running -= host.running
    host.running = 0
    mayFindOne = waiting > 0
  }

  private func hasRoom(_ host: HostQueue, _ waiter: QueuedExchange) -> Bool {
    if host.isLifted { return true }
    return host.running < min(perHost, waiter.perHost ?? .max) && running < min(total, waiter.total ?? .max)
  }

  private func begin(at host: HostQueue) {
    if host.isLifted { return }
    host.running += 1
    running += 1
  }
}

/// The exchanges with one scheme, host and port: how many are under way, and which wait; of one priority the one that
/// came first goes first.
public final class HostQueue {
  /// Those of one priority that wait.
  private struct Rank {
    var waiters: [QueuedExchange] = []
    var first = 0

    var next: QueuedExchange? { first < waiters.count ? waiters[first] : nil }
  }

  var running = 0
  /// Whether the host speaks HTTP/2, where one connection carries many exchanges, so that none has to wait.
  var isLifted = false
  private var waitingCount = 0
  private var ranks = OutgoingRequest.Priority.allCases.map { _ in Rank() }

  var isIdle: Bool { running == 0 && next == nil }
  var next: QueuedExchange? { waitingCount == 0 ? nil : ranks.last { $0.next != nil }?.next }

  func append(_ waiter: QueuedExchange) {
    waitingCount += 1
    ranks[waiter.priority.rawValue].waiters.append(waiter)
  }

  func removeNext() {
    guard let index = ranks.lastIndex(where: { $0.next != nil }) else { return }
    waitingCount -= 1
    ranks[index].first += 1
    guard ranks[index].next == nil || ranks[index].first > 1_000 else { return }
    ranks[index].waiters.removeFirst(ranks[index].first)
    ranks[index].first = 0
  }

  /// Takes an exchange out of the middle; false where it does not wait.
  func remove(_ id: UInt64) -> Bool {
    if waitingCount == 0 { return false }
    for rank in ranks.indices where ranks[rank].next != nil {
      guard let index = ranks[rank].waiters[ranks[rank].first...].firstIndex(where: { $0.id == id }) else { continue }
      ranks[rank].waiters.remove(at: index)
      waitingCount -= 1
      return true
    }
    return false
  }
}

/// An exchange that waits its turn.
public struct QueuedExchange {
  let id: UInt64
  let priority: OutgoingRequest.Priority
  /// The most that may be under way with its host when it begins; nil leaves that to the transport.
  let perHost: Int?
  /// The most that may be under way in all.
  let total: Int?

  /// Describes an exchange that waits for a connection.
  public init(
    _ id: UInt64, priority: OutgoingRequest.Priority = .normal, _ options: ConnectionOptions = ConnectionOptions()
  ) {
    self.id = id
    self.priority = priority
    perHost = options.perHost
    total = options.total
  }

  /// Whether it goes before another; the numbers of exchanges grow with time.
  func precedes(_ other: QueuedExchange) -> Bool {
    priority == other.priority ? id < other.id : priority > other.priority
  }
}
