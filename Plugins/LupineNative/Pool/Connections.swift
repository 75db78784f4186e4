import LupineCore
import LupineEventLoop
import LupineSupport

/// The limits of the connections of a loop.
struct PoolLimits {
  let perHost: Int
  /// In nanoseconds, like `lifetime`.
  let idleLifetime: UInt64
  let lifetime: UInt64

  init(perHost: Int, idleLifetime: Duration, lifetime: Duration) {
    self.perHost = perHost
    self.idleLifetime = idleLifetime.wholeNanoseconds
    self.lifetime = lifetime.wholeNanoseconds
  }
}

/// The connections of a loop, with the poller that watches them; used on the loop's thread.
///
/// The poller watches each descriptor once, for both directions, until it is closed.
final class Connections {
  let poller: Poller
  // Without dynamic checks of exclusive access, like the values of the loop: no code of the loop is called during a change.
  @exclusivity(unchecked) var routes = Routes()
  /// The connection of each descriptor.
  private var table: [Connection?] = []
  private(set) var openCount = 0
  @exclusivity(unchecked) private var idle = IdleConnections()
  var idleCount: Int { idle.count }
  /// When `closeExpired` has something to do; `nil` if nothing is idle.
  var nextExpiry: UInt64? { idle.nextExpiry }
  /// The time on the monotonic clock, which the loop reads at the beginning of a turn, and at each step to a new connection.
  @exclusivity(unchecked) var now = MonotonicClock.now
  let limits: PoolLimits
  private let total: ConnectionTotal
  private let thread: LoopThread
  /// Whether something may have arrived on an idle connection before the present command, although the poller has not
  /// reported it: the command may be newer than the last poll.
  @exclusivity(unchecked) var mustPeek = true

  init(_ limits: PoolLimits, _ total: ConnectionTotal, on thread: LoopThread) throws(LupineError) {
    self.limits = limits
    self.total = total
    self.thread = thread
    poller = try Poller()
  }

  /// Returns the connection of a descriptor; `nil` if there is none.
  func connection(_ descriptor: Int32) -> Connection? {
    descriptor >= 0 && Int(descriptor) < table.count ? table[Int(descriptor)] : nil
  }

  /// Begins to make a connection, for which the user is called when it has been made or has failed.
  ///
  /// If no descriptor or no room in the pool is left, an idle connection of this loop is closed first. If there is none,
  /// and no room, another loop closes an idle connection in its next turn. If there is none, and no descriptor, this
  /// method throws, and `requestDescriptor(for:)` asks the other loops.
  func open(
    _ target: SocketTarget, for route: Route, _ options: ConnectionOptions, user: any ConnectionUser
  ) throws(SystemError) -> Connection {
    if total.isReached { _ = closeOldest() }
    let socket = try makeSocket(for: target)
    if let address = route.connectionKey.localAddress { try socket.bind(to: address) }
    let interval = options.probeInterval ?? .seconds(60)
    socket.probe(after: Int(clamping: interval.boundedSeconds))
    try socket.connect(to: target)
    try poller.watch(
      socket.descriptor, for: Poller.readable | Poller.writable | Poller.edgeTriggered, isWatched: false)
    let connection = Connection(consume socket, to: target, for: route, at: now)
    connection.user = user
    route.useCount += 1
    openCount += 1
    total.add()
    if !closeSurplus() { total.requestRoom(besides: thread) }
    while table.count <= Int(connection.descriptor) { table.append(nil) }
    table[Int(connection.descriptor)] = connection
    return connection
  }

  private func makeSocket(for target: SocketTarget) throws(SystemError) -> Socket {
    do throws(SystemError) {
      return try Socket(for: target)
    } catch {
      guard error.isDescriptorShortage, closeOldest() else { throw error }
      return try Socket(for: target)
    }
  }

  /// Closes a connection that is idle, or that nothing uses any more.
  func close(_ connection: Connection) {
    guard connection.isOpen else { return }
    recordUse(of: connection)
    connection.isOpen = false
    connection.closeChannel()
    if let shared = connection.user as? HTTP2Connection { connection.route.sharing.remove(shared) }
    connection.user = nil
    openCount -= 1
    total.subtract()
    table[Int(connection.descriptor)] = nil
    routes.leave(connection.route)
  }

  /// Closes every connection.
  func closeAll() {
    for case let connection? in table { close(connection) }
  }
}

// The idle connections.
extension Connections {
  /// Takes an idle connection of a route that can carry an exchange; `nil` if there is none.
  ///
  /// The connection used last is taken first. One on which the peer has sent something, or that it has closed, is
  /// closed: such bytes would become the response to the next request (RFC 9112 section 9.2).
  func take(for route: Route, _ options: ConnectionOptions) -> Connection? {
    while let connection = route.idle.last {
      recordUse(of: connection)
      if isUsable(connection, options), isQuiet(connection) { return connection }
      close(connection)
    }
    return nil
  }

  /// Whether a connection is younger than its lifetimes.
  func isUsable(_ connection: Connection, _ options: ConnectionOptions, isIdle: Bool = true) -> Bool {
    let idleLifetime = options.idleLifetime?.wholeNanoseconds ?? limits.idleLifetime
    let lifetime = options.lifetime?.wholeNanoseconds ?? limits.lifetime
    return (!isIdle || now - connection.idleSince <= idleLifetime) && now - connection.madeAt <= lifetime
  }

  /// Whether nothing has arrived on an idle connection.
  ///
  /// The poller reports arrivals, but once: a receive that filled its buffer may have left something.
  private func isQuiet(_ connection: Connection) -> Bool {
    !(mustPeek || connection.mayReceive) || connection.isQuiet
  }

  /// Keeps a connection for the next exchange of its route.
  func keep(_ connection: Connection, _ options: ConnectionOptions) {
    connection.user = nil
    connection.routePlace = connection.route.idle.append(connection)
    recordIdle(connection, options)
    // A loop that was asked for room while it had no idle connection closes one now.
    if total.isExceeded { _ = closeSurplus() }
  }

  /// Records that a connection is idle, and when it is closed.
  ///
  /// - Parameter bound: closes it after this time in nanoseconds, if its idle lifetime is longer. Default: none.
  func recordIdle(_ connection: Connection, _ options: ConnectionOptions, bound: UInt64 = .max) {
    connection.idleSince = now
    connection.expiry = now + min(bound, options.idleLifetime?.wholeNanoseconds ?? limits.idleLifetime)
    idle.add(connection)
  }

  /// Records that a connection is used again, or is to be closed; no effect if it is not idle.
  func recordUse(of connection: Connection) {
    guard let place = connection.idlePlace else { return }
    idle.remove(place)
    connection.idlePlace = nil
    if let place = connection.routePlace { connection.route.idle.remove(place) }
    connection.routePlace = nil
  }

  /// Closes the connections that have been idle for their lifetime.
  func closeExpired() {
    while let descriptor = idle.popExpired(at: now) {
      guard let connection = connection(descriptor) else { continue }
      if idle.hasExpired(connection, at: now) { close(connection) }
    }
  }

  /// Closes the connection that has been idle for the longest time; false if none is idle.
  private func closeOldest() -> Bool {
    guard let oldest = idle.oldest else { return false }
    close(oldest)
    return true
  }

  /// Makes another loop close an idle connection for an exchange that needs its descriptor; the exchange then receives
  /// `mayRetrySocket`.
  ///
  /// Returns false if no other loop runs.
  func requestDescriptor(for ticket: Ticket) -> Bool { total.requestDescriptor(for: ticket, besides: thread) }

  /// Closes an idle connection for an exchange of another loop that needs its descriptor, or asks the next loop.
  func freeDescriptor(for ticket: Ticket, others: Int) {
    if closeOldest() || !total.requestDescriptor(for: ticket, besides: thread, others: others) {
      ticket.post(.mayRetrySocket)
    }
  }

  /// Closes idle connections while the loops have too many connections; false if they still have.
  func closeSurplus() -> Bool {
    while total.isExceeded { if !closeOldest() { return false } }
    return true
  }

  /// Closes the connections of a route that are probably lost, because a reused connection was lost.
  ///
  /// These are the connections of HTTP/1.1 that became idle no later than the lost one, and those of HTTP/2 that
  /// existed when the exchange on the lost connection began. The latter take no new streams, and are closed after their
  /// last one.
  func recordLoss(of lost: Connection, usedSince start: UInt64) {
    let route = lost.route
    while let connection = route.idle.first, connection.idleSince <= lost.idleSince { close(connection) }
    while let shared = route.sharing.oldest, shared.connection.madeAt <= start { shared.drain() }
  }
}

extension Duration {
  /// The duration in nanoseconds, at least 0 and at most some hundred years.
  fileprivate var wholeNanoseconds: UInt64 { UInt64(clamping: nanoseconds) }
}
