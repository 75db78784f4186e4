import CLibcurl
import Glibc
import LupineCore

/// The event loop of one transport, made, used and released on its own thread.
final class Loop {
  let engine: Engine
  let lines = KnownLines()
  let deadSocket: DeadSocket
  var poller: Poller
  var roots = KnownRoots()
  /// What is known of each descriptor; nil where it is none of libcurl's.
  var sockets: [WatchedSocket?] = []
  private(set) var exchanges: [UInt64: Exchange] = [:]
  private let alarm: Alarm
  private var multis: [Multi] = []
  private let line: WaitingLine
  private var commands: [Command] = []
  private var jobs: [UnownedJob] = []
  /// The exchanges with which something is to be done at the end of the turn, each of which knows the next: a list in an
  /// array would be checked for exclusive access and for its room each time.
  private var firstTouched: Exchange?
  private var lastTouched: Exchange?
  private var isStopping = false
  private var isLetGo = false

  init(_ engine: Engine, _ alarm: Alarm) throws(LupineError) {
    guard LibraryFacts.isReady else { throw LupineError(.other, "libcurl cannot be initialised.") }
    self.engine = engine
    self.alarm = alarm
    poller = try Poller()
    deadSocket = try DeadSocket()
    line = WaitingLine(perHost: engine.configuration.connectionsPerHost, total: engine.configuration.connections)
    poller.watch(alarm.descriptor, for: Poller.readable | Poller.once, isWatched: false)
  }

  func run() {
    while !isStopping, !(isLetGo && exchanges.isEmpty) { turn() }
    for exchange in Array(exchanges.values) { exchange.end(Engine.shutDownError) }
    settle()
    for multi in multis { multi.close() }
    multis = []
    sockets = []
  }

  /// Exchanges start after the idle connections have been looked at, and before others become idle, so that none starts
  /// on a connection that has bytes waiting.
  private func turn() {
    sleep()
    guardIdleSockets()
    admit()
    obey()
    for multi in multis { multi.expire() }
    serveSockets()
    for multi in multis {
      multi.dialAgain()
      multi.collect()
    }
    prune()
    settle()
    engine.runJobs(&jobs)
  }

  private func sleep() {
    var milliseconds: Int32 = 0
    if !line.mayAdmit { milliseconds = Moment.milliseconds(until: multis.lazy.compactMap(\.alarm).min()) }
    if milliseconds != 0, !engine.fallAsleep() { milliseconds = 0 }
    poller.wait(milliseconds: milliseconds)
  }

  /// Lets go of multis that have been idle for as long as their connections may be, and of these connections.
  private func prune() {
    guard multis.contains(where: \.isStale) else { return }
    multis.removeAll { multi in
      guard multi.isStale else { return false }
      multi.close()
      return true
    }
  }

  private func guardIdleSockets() {
    for index in 0..<poller.count {
      let (descriptor, readiness) = poller.event(index)
      if descriptor != alarm.descriptor { guardSocket(descriptor, readiness) }
    }
  }

  private func serveSockets() {
    for index in 0..<poller.count {
      let (descriptor, readiness) = poller.event(index)
      guard descriptor != alarm.descriptor, let socket = sockets[Int(descriptor)], socket.wanted != 0 else { continue }
      socket.multi.serve(descriptor, readiness)
    }
  }

  private func settle() {
    while let exchange = firstTouched {
      firstTouched = exchange.leaveTouched()
      if firstTouched == nil { lastTouched = nil }
      exchange.settle()
    }
  }
}

extension Loop {
  /// Notes that something is to be done with an exchange at the end of the turn.
  func touch(_ exchange: Exchange) {
    if let lastTouched { lastTouched.isTouched(before: exchange) } else { firstTouched = exchange }
    lastTouched = exchange
  }

  /// Notes that an exchange is over.
  func isOver(_ exchange: Exchange) {
    exchanges[exchange.id] = nil
    line.leave(exchange.id, from: exchange.host)
  }

  /// Notes that a host speaks HTTP/2, so that its exchanges share connections.
  func isMultiplexed(_ exchange: Exchange) {
    line.lift(exchange.host)
    if exchange.socket >= 0 { sockets[Int(exchange.socket)]?.isMultiplexed = true }
  }

  private func obey() {
    engine.takeCommands(&commands)
    for command in commands {
      switch command {
      case .start(let submission): enter(submission)
      case .cancel(let id): exchanges[id]?.cancel()
      case .receive(let id): exchanges[id]?.resumeReceiving()
      case .provide(let id): exchanges[id]?.resumeSending()
      case .count(let continuation): continuation.resume(returning: snapshot(waiting: line.waitingCount))
      case .stop: isStopping = true
      case .letGo: isLetGo = true
      }
    }
    commands.removeAll(keepingCapacity: true)
  }

  private func enter(_ submission: Submission) {
    let exchange: Exchange
    do throws(LupineError) {
      exchange = Exchange(submission, self, line.host(of: submission.url), try multi(for: submission))
    } catch {
      return submission.continuation.resume(returning: .failure(error))
    }
    exchanges[exchange.id] = exchange
    exchange.multi.enter()
    let queued = QueuedExchange(
      exchange.id, priority: submission.options.priority, submission.context.connections)
    if line.enter(queued, at: exchange.host) {
      start(exchange)
    } else {
      submission.context.emit(.queued(reason: line.reason(for: queued, at: exchange.host)))
    }
  }

  private func admit() {
    while let id = line.next() {
      if let exchange = exchanges[id] { start(exchange) }
    }
  }

  private func start(_ exchange: Exchange) {
    do throws(LupineError) {
      try exchange.start()
    } catch {
      exchange.end(error)
    }
  }

  private func multi(for submission: Submission) throws(LupineError) -> Multi {
    for multi in multis where multi.route.isRoute(of: submission) { return multi }
    let multi = try Multi(Route(submission), self)
    multis.append(multi)
    return multi
  }
}
