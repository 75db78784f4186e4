import HeapModule
import LupineSupport

/// Limits the number of concurrent exchanges and queues the others.
///
/// Of the exchanges that may start, the one with the highest priority starts first. Exchanges of equal priority start
/// in the order of arrival. Each operation takes at most logarithmic time.
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
  private var candidates = Candidates()

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
      // An exchange must not wait at a host that is no longer in the table.
      (lastURL, lastHost) = (nil, nil)
      room = max(1_000, hosts.count * 2)
    }
    let host = HostQueue()
    hosts[origin] = host
    return host
  }

  /// Returns true if the exchange may start; otherwise it waits.
  public func enter(_ waiter: QueuedExchange, at host: HostQueue) -> Bool {
    if host.next?.precedes(waiter) != true, hasRoom(host, waiter), running < totalLimit(host, waiter) {
      begin(at: host)
      return true
    }
    host.append(waiter)
    waiting += 1
    offer(host)
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
    while let candidate = candidates.popBest(running: running) {
      let host = candidate.host
      if host.offered == candidate.waiter.id { host.offered = nil }
      guard host.next?.id == candidate.waiter.id else { continue }
      // A host that is full is offered again when one of its exchanges ends.
      guard hasRoom(host, candidate.waiter) else { continue }
      guard running < totalLimit(host, candidate.waiter) else {
        offer(host)
        continue
      }
      host.removeNext()
      waiting -= 1
      begin(at: host)
      offer(host)
      return candidate.waiter.id
    }
    mayFindOne = false
    return nil
  }

  /// Records that an exchange is over, whether it waited or not.
  public func leave(_ id: UInt64, from host: HostQueue) {
    if host.remove(id) {
      waiting -= 1
      // The next exchange of the host may have other limits, and may start.
      offer(host)
      mayFindOne = waiting > 0
      return
    }
    mayFindOne = waiting > 0
    if host.isLifted { return }
    host.running -= 1
    running -= 1
    offer(host)
  }

  /// Removes the limit for the exchanges with a host.
  public func lift(_ host: HostQueue) {
    guard !host.isLifted else { return }
    host.isLifted = true
    running -= host.running
    host.running = 0
    mayFindOne = waiting > 0
    host.offered = nil
    offer(host)
  }

  /// Makes the first waiting exchange of a host a candidate, unless it already is one or the host is full.
  private func offer(_ host: HostQueue) {
    guard let waiter = host.next, host.offered != waiter.id, hasRoom(host, waiter) else { return }
    host.offered = waiter.id
    candidates.insert(waiter, of: host, limit: totalLimit(host, waiter))
    if candidates.count > 2 * hosts.count + 64 { rebuildCandidates() }
  }

  /// Removes the candidates that have left their queues.
  private func rebuildCandidates() {
    candidates = Candidates()
    for host in hosts.values {
      assert(StepCount.add())
      host.offered = nil
      guard let waiter = host.next, hasRoom(host, waiter) else { continue }
      host.offered = waiter.id
      candidates.insert(waiter, of: host, limit: totalLimit(host, waiter))
    }
  }

  /// Whether the limit for the host lets the exchange start.
  private func hasRoom(_ host: HostQueue, _ waiter: QueuedExchange) -> Bool {
    host.isLifted || host.running < min(perHost, waiter.perHost ?? .max)
  }

  /// The number of running exchanges in total below which the exchange may start.
  private func totalLimit(_ host: HostQueue, _ waiter: QueuedExchange) -> Int {
    host.isLifted ? .max : min(total, waiter.total ?? .max)
  }

  private func begin(at host: HostQueue) {
    if host.isLifted { return }
    host.running += 1
    running += 1
  }
}

/// The first waiting exchange of each host that is not full; some of them may have left their queues.
///
/// Each limit on the number of running exchanges has its own heap. There are few heaps, because few sessions with
/// different limits share a transport.
private struct Candidates {
  struct Candidate: Comparable {
    let waiter: QueuedExchange
    let host: HostQueue

    static func < (left: Candidate, right: Candidate) -> Bool {
      assert(StepCount.add())
      return left.waiter.precedes(right.waiter)
    }

    static func == (left: Candidate, right: Candidate) -> Bool { left.waiter.id == right.waiter.id }
  }

  private var heaps: [Int: Heap<Candidate>] = [:]
  private(set) var count = 0

  /// - Parameter limit: the number of running exchanges below which the exchange may start.
  mutating func insert(_ waiter: QueuedExchange, of host: HostQueue, limit: Int) {
    heaps[limit, default: Heap()].insert(Candidate(waiter: waiter, host: host))
    count += 1
  }

  /// Removes and returns the first candidate that may start beside this number of running exchanges.
  mutating func popBest(running: Int) -> Candidate? {
    var best: (limit: Int, candidate: Candidate)?
    for (limit, heap) in heaps where limit > running {
      assert(StepCount.add())
      guard let candidate = heap.min, best.map({ candidate < $0.candidate }) != false else { continue }
      best = (limit, candidate)
    }
    guard let best else { return nil }
    heaps[best.limit]?.removeMin()
    if heaps[best.limit]?.isEmpty == true { heaps[best.limit] = nil }
    count -= 1
    return best.candidate
  }
}

/// The exchanges with one scheme, host and port: the number of running ones, and the waiting ones.
///
/// Exchanges of equal priority start in the order of arrival.
public final class HostQueue {
  var running = 0
  /// Whether the host uses HTTP/2, where one connection carries many exchanges, so that no exchange has to wait.
  var isLifted = false
  /// The waiting exchange that is a candidate of the limiter.
  fileprivate var offered: UInt64?
  /// The waiting exchanges of each priority, the lowest priority first.
  private var ranks = OutgoingRequest.Priority.allCases.map { _ in RemovableQueue<QueuedExchange>() }
  private var places: [UInt64: (rank: Int, place: RemovableQueue<QueuedExchange>.Place)] = [:]

  var isIdle: Bool { running == 0 && places.isEmpty }
  var next: QueuedExchange? { places.isEmpty ? nil : ranks.last { !$0.isEmpty }?.first }

  func append(_ waiter: QueuedExchange) {
    let rank = waiter.priority.rawValue
    places[waiter.id] = (rank, ranks[rank].append(waiter))
  }

  func removeNext() {
    guard let rank = ranks.lastIndex(where: { !$0.isEmpty }), let waiter = ranks[rank].popFirst() else { return }
    places[waiter.id] = nil
  }

  /// Removes a waiting exchange; returns false if it does not wait.
  func remove(_ id: UInt64) -> Bool {
    guard !places.isEmpty, let (rank, place) = places.removeValue(forKey: id) else { return false }
    ranks[rank].remove(place)
    return true
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
