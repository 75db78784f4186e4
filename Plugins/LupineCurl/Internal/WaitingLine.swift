import LupineCore

/// Counts the exchanges under way and lets others wait their turn; the one that came first, and may, goes first.
///
/// The numbers of exchanges grow with time, so the smallest came first.
struct WaitingLine {
  /// Whether a look for somebody whose turn has come may find one.
  private(set) var mayAdmit = false
  private let perHost: Int
  private let total: Int
  private var running = 0
  private var waiting = 0
  private var hosts: [HTTPURL.Origin: HostLine] = [:]
  private var last: (origin: HTTPURL.Origin, host: HostLine)?
  private var room = 1_000

  init(perHost: Int, total: Int) {
    self.perHost = max(1, perHost)
    self.total = max(1, total)
  }

  mutating func host(_ origin: HTTPURL.Origin) -> HostLine {
    if let last, last.origin == origin { return last.host }
    let host = known(origin)
    last = (origin, host)
    return host
  }

  private mutating func known(_ origin: HTTPURL.Origin) -> HostLine {
    if let host = hosts[origin] { return host }
    if hosts.count >= room {
      hosts = hosts.filter { !$0.value.isIdle }
      room = max(1_000, hosts.count * 2)
    }
    let host = HostLine()
    hosts[origin] = host
    return host
  }

  /// True where the exchange may start; otherwise it waits.
  mutating func enter(_ id: UInt64, at host: HostLine) -> Bool {
    if host.next == nil, hasRoom(host) {
      begin(at: host)
      return true
    }
    host.append(id)
    waiting += 1
    return false
  }

  /// The next exchange whose turn has come.
  mutating func next() -> UInt64? {
    guard mayAdmit else { return nil }
    var best: (id: UInt64, host: HostLine)?
    for host in hosts.values {
      if let id = host.next, id < best?.id ?? .max, hasRoom(host) { best = (id, host) }
    }
    guard let best else {
      mayAdmit = false
      return nil
    }
    best.host.removeNext()
    waiting -= 1
    begin(at: best.host)
    return best.id
  }

  /// Notes that an exchange is over, whether it waited or not.
  mutating func leave(_ id: UInt64, from host: HostLine) {
    if host.remove(id) {
      waiting -= 1
      return
    }
    mayAdmit = waiting > 0
    if host.isLifted { return }
    host.running -= 1
    running -= 1
  }

  /// Lets every exchange with a host go ahead.
  mutating func lift(_ host: HostLine) {
    guard !host.isLifted else { return }
    host.isLifted = true
    running -= host.running
    host.running = 0
    mayAdmit = waiting > 0
  }

  private func hasRoom(_ host: HostLine) -> Bool {
    host.isLifted || (host.running < perHost && running < total)
  }

  private mutating func begin(at host: HostLine) {
    if host.isLifted { return }
    host.running += 1
    running += 1
  }
}
