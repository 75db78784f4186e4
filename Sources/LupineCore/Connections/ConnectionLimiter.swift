import DequeModule

/// Limits the number of concurrent exchanges and queues the others.
///
/// Of the exchanges that may start, the one with the highest priority starts first. Exchanges of equal priority start
/// in the order of arrival.
public final class ConnectionLimiter {
  /// Whether `next()` may return an exchange.
  public var mayAdmit: Bool { mayFindOne }
  // A private stored property needs no check for exclusive access at run time.
  private var mayFindOne = false
  private let perHost: Int
  private let total: Int
  private var running = 0
  /// The number of waiting exchanges.
  public var waitingCount: Int { waiting }
  private var waiting = 0
  private var hosts: [HTTPURL.Origin: HostQueue] = [:]
  private var lastURL: HTTPURL?
  private var lastHost: HostQueue?
  private var room = 1_000

  /// Creates a limiter with these limits for one host and in total.
  public init(perHost: Int, total: Int) {
    self.perHost = max(1, perHost)
    self.total = max(1, total)
  }

  /// Returns the queue of a URL's origin.
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

  /// Returns true if the exchange may start; otherwise it waits.
  public func enter(_ waiter: QueuedExchange, at host: HostQueue) -> Bool {
    if host.next?.precedes(waiter) != true, hasRoom(host, waiter) {
      begin(at: host)
      return true
    }
    host.append(waiter)
    waiting += 1
    return false
  }

  /// Returns the reason why an exchange with the host waits.
  public func reason(for waiter: QueuedExchange, at host: HostQueue) -> String {
    host.running >= min(perHost, waiter.perHost ?? .max)
      ? "\(host.running) exchanges with this host are running, the maximum"
      : running >= min(total, waiter.total ?? .max)
        ? "\(running) exchanges are running, the maximum" : "earlier exchanges wait"
  }

  /// Returns the next exchange that may start.
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

  /// Records that an exchange is over, whether it waited or not.
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

  /// Removes the limit for the exchanges with a host.
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

/// The exchanges with one scheme, host and port: the number of running ones, and the waiting ones.
///
/// Exchanges of equal priority start in the order of arrival.
public final class HostQueue {
  var running = 0
  /// Whether the host uses HTTP/2, where one connection carries many exchanges, so that no exchange has to wait.
  var isLifted = false
  private var waitingCount = 0
  /// The waiting exchanges of each priority, the lowest priority first.
  private var ranks = OutgoingRequest.Priority.allCases.map { _ in Deque<QueuedExchange>() }

  var isIdle: Bool { running == 0 && next == nil }
  var next: QueuedExchange? { waitingCount == 0 ? nil : ranks.last { !$0.isEmpty }?.first }

  func append(_ waiter: QueuedExchange) {
    waitingCount += 1
    ranks[waiter.priority.rawValue].append(waiter)
  }

  func removeNext() {
    guard let index = ranks.lastIndex(where: { !$0.isEmpty }) else { return }
    waitingCount -= 1
    ranks[index].removeFirst()
  }

  /// Removes a waiting exchange; returns false if it does not wait.
  func remove(_ id: UInt64) -> Bool {
    if waitingCount == 0 { return false }
    for rank in ranks.indices {
      guard let index = ranks[rank].firstIndex(where: { $0.id == id }) else { continue }
      ranks[rank].remove(at: index)
      waitingCount -= 1
      return true
    }
    return false
  }
}

/// An exchange that waits for a connection.
public struct QueuedExchange {
  let id: UInt64
  let priority: OutgoingRequest.Priority
  /// The maximum number of running exchanges with its host when it begins; `nil` means the transport's limit.
  let perHost: Int?
  /// The maximum number of running exchanges in total.
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

  /// Whether it starts before another one.
  ///
  /// Later exchanges have greater numbers.
  func precedes(_ other: QueuedExchange) -> Bool {
    priority == other.priority ? id < other.id : priority > other.priority
  }
}
