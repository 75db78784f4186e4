import CLibcurl
import LupineCore

/// The event loop of one transport; it is created, used and released on its own thread.
final class Loop {
  let engine: Engine
  let lines = KnownLines()
  let watch: LibraryWatch
  let poller: Poller
  var roots = KnownRoots()
  /// The state of each descriptor, by its number; nil if libcurl does not use the descriptor.
  private(set) var sockets: [WatchedSocket?] = []
  let exchanges = ExchangeTable()
  private let wakeUp: WakeUp
  /// Replaced as a whole and never changed in place, so that reading it needs no exclusivity check.
  private var multis: [Multi] = []
  private let line: ConnectionLimiter
  /// Whether a deadline may have passed.
  private var isTimeUp = false
  /// The first exchange of the list that `settle` processes at the end of the turn.
  ///
  /// The list is linked through the exchanges, and holds one reference to each of them. An array would need an
  /// exclusivity check for each access.
  private var firstTouched: Unmanaged<Exchange>?
  private var lastTouched: Unmanaged<Exchange>?
  /// The exchanges that have used their share of the turn.
  private var yielding: [UInt64] = []
  /// Whether a call of libcurl that may call back for exchanges is in progress; maintained in debug builds only.
  private(set) var isInLibrary = false
  private var lastConnectionID: UInt64 = 0
  private var isStopping = false
  private var isLetGo = false

  init(_ engine: Engine, _ wakeUp: WakeUp) throws(LupineError) {
    guard LibraryFacts.isReady else { throw LupineError(.other, "libcurl cannot be initialised.") }
    self.engine = engine
    self.wakeUp = wakeUp
    poller = try Poller()
    watch = try LibraryWatch()
    line = ConnectionLimiter(perHost: engine.configuration.connectionsPerHost, total: engine.configuration.connections)
    poller.watch(wakeUp.descriptor, for: Poller.readable | Poller.once, isWatched: false)
    try watch.start()
  }

  func run() {
    // Local variables passed as arguments avoid the exclusivity checks of class members.
    var commands: [Command] = []
    var jobs: [UnownedJob] = []
    turn(&commands)
    while !isStopping, !(isLetGo && exchanges.count == 0) {
      sleep(&jobs)
      turn(&commands)
    }
    for exchange in exchanges.all { exchange.end(.transportShutDown) }
    settle()
    for multi in multis { multi.close() }
    multis = []
    sockets = []
    watch.stop()
  }

  /// Runs one turn of the loop.
  ///
  /// Exchanges start after the idle connections have been checked and before other connections become idle. So no
  /// exchange starts on a connection that has unread bytes.
  private func turn(_ commands: inout [Command]) {
    guardIdleSockets()
    if line.mayAdmit { admit() }
    engine.takeCommands(&commands)
    if !commands.isEmpty { obey(&commands) }
    if !yielding.isEmpty { goOn() }
    for multi in multis { multi.expire(isTimeUp: isTimeUp) }
    serveSockets()
    for multi in multis {
      if multi.hasFailedDial { multi.dialAgain() }
      multi.collect()
    }
    if isTimeUp { prune() }
    settle()
  }

  /// Runs the queued jobs, and sleeps until there is an event, a command or a deadline.
  private func sleep(_ jobs: inout [UnownedJob]) {
    let wakeUp = alarmTime
    let maySleep = engine.runJobs(&jobs, thenSleep: !line.mayAdmit && wakeUp != 0 && yielding.isEmpty)
    let rest = Moment.milliseconds(until: wakeUp)
    poller.wait(milliseconds: maySleep ? rest : 0)
    isTimeUp = rest == 0 || (maySleep && poller.count == 0)
  }

  /// The earliest time at which a multi must be called; nil if no multi has a deadline.
  private var alarmTime: UInt64? {
    var earliest: UInt64?
    for multi in multis {
      if let wakeUp = multi.wakeUp { earliest = min(earliest ?? .max, wakeUp) }
    }
    return earliest
  }

  /// Closes the multis that have been idle for the lifetime of their idle connections.
  private func prune() {
    for stale in multis where stale.isStale {
      stale.close()
      multis = multis.filter { $0 !== stale }
    }
  }

  /// Closes the multis that no exchange uses; returns true if a connection was closed.
  func closeUnused(but kept: Multi) -> Bool {
    let before = openCount
    for unused in multis where unused !== kept && unused.isUnused {
      unused.close()
      multis = multis.filter { $0 !== unused }
    }
    return openCount < before
  }

  private var openCount: Int { sockets.count { $0?.isConnection == true } }

  private func guardIdleSockets() {
    for index in 0..<poller.count {
      let (descriptor, readiness) = poller.event(index)
      if descriptor != wakeUp.descriptor { guardSocket(descriptor, readiness) }
    }
  }

  private func serveSockets() {
    for index in 0..<poller.count {
      let (descriptor, readiness) = poller.event(index)
      guard let socket = known(descriptor), socket.wanted != 0 else { continue }
      socket.multi.serve(descriptor, readiness)
    }
  }

  private func settle() {
    while let touched = firstTouched {
      let exchange = touched.takeRetainedValue()
      firstTouched = exchange.leaveTouched()
      if firstTouched == nil { lastTouched = nil }
      exchange.settle()
    }
  }
}

extension Loop {
  /// Makes a call of libcurl that may read from connections and call back for exchanges.
  ///
  /// When this method returns, the exchanges of connections that the watch has ended have ended as well.
  func callLibrary<Result>(_ call: () -> Result) -> Result {
    assert(notes(isInLibrary: true))
    watch.enter()
    let result = call()
    watch.leave()
    assert(notes(isInLibrary: false))
    if watch.connections.hasCuts { endCut() }
    return result
  }

  /// Returns true, for use in `assert`.
  private func notes(isInLibrary: Bool) -> Bool {
    self.isInLibrary = isInLibrary
    return true
  }

  /// Records that an exchange has used its share of the turn and continues in the next one.
  func yields(_ exchange: Exchange) { yielding.append(exchange.id) }

  private func goOn() {
    let exchanges = yielding
    yielding = []
    for id in exchanges { self.exchanges[id]?.takeTurn() }
  }

  func makeConnectionID() -> UInt64 {
    lastConnectionID += 1
    return lastConnectionID
  }

  /// Adds an exchange to the list that `settle` processes at the end of the turn.
  func touch(_ exchange: Exchange) {
    let touched = Unmanaged.passRetained(exchange)
    if let lastTouched {
      lastTouched._withUnsafeGuaranteedRef { $0.isTouched(before: touched) }
    } else {
      firstTouched = touched
    }
    lastTouched = touched
  }

  /// Removes an exchange that is over.
  func isOver(_ exchange: Exchange) {
    exchanges.remove(exchange)
    line.leave(exchange.id, from: exchange.host)
  }

  /// Records that a host uses HTTP/2, so that its exchanges share connections.
  func isMultiplexed(_ exchange: Exchange) {
    line.lift(exchange.host)
    known(exchange.socket)?.isMultiplexed = true
  }

  /// Stores the state of a descriptor.
  ///
  /// The list is moved out during the change, so that reading it needs no exclusivity check.
  func note(_ socket: WatchedSocket?, of descriptor: Int32) {
    var list = sockets
    sockets = []
    while list.count <= Int(descriptor) { list.append(nil) }
    list[Int(descriptor)] = socket
    sockets = list
  }

  private func obey(_ commands: inout [Command]) {
    for command in commands {
      switch command {
      case .start(let submission): enter(submission)
      case .cancel(let id): exchanges[id]?.cancel()
      case .receive(let id): exchanges[id]?.resumeReceiving()
      case .provide(let id): exchanges[id]?.resumeSending()
      case .resolved(let id, let outcome): exchanges[id]?.resolved(outcome)
      case .count(let continuation): continuation.resume(returning: snapshot(waiting: line.waitingCount))
      case .stop: isStopping = true
      case .letGo: isLetGo = true
      }
    }
    commands.removeAll(keepingCapacity: true)
  }

  private func enter(_ submission: Submission) {
    let now = Moment.now
    let exchange: Exchange
    do throws(LupineError) {
      exchange = Exchange(submission, line.host(of: submission.url), try multi(for: submission), at: now)
    } catch {
      return submission.continuation.resume(returning: .failure(error))
    }
    exchanges.insert(exchange)
    exchange.multi.enter()
    let queued = QueuedExchange(
      exchange.id, priority: submission.request.priority, submission.settings.connections)
    if line.enter(queued, at: exchange.host) {
      start(exchange, at: now)
    } else {
      submission.context.emit(.queued(reason: line.reason(for: queued, at: exchange.host)))
    }
  }

  private func admit() {
    while let id = line.next() {
      if let exchange = exchanges[id] { start(exchange, at: Moment.now) }
    }
  }

  private func start(_ exchange: Exchange, at now: UInt64) {
    do throws(LupineError) {
      try exchange.start(at: now)
    } catch {
      exchange.end(error)
    }
  }

  private func multi(for submission: Submission) throws(LupineError) -> Multi {
    if let multi = multis.first(where: { $0.route.matches(submission.identity, submission.version) }) { return multi }
    let multi = try Multi(Route(submission.identity, submission.version), self)
    multis = multis + [multi]
    return multi
  }
}
