import Testing

@testable import LupineCore

@Suite struct ConnectionLimiterTests {
  private func url(_ host: String) throws -> HTTPURL { try HTTPURL("http://\(host)/") }

  @Test func `exchanges leave the queue in the order of arrival`() throws {
    let line = Line(perHost: 2, total: 10)
    let host = line.host(of: try url("a"))
    let started = ((1...5) as ClosedRange<UInt64>).filter { line.enter($0, at: host) }
    #expect(started == [1, 2])
    #expect(line.next() == nil)
    line.leave(1, from: host)
    #expect(line.next() == 3)
    line.leave(2, from: host)
    line.leave(3, from: host)
    #expect(line.next() == 4)
    #expect(line.next() == 5)
    #expect(line.next() == nil)
  }

  @Test func `exchanges are ordered by priority, then by arrival`() throws {
    let line = Line(perHost: 1, total: 10)
    let host = line.host(of: try url("a"))
    #expect(line.enter(1, at: host))
    let waiting: [(UInt64, OutgoingRequest.Priority)] = [
      (2, .low), (3, .normal), (4, .high), (5, .low), (6, .high), (7, .normal),
    ]
    for (id, priority) in waiting { #expect(!line.enter(id, priority, at: host)) }
    #expect(line.waitingCount == 6)
    var last: UInt64 = 1
    var order: [UInt64] = []
    for _ in waiting {
      line.leave(last, from: host)
      last = line.next() ?? 0
      order.append(last)
    }
    #expect(order == [4, 6, 3, 7, 2, 5])
    #expect(line.waitingCount == 0)
  }

  @Test func `of the session's limit and the transport's the lower one holds`() throws {
    var options = ConnectionOptions()
    options.perHost = 1
    let line = Line(perHost: 2, total: 3)
    let (first, second) = (line.host(of: try url("a")), line.host(of: try url("b")))
    #expect(line.enter(1, at: first))
    #expect(!line.enter(2, .normal, options, at: first))
    options.perHost = 9
    options.total = 1
    #expect(!line.enter(3, .normal, options, at: second))
    line.leave(1, from: first)
    #expect(line.next() == 2)
    #expect(line.next() == nil)
  }

  @Test func `a full host does not hold up another`() throws {
    let line = Line(perHost: 1, total: 10)
    let (first, second) = (line.host(of: try url("a")), line.host(of: try url("b")))
    #expect(line.enter(1, at: first))
    #expect(!line.enter(2, at: first))
    #expect(line.enter(3, at: second))
  }

  @Test func `the total counts all hosts, and the oldest goes first`() throws {
    let line = Line(perHost: 5, total: 2)
    let (first, second) = (line.host(of: try url("a")), line.host(of: try url("b")))
    #expect(line.enter(1, at: first))
    #expect(line.enter(2, at: first))
    #expect(!line.enter(3, at: second))
    #expect(!line.enter(4, at: first))
    line.leave(2, from: first)
    #expect(line.next() == 3)
    line.leave(1, from: first)
    #expect(line.next() == 4)
  }

  @Test func `who leaves the queue frees no place and is not called`() throws {
    let line = Line(perHost: 1, total: 10)
    let host = line.host(of: try url("a"))
    #expect(line.enter(1, at: host))
    for id in 2...4 as ClosedRange<UInt64> { #expect(!line.enter(id, at: host)) }
    line.leave(2, from: host)
    #expect(line.next() == nil)
    line.leave(1, from: host)
    #expect(line.next() == 3)
    #expect(line.next() == nil)
  }

  @Test func `a host that shares connections has no count`() throws {
    let line = Line(perHost: 1, total: 1)
    let host = line.host(of: try url("a"))
    #expect(line.enter(1, at: host))
    #expect(!line.enter(2, at: host))
    line.lift(host)
    #expect(line.next() == 2)
    #expect(line.enter(3, at: host))
    let other = line.host(of: try url("b"))
    #expect(line.enter(4, at: other))
    for id in 1...3 as ClosedRange<UInt64> { line.leave(id, from: host) }
    #expect(!line.enter(5, at: other))
  }

  @Test func `unused hosts are removed`() throws {
    let line = Line(perHost: 1, total: 10)
    let first = line.host(of: try url("busy"))
    #expect(line.enter(1, at: first))
    let idle = line.host(of: try url("idle"))
    for number in 0..<2_000 { _ = line.host(of: try url("h\(number)")) }
    #expect(line.host(of: try url("busy")) === first)
    #expect(line.host(of: try url("idle")) !== idle)
  }
}

/// A reference to a `ConnectionLimiter`, so that an expectation can change the limiter.
private final class Line {
  private let line: ConnectionLimiter

  init(perHost: Int, total: Int) { line = ConnectionLimiter(perHost: perHost, total: total) }

  func host(of url: HTTPURL) -> HostQueue { line.host(of: url) }

  func enter(
    _ id: UInt64, _ priority: OutgoingRequest.Priority = .normal, _ options: ConnectionOptions = ConnectionOptions(),
    at host: HostQueue
  ) -> Bool { line.enter(QueuedExchange(id, priority: priority, options), at: host) }

  var waitingCount: Int { line.waitingCount }

  func next() -> UInt64? { line.next() }

  func leave(_ id: UInt64, from host: HostQueue) { line.leave(id, from: host) }

  func lift(_ host: HostQueue) { line.lift(host) }
}
