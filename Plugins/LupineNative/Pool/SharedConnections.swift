import LupineCore
import LupineSupport

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
///
/// Each operation takes constant time, except the search for a free stream, which visits each full connection once.
struct SharedConnections {
  /// The connections that take new streams, in the order in which they were made.
  private var connections = RemovableQueue<HTTP2Connection>()
  /// Those of them that may have a free stream; `offer` adds the others when they have one.
  private var available = RemovableQueue<HTTP2Connection>()
  /// The exchanges that wait, in order.
  private var waiting = RemovableQueue<any StreamWaiter>()
  /// The number of connections whose peer has not said how many streams it takes.
  private(set) var unsettledCount = 0
  /// The number of exchanges that make a connection which others may share.
  var makerCount = 0
  /// Whether the waiting exchanges are being served.
  var isServing = false
  /// Whether the server selects HTTP/2 if TLS offers it, or takes it by prior knowledge; `nil` until a connection has
  /// shown it.
  private(set) var selectsHTTP2: Bool?

  /// The number of connections that take new streams.
  var count: Int { connections.count }
  /// The connection that was made first.
  var oldest: HTTP2Connection? { connections.first }
  /// The first connection that may have a free stream.
  var firstAvailable: HTTP2Connection? { available.first }

  mutating func append(_ exchange: any StreamWaiter) -> RemovableQueue<any StreamWaiter>.Place {
    waiting.append(exchange)
  }

  /// The exchange that has waited for the longest time.
  var first: (any StreamWaiter)? { waiting.first }

  mutating func removeFirst() { _ = waiting.popFirst() }

  /// Removes an exchange that has ended.
  mutating func remove(_ place: RemovableQueue<any StreamWaiter>.Place) { waiting.remove(place) }

  /// Adds a connection that takes streams.
  mutating func add(_ shared: HTTP2Connection) {
    guard shared.places.all == nil else { return }
    selectsHTTP2 = true
    shared.places.all = connections.append(shared)
    shared.places.isUnsettled = !shared.hasSettings
    if shared.places.isUnsettled { unsettledCount += 1 }
    offer(shared)
  }

  /// Records that a connection may have a free stream; no effect if it takes none any more.
  mutating func offer(_ shared: HTTP2Connection) {
    guard shared.places.all != nil else { return }
    settle(shared)
    if shared.places.available == nil { shared.places.available = available.append(shared) }
  }

  /// Records that a connection has no free stream, until it is offered again.
  mutating func withdraw(_ shared: HTTP2Connection) {
    if let place = shared.places.available.take() { available.remove(place) }
  }

  private mutating func settle(_ shared: HTTP2Connection) {
    guard shared.places.isUnsettled, shared.hasSettings else { return }
    shared.places.isUnsettled = false
    unsettledCount -= 1
  }

  /// Records that the server has selected HTTP/1.1 instead of HTTP/2, unless a connection with HTTP/2 is open.
  mutating func recordHTTP1() { if connections.isEmpty { selectsHTTP2 = false } }

  /// Removes a connection that takes no more streams; no effect if it has been removed.
  mutating func remove(_ shared: HTTP2Connection) {
    guard let place = shared.places.all.take() else { return }
    connections.remove(place)
    withdraw(shared)
    if shared.places.isUnsettled { unsettledCount -= 1 }
    shared.places.isUnsettled = false
  }

  /// The places of a connection.
  struct Places {
    fileprivate(set) var all: RemovableQueue<HTTP2Connection>.Place?
    fileprivate(set) var available: RemovableQueue<HTTP2Connection>.Place?
    /// Whether the connection counts as one whose peer has not said how many streams it takes.
    fileprivate(set) var isUnsettled = false
  }
}

extension Connections {
  /// Returns a connection of HTTP/2 with a free stream; `nil` if there is none.
  func takeShared(for route: Route, _ options: ConnectionOptions) -> HTTP2Connection? {
    while let shared = route.sharing.firstAvailable {
      let connection = shared.connection
      let isIdle = shared.exchangeCount == 0
      if isIdle { shared.receiveBeforeUse() }
      if !isUsable(connection, options, isIdle: isIdle) {
        shared.drain()
      } else if shared.hasFreeStream {
        recordUse(of: connection)
        return shared
      } else {
        route.sharing.withdraw(shared)
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
    return sharing.makerCount > 0 || sharing.count >= limit || sharing.unsettledCount > 0
  }
}
