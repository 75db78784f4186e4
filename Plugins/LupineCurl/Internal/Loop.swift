import CLibcurl
import Glibc
import LupineCore

/// The event loop of one transport, made, used and released on its own thread.
final class Loop {
  let engine: Engine
  let lines = KnownLines()
  let watch: LibraryWatch
  let poller: Poller
  var roots = KnownRoots()
  /// What is known of each descriptor; nil where it is none of libcurl's.
  private(set) var sockets: [WatchedSocket?] = []
  let exchanges = ExchangeTable()
  private let wakeUp: WakeUp
  /// Replaced as a whole and never changed in place, so that reading it needs no check for exclusive access.
  private var multis: [Multi] = []
  private let line: ConnectionLimiter
  /// Whether something may have to be done because of the time.
  private var isTimeUp = false
  /// The exchanges with which something is to be done at the end of the turn, each of which knows the next.
  ///
  /// The list holds one count of each one's references until its turn comes. One in an array would be checked for
  /// exclusive access and for its room each time.
  private var firstTouched: Unmanaged<Exchange>?
  private var lastTouched: Unmanaged<Exchange>?
  /// The exchanges that have had their share of the turn.
  private var yielding: [UInt64] = []
  /// Whether libcurl has been called that calls back for exchanges; debug builds alone keep it, within `assert`.
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
    // Handed down from here, since changes of a member would be checked for exclusive access.
    var commands: [Command] = []
    var jobs: [UnownedJob] = []
    turn(&commands)
    while !isStopping, !(isLetGo && exchanges.count == 0) {
      sleep(&jobs)
      turn(&commands)
    }
    for exchange in exchanges.all { exchange.end(Engine.shutDownError) }
    settle()
    for multi in multis { multi.close() }
    multis = []
    sockets = []
    watch.stop()
  }

  /// Exchanges start after the idle connections have been looked at, and before others become idle, so that none starts
  /// on a connection that has bytes waiting.
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

  /// Runs the jobs that wait, and sleeps until there is something to do.
  private func sleep(_ jobs: inout [UnownedJob]) {
    let wakeUp = alarmTime
    let maySleep = engine.runJobs(&jobs, thenSleep: !line.mayAdmit && wakeUp != 0 && yielding.isEmpty)
    let rest = Moment.milliseconds(until: wakeUp)
    poller.wait(milliseconds: maySleep ? rest : 0)
    isTimeUp = rest == 0 || (maySleep && poller.count == 0)
  }

  /// When the loop has to look after one of its multis; nil leaves that to events.
  private var alarmTime: UInt64? {
    var earliest: UInt64?
    for multi in multis {
      if let wakeUp = multi.wakeUp { earliest = min(earliest ?? .max, wakeUp) }
    }
    return earliest
  }

  /// Lets go of multis that have been idle for as long as their connections may be, and of these connections.
  private func prune() {
    for stale in multis where stale.isStale {
      stale.close()
      multis = multis.filter { $0 !== stale }
    }
  }

  /// Closes the multis that no exchange uses; true where that closed a connection.
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
  /// Calls libcurl where it may read from connections and call back for exchanges.
  ///
  /// The exchanges of connections that were ended meanwhile have ended when it returns.
  func callLibrary<Result>(_ call: () -> Result) -> Result {
    assert(notes(isInLibrary: true))
    watch.enter()
    let result = call()
    watch.leave()
    assert(notes(isInLibrary: false))
    if watch.connections.hasCuts { endCut() }
    return result
  }

  /// True, so that it can be said within `assert`.
  private func notes(isInLibrary: Bool) -> Bool {
    self.isInLibrary = isInLibrary
    return true
  }

  /// Notes that an exchange has had its share of the turn, and is to go on in the next.
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

  /// Notes that something is to be done with an exchange at the end of the turn.
  func touch(_ exchange: Exchange) {
    let touched = Unmanaged.passRetained(exchange)
    if let lastTouched {
      lastTouched._withUnsafeGuaranteedRef { $0.isTouched(before: touched) }
    } else {
      firstTouched = touched
    }
    lastTouched = touched
  }

  /// Notes that an exchange is over.
  func isOver(_ exchange: Exchange) {
    exchanges.remove(exchange)
    line.leave(exchange.id, from: exchange.host)
  }

  /// Notes that a host speaks HTTP/2, so that its exchanges share connections.
  func isMultiplexed(_ exchange: Exchange) {
    line.lift(exchange.host)
    known(exchange.socket)?.isMultiplexed = true
  }

  /// Notes what is known of a descriptor from now on.
  ///
  /// The list is taken out while it is changed, so that reading it needs no check for exclusive access.
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
    if let multi = multis.first(where: { $0.route.isRoute(of: submission) }) { return multi }
    let multi = try Multi(Route(submission), self)
    multis = multis + [multi]
    return multi
  }
}
