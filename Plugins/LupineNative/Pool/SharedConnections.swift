import DequeModule
import LupineCore

/// An exchange that may wait for a stream.
protocol StreamWaiter: AnyObject {
  var route: Route { get }
  var options: ConnectionOptions { get }
  /// Whether the request asks for HTTP/2.
  var asksForHTTP2: Bool { get }

  /// Sends the request on a stream of the connection.
  func stopWaiting(for shared: HTTP2Connection)

  /// Begins to make a connection, because none can be shared.
  func makeConnection()
}

/// The connections of HTTP/2 of a route, and the exchanges that wait for a stream.
struct SharedConnections {
  /// The connections that take new streams.
  private(set) var all: [HTTP2Connection] = []
  /// Those without a stream; the one used last is the last one.
  var idle: [Connection] = []
  /// The exchanges that wait, in order.
  private var waiting: Deque<any StreamWaiter> = []
  /// The number of exchanges that make a connection which others may share.
  var makerCount = 0
  /// Whether the waiting exchanges are being served.
  var isServing = false
  /// Whether the server selects HTTP/2 if TLS offers it, or takes it by prior knowledge; `nil` until a connection has
  /// shown it.
  private(set) var selectsHTTP2: Bool?

  mutating func append(_ exchange: any StreamWaiter) { waiting.append(exchange) }

  /// The exchange that has waited for the longest time.
  var first: (any StreamWaiter)? { waiting.first }

  mutating func removeFirst() { waiting.removeFirst() }

  /// Removes an exchange that has ended.
  mutating func remove(_ exchange: any StreamWaiter) { waiting.removeAll { $0 === exchange } }

  /// Adds a connection that takes streams.
  mutating func add(_ shared: HTTP2Connection) {
    selectsHTTP2 = true
    all.append(shared)
  }

  /// Records that the server has selected HTTP/1.1 instead of HTTP/2, unless a connection with HTTP/2 is open.
  mutating func recordHTTP1() { if all.isEmpty { selectsHTTP2 = false } }

  /// Removes a connection that takes no more streams.
  mutating func remove(_ connection: Connection) { all.removeAll { $0.connection === connection } }

  /// Removes an idle connection; returns false if it is not idle.
  mutating func removeIdle(_ connection: Connection) -> Bool {
    guard let index = idle.lastIndex(where: { $0 === connection }) else { return false }
    idle.remove(at: index)
    return true
  }
}

extension Connections {
  /// Returns a connection of HTTP/2 with a free stream; `nil` if there is none.
  func takeShared(for route: Route, _ options: ConnectionOptions, at now: UInt64) -> HTTP2Connection? {
    for shared in route.sharing.all {
      let connection = shared.connection
      let isIdle = shared.exchangeCount == 0
      if isIdle { shared.receiveBeforeUse() }
      if !isUsable(connection, options, isIdle: isIdle, at: now) {
        shared.drain()
      } else if shared.hasFreeStream {
        _ = recordUse(of: connection)
        return shared
      }
    }
    return nil
  }

  /// Whether an exchange must wait for a stream instead of making a connection.
  ///
  /// It waits while a connection is being made that it may share, before the peer has said how many streams it takes, and
  /// if the route has as many connections as the limit for a host allows.
  func mustWait(_ exchange: any StreamWaiter) -> Bool {
    let sharing = exchange.route.sharing
    guard sharing.selectsHTTP2 ?? exchange.asksForHTTP2 else { return false }
    let limit = max(1, min(limits.perHost, exchange.options.perHost ?? .max))
    return sharing.makerCount > 0 || sharing.all.count >= limit || sharing.all.contains { !$0.hasSettings }
  }

  /// Keeps a connection without streams for the next exchange of its route.
  func keepShared(_ connection: Connection, _ options: ConnectionOptions, at now: UInt64) {
    connection.route.sharing.idle.append(connection)
    recordIdle(connection, options, at: now)
  }
}
