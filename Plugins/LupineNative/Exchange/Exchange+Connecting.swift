import LupineCore
import LupineEventLoop
import LupineSupport

/// The state of an exchange that waits for a connection.
struct ConnectionSetup {
  /// The addresses of the server for a proxy that receives addresses, the present one first.
  var targets: ArraySlice<IPAddress> = []
  /// Whether `targets` is being found.
  var seeksTarget = false
  /// The addresses of the peer, which are tried again for each of `targets`.
  var peers: [IPAddress] = []
  /// The role of an exchange among those that may share its connection.
  enum Role { case none, waits, makes }

  var role = Role.none
  /// The place among the exchanges that wait for a stream.
  var place: RemovableQueue<any StreamWaiter>.Place?
  /// The running lookup of the host's name.
  var lookup: HostLookups.Waiter?
  var dial: Dial?
  var establishment: Establishment?
  /// Ends the exchange at the connect timeout.
  var timer: ScheduledTimer?
}

extension Exchange {
  /// Takes a connection that exists, waits for one that is being made, or begins to make one.
  func connect() {
    phase = .connecting
    if route.proxy != nil, let refusal { return fail(refusal) }
    let now = MonotonicClock.now
    if maySharePool, let shared = loop.connections.takeShared(for: route, context.connections, at: now) {
      return use(shared)
    }
    if mayUseIdleHTTP1, !context.needsNewConnection,
      let connection = loop.connections.take(for: route, context.connections, at: now)
    {
      return use(connection, isReused: true)
    }
    do throws(LupineError) { try loop.tls.prepare(for: route, now: context.now()) } catch { return fail(error) }
    startTimer()
    if maySharePool, loop.connections.mustWait(self) {
      setup.role = .waits
      setup.place = route.sharing.append(self)
      return
    }
    makeConnection()
  }

  private func startTimer() {
    guard let timeout = context.connectTimeout else { return }
    let time = SessionClock(context.clock, executor: context.executor)
    setup.timer = time.schedule(timeout) { [ticket = submission.ticket] in ticket.post(.connectTimedOut) }
  }

  func connectTimedOut() {
    guard phase == .connecting else { return }
    fail(setup.lookup == nil ? ConnectFailure.timeout : HostLookups.timeout)
  }

  /// Connects to the addresses in turn.
  ///
  /// The network policy is about servers: it does not apply to a proxy's own addresses.
  func dial(_ addresses: [IPAddress]) {
    guard let addresses = route.proxy == nil ? allowed(addresses) : addresses else { return }
    dial(addresses.map { .internet($0, port: route.peer.port) })
  }

  private func dial(_ targets: [SocketTarget]) {
    let dial = Dial(targets, for: route, context.connections, loop.connections, owner: self)
    setup.dial = dial
    dial.tryNext()
    if let time = dial.nextAttempt { loop.scheduleNextAddress(of: self, at: time) }
  }

  /// Tries another address if there is no connection yet and the last attempt has had its time.
  func tryNextAddress(at now: UInt64) {
    guard phase == .connecting, let dial = setup.dial, let time = dial.nextAttempt else { return }
    if time <= now { dial.tryNext() }
    if let time = dial.nextAttempt { loop.scheduleNextAddress(of: self, at: time) }
  }

  /// Ends the making of a connection.
  func endSetup() {
    if let lookup = setup.lookup { loop.lookups.removeWaiter(lookup) }
    setup.timer?.cancel()
    setup.dial?.cancel()
    setup.establishment?.cancel()
    let (role, place) = (setup.role, setup.place)
    setup = ConnectionSetup()
    switch role {
    case .none: break
    case .waits: if let place { route.sharing.remove(place) }
    case .makes:
      route.sharing.makerCount -= 1
      loop.serveWaiting(on: route)
    }
  }
}

extension Exchange {
  /// Sends the request on the connection, which has taken all steps of its route.
  func establishmentFinished(_ connection: Connection) {
    setup.establishment = nil
    if hasPriorKnowledge { connection.version = .http2 }
    guard connection.version == .http2 else {
      // The exchanges that wait for a stream then make connections of their own.
      if mayUseHTTP2 { route.sharing.recordHTTP1() }
      endSetup()
      return use(connection, isReused: false)
    }
    do throws(LupineError) {
      let shared = try HTTP2Connection(connection, loop, isShared: maySharePool)
      loop.recordMultiplexing(of: self)
      // The waiting exchanges get their streams after this one.
      use(shared)
      endSetup()
    } catch {
      loop.connections.close(connection)
      fail(error)
    }
  }
}

extension Exchange: StreamWaiter {
  var options: ConnectionOptions { context.connections }

  func stopWaiting(for shared: HTTP2Connection) {
    setup.role = .none
    endSetup()
    use(shared)
  }

  /// Begins to make a connection, because none can be shared.
  func makeConnection() {
    if maySharePool {
      setup.role = .makes
      route.sharing.makerCount += 1
    }
    if let path = route.connectionKey.unixSocket { return dial([.path(path)]) }
    guard route.proxy?.resolvesNamesHere == true else { return findPeer() }
    setup.seeksTarget = true
    find(route.origin.host)
  }

  /// Whether the request asks for HTTP/2.
  ///
  /// A proxy that forwards the request is sent HTTP/1.1, and decides the version in which it sends the request on.
  var asksForHTTP2: Bool { request.version == .http2 && !route.isForwarded }

  /// Whether the request uses HTTP/2 without a negotiation (RFC 9113 section 3.3).
  private var hasPriorKnowledge: Bool { asksForHTTP2 && request.url.scheme == .http }

  /// Whether the connection may have HTTP/2: by prior knowledge, or because TLS negotiates it.
  var mayUseHTTP2: Bool { asksForHTTP2 || (request.version == nil && request.url.scheme == .https) }

  /// Whether an idle connection of HTTP/1.1 may carry the request.
  ///
  /// A request that asks for HTTP/2 uses one only after the server has declined HTTP/2.
  private var mayUseIdleHTTP1: Bool {
    !asksForHTTP2 || (!hasPriorKnowledge && route.sharing.selectsHTTP2 == false)
  }

  /// Whether the exchange may share a connection with others.
  var maySharePool: Bool { mayUseHTTP2 && context.connections.isKeptAlive }
}

extension Exchange: DialOwner {
  func dialSucceeded(_ connection: Connection) {
    setup.dial = nil
    times.connected = MonotonicClock.now
    let establishment = Establishment(connection, for: self)
    setup.establishment = establishment
    establishment.begin()
  }

  func dialFailed(_ error: SystemError) {
    loop.lookups.forget(route.peer.host)
    fail(ConnectFailure.error(error, on: route))
  }
}
