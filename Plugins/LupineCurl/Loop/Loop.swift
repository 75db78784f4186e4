import CLibcurl
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineTLS

/// The event loop of one transport; it is created, used and released on its own thread.
final class Loop {
  let configuration: CurlTransport.Configuration
  let lookups: ResolverLookups
  let headCache = HeadCache()
  let watchdog: Watchdog
  let poller: Poller
  private let processorClock = ProcessorClock()
  var roots = RootCache()
  let sockets = SocketTable()
  /// The exchanges that have not ended, by their numbers.
  private(set) var exchanges: [UInt64: Exchange] = [:]
  /// The attempts to connect to further addresses.
  var races = AddressRaces()
  private let thread: LoopThread
  private let wakeUp: WakeUp
  /// Replaced as a whole and never changed in place, so that reading it needs no exclusivity check.
  private var multis: [Multi] = []
  private let limiter: ConnectionLimiter
  /// Whether a deadline may have passed.
  private var isTimeUp = false
  /// The exchanges that `settle` processes at the end of the turn.
  private var settling: [Exchange] = []
  /// The exchanges that have used their share of the turn.
  private var yielding: [UInt64] = []
  /// Whether a call of libcurl that may call back for exchanges is in progress; maintained in debug builds only.
  private(set) var isInLibrary = false
  private var lastConnectionID: UInt64 = 0
  private var isStopping = false
  private var stopsWhenIdle = false

  init(
    _ thread: LoopThread, _ wakeUp: WakeUp, _ configuration: CurlTransport.Configuration,
    _ lookups: ResolverLookups
  ) throws(LupineError) {
    guard LibcurlInfo.isReady else { throw LupineError(.other, "libcurl cannot be initialised.") }
    self.configuration = configuration
    self.lookups = lookups
    self.thread = thread
    self.wakeUp = wakeUp
    poller = try Poller()
    watchdog = try Watchdog()
    limiter = ConnectionLimiter(
      perHost: configuration.network.connectionsPerHost, total: configuration.network.connections)
    try poller.watch(wakeUp)
    try watchdog.start()
  }

  func run() {
    // Local variables passed as arguments avoid the exclusivity checks of class members.
    var commands: [LoopCommand] = []
    var jobs: [LoopJob] = []
    turn(&commands)
    while !isStopping, !(stopsWhenIdle && exchanges.count == 0) {
      sleep(&jobs)
      turn(&commands)
    }
    for exchange in exchanges.values { exchange.fail(.transportShutDown) }
    settle()
    for multi in multis { multi.close() }
    multis = []
    sockets.removeAll()
    watchdog.close()
  }

  /// Runs one turn of the loop.
  ///
  /// Exchanges start after the idle connections have been checked and before other connections become idle. So no
  /// exchange starts on a connection that has unread bytes.
  private func turn(_ commands: inout [LoopCommand]) {
    checkIdleSockets()
    if limiter.mayAdmit { startQueued() }
    thread.takeCommands(&commands)
    if !commands.isEmpty { execute(&commands) }
    if !yielding.isEmpty { resumeYielding() }
    if !races.isEmpty { beginAttempts() }
    for multi in multis { multi.handleTimeout(isTimeUp: isTimeUp) }
    serveSockets()
    for multi in multis {
      multi.tryNextAddresses()
      multi.completeFinished()
    }
    if isTimeUp { closeStale() }
    settle()
    for multi in multis { multi.replaceRemovedWaiting() }
    settle()
  }

  /// Runs the queued jobs, and sleeps until there is an event, a command or a deadline.
  private func sleep(_ jobs: inout [LoopJob]) {
    let deadline = nextDeadline
    let maySleep = thread.runJobs(&jobs, thenSleep: !limiter.mayAdmit && deadline != 0 && yielding.isEmpty)
    let timeout = MonotonicClock.milliseconds(until: deadline)
    poller.wait(milliseconds: maySleep ? timeout : 0)
    isTimeUp = timeout == 0 || (maySleep && poller.count == 0)
  }

  /// The earliest time at which a multi must be called; nil if no multi has a deadline.
  private var nextDeadline: UInt64? {
    var earliest = races.nextTime
    for multi in multis {
      if let deadline = multi.nextCall { earliest = min(earliest ?? .max, deadline) }
    }
    return earliest
  }

  /// Closes the multis that have been idle for the lifetime of their idle connections.
  private func closeStale() {
    for stale in multis where stale.isStale {
      stale.close()
      multis = multis.filter { $0 !== stale }
    }
  }

  /// Closes the multis that no exchange uses; returns true if a connection was closed.
  func closeUnused(except kept: Multi) -> Bool {
    let before = sockets.connectionCount
    for unused in multis where unused !== kept && unused.isUnused {
      unused.close()
      multis = multis.filter { $0 !== unused }
    }
    return sockets.connectionCount < before
  }

  private func checkIdleSockets() {
    for index in 0..<poller.count {
      let (descriptor, readiness) = poller.event(index)
      if descriptor != wakeUp.descriptor { checkIdleSocket(descriptor, readiness) }
    }
  }

  private func serveSockets() {
    for index in 0..<poller.count {
      let (descriptor, readiness) = poller.event(index)
      if !races.isEmpty { continueRace(descriptor) }
      guard let socket = sockets[descriptor], socket.requestedEvents != 0 else { continue }
      serve(socket, descriptor, readiness)
    }
  }

  /// Lets libcurl read and write, and ends a connection that only costs processor time.
  private func serve(_ socket: WatchedSocket, _ descriptor: Int32, _ readiness: UInt32) {
    let start = socket.isConnection && socket.floodBudget.measuresNextCall ? processorClock.now : nil
    let deliveries = watchdog.deliveryMark
    socket.multi.handleEvents(of: descriptor, readiness)
    resumeWriting(to: descriptor, socket)
    guard watchdog.hasDeliveredNothing(since: deliveries) else { return socket.floodBudget.recordDelivery() }
    // A peer that has sent nothing does not flood.
    guard readiness != Poller.writable else { return recordIdleWrite(to: descriptor, socket) }
    guard let start else { return socket.floodBudget.recordCall() }
    let time = processorClock.now - start
    if socket.floodBudget.recordCall(time: time, at: MonotonicClock.now) || socket.isClosed { return }
    watchdog.connections.closeFlooded(descriptor)
    failFloodedExchanges()
  }

  private func settle() {
    while !settling.isEmpty {
      let exchanges = settling
      settling = []
      for exchange in exchanges { exchange.settle() }
    }
  }
}

extension Loop {
  /// Makes a call of libcurl that may read from connections and call back for exchanges.
  ///
  /// When this method returns, the exchanges of connections that the watchdog has ended have ended as well.
  func callLibrary<Result>(_ call: () -> Result) -> Result {
    assert(record(isInLibrary: true))
    let result = watchdog.watching(call)
    assert(record(isInLibrary: false))
    if watchdog.connections.hasEndedConnections { failFloodedExchanges() }
    return result
  }

  /// Returns true, for use in `assert`.
  private func record(isInLibrary: Bool) -> Bool {
    self.isInLibrary = isInLibrary
    return true
  }

  /// Records that an exchange has used its share of the turn and continues in the next one.
  func resumeNextTurn(_ exchange: Exchange) { yielding.append(exchange.id) }

  private func resumeYielding() {
    let exchanges = yielding
    yielding = []
    for id in exchanges { self.exchanges[id]?.resumeAfterYield() }
  }

  func makeConnectionID() -> UInt64 {
    lastConnectionID += 1
    return lastConnectionID
  }

  /// Makes `settle` process an exchange at the end of the turn.
  func scheduleSettle(_ exchange: Exchange) { settling.append(exchange) }

  /// Removes an exchange that is over.
  func remove(_ exchange: Exchange) {
    exchanges[exchange.id] = nil
    limiter.leave(exchange.id, from: exchange.host)
  }

  /// Records that a host uses HTTP/2, so that its exchanges share connections.
  func recordMultiplexing(of exchange: Exchange) {
    limiter.lift(exchange.host)
    sockets[exchange.connection.socket]?.isMultiplexed = true
  }

  private func execute(_ commands: inout [LoopCommand]) {
    for command in commands {
      switch command {
      case .start(let submission): accept(submission)
      case .exchange(let id, let news): pass(news, to: id)
      case .countConnections(let continuation): continuation.resume(returning: snapshot(waiting: limiter.waitingCount))
      // One loop has all connections of the transport.
      case .closeIdle, .freeDescriptor: break
      case .stop: isStopping = true
      case .stopWhenIdle: stopsWhenIdle = true
      }
    }
    commands.removeAll(keepingCapacity: true)
  }

  private func pass(_ news: LoopCommand.News, to id: UInt64) {
    switch news {
    case .cancelled: exchanges[id]?.cancel()
    case .hasRoom: exchanges[id]?.resumeReceiving()
    case .hasBytes: exchanges[id]?.resumeSending()
    case .opened(let body):
      if let exchange = exchanges[id] { return exchange.finishOpening(body) }
      if case .success(let reader) = body { reader.cancel() }
    case .lookedUp(let outcome): finishLookup(of: id, outcome)
    // libcurl measures the rest of the connect timeout, and the wait for 100 (Continue). The loop's own limiter admits
    // the exchanges.
    case .connectTimedOut: finishLookup(of: id, .failure(HostLookups.timeout))
    case .admitted, .continueTimedOut, .mayRetrySocket: break
    }
  }

  private func finishLookup(of id: UInt64, _ outcome: HostLookups.Outcome) {
    if let exchange = exchanges[id] { exchange.setup?.finishLookup(outcome, for: exchange) }
  }

  private func accept(_ submission: Submission) {
    let now = MonotonicClock.now
    let exchange: Exchange
    do throws(LupineError) {
      exchange = Exchange(submission, limiter.host(of: submission.url), try multi(for: submission), at: now)
    } catch {
      return submission.refuse(error)
    }
    exchanges[exchange.id] = exchange
    exchange.multi.addExchange()
    let queued = QueuedExchange(
      exchange.id, priority: submission.request.priority, submission.settings.connections)
    if limiter.enter(queued, at: exchange.host) {
      exchange.start(at: now)
    } else {
      submission.context.emit(.queued(reason: limiter.reason(for: queued, at: exchange.host)))
    }
  }

  private func startQueued() {
    while let id = limiter.next() {
      exchanges[id]?.start(at: MonotonicClock.now)
    }
  }

  private func multi(for submission: Submission) throws(LupineError) -> Multi {
    if let multi = multis.first(where: { $0.route.matches(submission.connectionKey, submission.version) }) {
      return multi
    }
    let multi = try Multi(Route(submission.connectionKey, submission.version), self)
    multis = multis + [multi]
    return multi
  }
}
