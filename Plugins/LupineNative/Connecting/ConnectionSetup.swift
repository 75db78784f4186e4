import LupineCore
import LupineEventLoop
import LupineSupport

/// Gets a new connection for an exchange: makes one, or waits for a stream of one that another exchange makes.
///
/// An exchange creates it when the pool has no connection, and closes it when it has one, or ends. Only the loop's thread
/// uses it.
final class ConnectionSetup {
  /// The role of the exchange among those that may share its connection.
  private enum Role { case none, waits, makes }

  /// The exchange closes the setup before it ends.
  unowned let exchange: Exchange
  /// The addresses of the server for a proxy that receives addresses, the present one first.
  var targets: ArraySlice<IPAddress> = []
  /// Whether `targets` is being found.
  var seeksTarget = false
  /// The addresses of the peer, which are tried again for each of `targets`.
  var peers: [IPAddress] = []
  /// The running lookup of the host's name.
  var lookup: HostLookups.Waiter?
  private var role = Role.none
  /// The place among the exchanges that wait for a stream.
  private var place: RemovableQueue<any StreamWaiter>.Place?
  private var dial: Dial?
  private var establishment: Establishment?
  /// Ends the exchange at the connect timeout.
  private var timer: ScheduledTimer?

  init(_ exchange: Exchange) { self.exchange = exchange }

  var loop: Loop { exchange.loop }
  var route: Route { exchange.route }
  var context: TransferContext { exchange.context }

  /// Waits for a connection that is being made, or begins to make one.
  func begin() {
    do throws(LupineError) {
      try loop.tls.prepare(for: route, now: context.now())
    } catch {
      return exchange.fail(error)
    }
    loop.readClock()
    startTimer()
    guard exchange.mayShareConnection, loop.connections.mustWait(self) else { return makeConnection() }
    role = .waits
    place = route.sharing.append(self)
  }

  private func startTimer() {
    guard let timeout = context.connectTimeout else { return }
    let time = SessionClock(context.clock, executor: context.executor)
    timer = time.schedule(timeout) { [ticket = exchange.submission.ticket] in ticket.post(.connectTimedOut) }
  }

  /// Fails the exchange, whose connect timeout has passed.
  func timedOut() { exchange.fail(lookup == nil ? ConnectFailure.timeout : HostLookups.timeout) }

  /// Ends everything that is under way.
  ///
  /// Other exchanges that wait for the connection get another one.
  func close() {
    if let lookup { lookups.removeWaiter(lookup) }
    timer?.cancel()
    dial?.close()
    establishment?.close()
    switch role {
    case .none: break
    case .waits: if let place { route.sharing.remove(place) }
    case .makes:
      route.sharing.makerCount -= 1
      loop.serveWaiting(on: route)
    }
  }
}

extension ConnectionSetup: StreamWaiter {
  var options: ConnectionOptions { context.connections }
  var asksForHTTP2: Bool { exchange.asksForHTTP2 }

  func stopWaiting(for shared: HTTP2Connection) {
    role = .none
    exchange.use(shared)
  }

  /// Begins to make a connection, because none can be shared.
  func makeConnection() {
    if exchange.mayShareConnection {
      role = .makes
      route.sharing.makerCount += 1
    }
    if let path = route.connectionKey.unixSocket { return dial([.path(path)]) }
    guard route.proxy?.resolvesNamesHere == true else { return findPeer() }
    seeksTarget = true
    find(route.origin.host)
  }
}

/// The attempts to connect.
extension ConnectionSetup {
  /// Connects to the addresses in turn.
  func dial(_ targets: [SocketTarget]) {
    let dial = Dial(targets, for: self)
    self.dial = dial
    dial.tryNext()
    scheduleNextAddress()
  }

  /// Tries another address if the last attempt has had its time.
  func tryNextAddress() {
    guard let dial, let time = dial.nextAttempt else { return }
    if time <= loop.now { dial.tryNext() }
    scheduleNextAddress()
  }

  /// Continues after the other loops have been asked to free a descriptor.
  func retrySocket() {
    dial?.retrySocket()
    scheduleNextAddress()
  }

  private func scheduleNextAddress() {
    if let time = dial?.nextAttempt { loop.scheduleNextAddress(of: exchange, at: time) }
  }

  func dialSucceeded(_ connection: Connection) {
    dial = nil
    loop.readClock()
    exchange.times.connected = loop.now
    let establishment = Establishment(connection, for: self)
    self.establishment = establishment
    establishment.begin()
  }

  func dialFailed(_ error: SystemError) {
    lookups.forget(route.peer.host)
    exchange.fail(ConnectFailure.error(error, on: route))
  }
}

/// The steps on the connection.
extension ConnectionSetup {
  /// Sends the request on the connection, which has taken all steps of its route.
  func establishmentFinished(_ connection: Connection) {
    establishment = nil
    if exchange.hasPriorKnowledge { connection.version = .http2 }
    guard connection.version == .http2 else {
      // The exchanges that wait for a stream then make connections of their own.
      if exchange.mayUseHTTP2 { route.sharing.recordHTTP1() }
      return exchange.use(connection, isReused: false)
    }
    do throws(LupineError) {
      let shared = try HTTP2Connection(connection, loop, isShared: exchange.mayShareConnection)
      loop.recordMultiplexing(of: exchange)
      exchange.use(shared)
    } catch {
      loop.connections.close(connection)
      exchange.fail(error)
    }
  }

  /// Returns the negotiation that leads a new connection through the proxy to the server; `nil` if none is necessary.
  func proxyNegotiation() throws(LupineError) -> (any ProxyNegotiation)? {
    guard let proxy = route.proxy, !route.isForwarded else { return nil }
    if route.isTunnelled {
      return TunnelNegotiation(
        to: route.origin, authorization: exchange.proxyAuthorization, through: proxy, context.limits, loop.heads)
    }
    let host = route.origin.host
    let address = targets.first ?? IPAddress(host: host)
    return try SocksNegotiation(
      to: address.map { .address($0) } ?? .name(host), port: route.origin.port, through: proxy)
  }

  /// Makes the proxy connect to the server's next address after one that it could not connect to.
  func targetRefused(_ error: LupineError) {
    establishment?.close()
    establishment = nil
    targets = targets.dropFirst()
    guard !targets.isEmpty else { return exchange.fail(error) }
    findPeer()
  }
}
