import HeapModule
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineSupport

/// One event loop of a transport; it is created, used and released on its own thread.
///
/// Only its own thread uses the loop and the objects that it owns: connections, routes and exchanges. Other threads reach
/// them by commands. The loops of a transport share three objects that any thread may use: `admission`, `total` and
/// `lookups`.
///
/// The loop polls the sockets between the turns. A turn starts exchanges, and lets the exchanges whose sockets are ready
/// send and receive. The callers of exchanges continue at the end of a turn.
final class Loop {
  let connections: Connections
  let lookups: ResolverLookups
  let tls: TLSClient
  let buffers = Buffers()
  /// The heads and lines of earlier responses.
  let heads = HeadCache()
  private let thread: LoopThread
  private let wakeUp: WakeUp
  private let admission: Admission
  private let total: ConnectionTotal
  /// The maximum number of TLS handshakes that are continued in one turn: some of their steps take milliseconds.
  private static let handshakesAtOnce = 8
  // Without dynamic checks of exclusive access, of which each turn would have a dozen: each value is read or changed alone,
  // and no code of the loop is called meanwhile, not even by the release of an exchange.
  /// The exchanges that have not ended, by their numbers.
  @exclusivity(unchecked) private var exchanges: [UInt64: Exchange] = [:]
  /// The exchanges that `settle` processes at the end of the turn.
  @exclusivity(unchecked) private var settling: [Exchange] = []
  /// The connections and exchanges that have used their share of the turn.
  @exclusivity(unchecked) private var yielding: [any TurnTaker] = []
  /// The share of each connection in the work of the turn.
  @exclusivity(unchecked) private(set) var turnShare = TurnShare.maximum
  /// The number of TLS handshakes that may be continued in the turn.
  @exclusivity(unchecked) private var handshakesLeft = 0
  /// The connections of HTTP/2 that have frames to send at the end of the turn.
  @exclusivity(unchecked) private var flushing: [HTTP2Connection] = []
  /// When exchanges try another address, the earliest time first.
  @exclusivity(unchecked) private var dialing = Heap<NextAddress>()
  private var isStopping = false
  private var stopsWhenIdle = false

  init(
    _ thread: LoopThread, _ wakeUp: WakeUp, _ network: NetworkSettings, _ shared: SharedByLoops
  ) throws(LupineError) {
    self.thread = thread
    self.wakeUp = wakeUp
    lookups = shared.lookups
    admission = shared.admission
    total = shared.total
    tls = TLSClient(certificateAuthorities: network.certificateAuthorities, network.tlsAlgorithms)
    connections = try Connections(
      PoolLimits(
        perHost: network.connectionsPerHost, idleLifetime: network.idleConnectionLifetime,
        lifetime: network.connectionLifetime), total, on: thread)
    try connections.poller.watch(wakeUp)
  }

  func run() {
    total.loopBegan(thread)
    defer { total.loopEnded(thread) }
    var commands: [LoopCommand] = []
    var jobs: [LoopJob] = []
    thread.takeCommands(&commands)
    turn(&commands)
    while !isStopping, !(stopsWhenIdle && exchanges.isEmpty) {
      sleep(&jobs, &commands)
      turn(&commands)
    }
    for exchange in exchanges.values { exchange.fail(.transportShutDown) }
    flush()
    settle()
    connections.closeAll()
    // The elements refer to the loop and to their connections, whose sockets would stay open.
    yielding = []
  }

  /// Runs one turn.
  ///
  /// Idle connections are checked before an exchange can start on one of them.
  private func turn(_ commands: inout [LoopCommand]) {
    connections.now = MonotonicClock.now
    turnShare = TurnShare.share(of: yielding.count + connections.poller.count)
    handshakesLeft = Self.handshakesAtOnce
    recordEvents()
    for command in commands { execute(command) }
    commands.removeAll(keepingCapacity: true)
    resumeYielding()
    serveEvents()
    tryNextAddresses()
    connections.closeExpired()
    flush()
    settle()
  }

  /// Runs the queued jobs, takes the queued commands, and sleeps until there is an event, a command or a deadline.
  ///
  /// Commands that were queued before the poll are executed after it. The poll then shows everything that had arrived on
  /// the idle connections by the time of the command.
  private func sleep(_ jobs: inout [LoopJob], _ commands: inout [LoopCommand]) {
    let maySleep = thread.runJobs(&jobs, thenSleep: yielding.isEmpty)
    if !maySleep { thread.takeCommands(&commands) }
    connections.poller.wait(milliseconds: maySleep ? MonotonicClock.milliseconds(until: nextDeadline) : 0)
    if maySleep { thread.takeCommands(&commands) }
    connections.mustPeek = maySleep
  }

  /// The time on the monotonic clock: that of the beginning of the present turn, or of a later `readClock` in it.
  var now: UInt64 { connections.now }

  /// Moves `now` forward, after work that takes milliseconds.
  func readClock() { connections.now = MonotonicClock.now }

  /// When the loop has something to do without an event; `nil` means never.
  private var nextDeadline: UInt64? {
    guard let next = dialing.min?.time else { return connections.nextExpiry }
    return min(next, connections.nextExpiry ?? .max)
  }

  /// Records what the poller reports, and closes each idle connection on which something has arrived.
  private func recordEvents() {
    let poller = connections.poller
    for index in 0..<poller.count {
      let (descriptor, readiness) = poller.event(index)
      guard let connection = connections.connection(descriptor) else { continue }
      connection.record(readiness)
      let hasInput = readiness & (Poller.readable | Poller.broken) != 0
      if connection.isIdle, connection.user == nil, hasInput, !connection.isQuiet { connections.close(connection) }
    }
  }

  private func serveEvents() {
    let poller = connections.poller
    for index in 0..<poller.count {
      // A number may belong to a newer connection by now; its user finds out that nothing is ready.
      guard let connection = connections.connection(poller.event(index).descriptor) else { continue }
      connection.user?.connectionIsReady(connection)
    }
  }

  /// Sends the frames of a turn together.
  private func flush() {
    while !flushing.isEmpty {
      let connections = flushing
      flushing = []
      for connection in connections { connection.flush() }
    }
  }

  private func settle() {
    while !settling.isEmpty {
      let exchanges = settling
      settling = []
      for exchange in exchanges { exchange.settle() }
    }
  }
}

// For the exchanges and their connections.
extension Loop: SharedConnectionLoop {
  /// Makes `settle` process an exchange at the end of the turn.
  func scheduleSettle(_ exchange: Exchange) { settling.append(exchange) }

  /// Calls the taker again in the next turn.
  func resumeNextTurn(_ taker: any TurnTaker) { yielding.append(taker) }

  /// Whether a TLS handshake may be continued in this turn; counts it.
  func admitsHandshake() -> Bool {
    guard handshakesLeft > 0 else { return false }
    handshakesLeft -= 1
    return true
  }

  /// Makes a connection send its frames at the end of the turn.
  func scheduleFlush(_ connection: HTTP2Connection) { flushing.append(connection) }

  /// Records that a host uses HTTP/2, so that its exchanges share connections.
  func recordMultiplexing(of exchange: Exchange) { admission.lift(exchange.host) }

  /// Gives the waiting exchanges of a route streams, or makes one of them make a connection.
  func serveWaiting(on route: Route) {
    // An exchange that fails at once calls this method again.
    guard !route.sharing.isServing else { return }
    route.sharing.isServing = true
    defer { route.sharing.isServing = false }
    while let exchange = route.sharing.first {
      let shared = connections.takeShared(for: route, exchange.options)
      if shared == nil, connections.mustWait(exchange) { return }
      route.sharing.removeFirst()
      if let shared { exchange.stopWaiting(for: shared) } else { exchange.makeConnection() }
    }
  }

  /// Makes an exchange try another address if it has no connection at this time.
  func scheduleNextAddress(of exchange: Exchange, at time: UInt64) {
    dialing.insert(NextAddress(time: time, id: exchange.id))
  }

  /// Removes an exchange that is over.
  func remove(_ exchange: Exchange) {
    exchanges[exchange.id] = nil
    admission.leave(exchange.id, from: exchange.host)
    connections.routes.leave(exchange.route)
  }
}

extension Loop {
  private func execute(_ command: LoopCommand) {
    switch command {
    case .start(let submission): accept(submission)
    case .exchange(let id, let news): pass(news, to: exchanges[id])
    case .countConnections(let continuation):
      continuation.resume(
        returning: ConnectionPoolSnapshot(open: connections.openCount, idle: connections.idleCount))
    case .closeIdle(let others):
      if !connections.closeSurplus() { total.requestRoom(besides: thread, others: others) }
    case .freeDescriptor(let ticket, let others): connections.freeDescriptor(for: ticket, others: others)
    case .stop: isStopping = true
    case .stopWhenIdle: stopsWhenIdle = true
    }
  }

  private func pass(_ news: LoopCommand.News, to exchange: Exchange?) {
    switch news {
    case .admitted: exchange?.start()
    case .cancelled: exchange?.cancel()
    case .hasRoom: exchange?.resumeReceiving()
    case .hasBytes: exchange?.resumeSending()
    case .opened(.success(let reader)) where exchange == nil: reader.cancel()
    case .opened(let body): exchange?.finishOpening(body)
    case .lookedUp(let outcome): exchange?.setup?.lookedUp(outcome)
    case .connectTimedOut: exchange?.setup?.timedOut()
    case .continueTimedOut: exchange?.stopWaitingForContinue()
    case .mayRetrySocket: exchange?.setup?.retrySocket()
    }
  }

  private func accept(_ submission: Submission) {
    let (host, waitReason) = admission.enter(submission)
    let context = submission.context
    let route = connections.routes.enter(submission.request.url, context.connectionKey)
    let exchange = Exchange(submission, host, route, self)
    exchanges[exchange.id] = exchange
    if let waitReason { context.emit(.queued(reason: waitReason)) } else { exchange.start() }
  }

  private func resumeYielding() {
    guard !yielding.isEmpty else { return }
    let takers = yielding
    yielding = []
    for taker in takers { taker.resumeAfterYield() }
  }

  private func tryNextAddresses() {
    while let first = dialing.min, first.time <= now {
      dialing.removeMin()
      exchanges[first.id]?.setup?.tryNextAddress()
    }
  }
}

/// When an exchange tries another address.
struct NextAddress: Comparable {
  let time: UInt64
  let id: UInt64

  static func < (left: NextAddress, right: NextAddress) -> Bool {
    assert(StepCount.add())
    return (left.time, left.id) < (right.time, right.id)
  }
}

/// The objects that the loops of a transport share; any thread may use them.
struct SharedByLoops: Sendable {
  let lookups: ResolverLookups
  let admission: Admission
  let total: ConnectionTotal

  init(_ network: NetworkSettings, _ lookups: ResolverLookups) {
    self.lookups = lookups
    admission = Admission(perHost: network.connectionsPerHost, total: network.connections)
    total = ConnectionTotal(limit: network.connections)
  }
}
