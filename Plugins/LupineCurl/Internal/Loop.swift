import CLibcurl
import Glibc
import LupineCore

/// The event loop of one transport, made, used and released on its own thread.
final class Loop {
  let engine: Engine
  let names = FieldNames()
  let deadSocket: DeadSocket
  var poller: Poller
  var sockets: [WatchedSocket] = []
  private(set) var exchanges: [UInt64: Exchange] = [:]
  private let alarm: Alarm
  private var multis: [(key: MultiKey, multi: Multi)] = []
  private var line: WaitingLine
  private var commands: [Command] = []
  private var jobs: [UnownedJob] = []
  /// Exchanges whose callers have something to hear at the end of the turn.
  private var answered: [Exchange] = []
  /// Exchanges whose consumers have bytes to hear of at the end of the turn.
  private var undelivered: [Exchange] = []
  /// Exchanges whose response is complete while their body still goes out.
  private var abandoned: [Exchange] = []
  private var isStopping = false
  private var isLetGo = false

  init(_ engine: Engine, _ alarm: Alarm) throws(LupineError) {
    guard LibraryFacts.isReady else { throw LupineError(.other, "libcurl cannot be initialised.") }
    self.engine = engine
    self.alarm = alarm
    poller = try Poller()
    deadSocket = try DeadSocket()
    line = WaitingLine(perHost: engine.configuration.connectionsPerHost, total: engine.configuration.connections)
    poller.watch(alarm.descriptor, for: Poller.readable, isWatched: false)
  }

  func run() {
    while !isStopping, !(isLetGo && exchanges.isEmpty) { turn() }
    for exchange in Array(exchanges.values) { exchange.end(Engine.shutDownError) }
    handOver()
    for (_, multi) in multis { multi.close() }
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
    for (_, multi) in multis { multi.expire() }
    serveSockets()
    for (_, multi) in multis { multi.collect() }
    prune()
    for exchange in abandoned { exchange.abandon() }
    abandoned.removeAll(keepingCapacity: true)
    handOver()
    engine.runJobs(&jobs)
  }

  private func sleep() {
    var milliseconds: Int32 = 0
    if !line.mayAdmit { milliseconds = Moment.milliseconds(until: multis.lazy.compactMap(\.multi.alarm).min()) }
    if milliseconds != 0, !engine.fallAsleep() { milliseconds = 0 }
    poller.wait(milliseconds: milliseconds)
  }

  /// Lets go of multis that have been idle for as long as their connections may be, and of these connections.
  private func prune() {
    multis.removeAll { known in
      guard known.multi.isStale else { return false }
      known.multi.close()
      return true
    }
  }

  private func guardIdleSockets() {
    for index in 0..<poller.count {
      let (descriptor, readiness) = poller.event(index)
      if descriptor == alarm.descriptor { alarm.silence() } else { guardSocket(descriptor, readiness) }
    }
  }

  private func serveSockets() {
    for index in 0..<poller.count {
      let (descriptor, readiness) = poller.event(index)
      guard descriptor != alarm.descriptor, sockets[Int(descriptor)].wanted != 0 else { continue }
      sockets[Int(descriptor)].multi?.serve(descriptor, readiness)
    }
  }

  private func handOver() {
    for exchange in answered { exchange.handOver() }
    answered.removeAll(keepingCapacity: true)
    for exchange in undelivered { exchange.deliver() }
    undelivered.removeAll(keepingCapacity: true)
  }
}

extension Loop {
  /// Notes that an exchange has a head, or an error in its place.
  func hasAnswer(_ exchange: Exchange) { answered.append(exchange) }

  /// Notes that an exchange's sink has bytes of which its consumer has not heard.
  func hasBytes(_ exchange: Exchange) { undelivered.append(exchange) }

  /// Notes that an exchange needs to send no more.
  func isAnsweredEarly(_ exchange: Exchange) { abandoned.append(exchange) }

  /// Notes that an exchange is over.
  func isOver(_ exchange: Exchange) {
    exchanges[exchange.id] = nil
    line.leave(exchange.id, from: exchange.host)
  }

  /// Notes that a host speaks HTTP/2, so that its exchanges share connections.
  func isMultiplexed(_ exchange: Exchange) {
    line.lift(exchange.host)
    if exchange.socket >= 0 { sockets[Int(exchange.socket)].isMultiplexed = true }
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
    let exchange = Exchange(submission, self, line.host(submission.request.url.origin))
    exchanges[exchange.id] = exchange
    if line.enter(Waiter(submission), at: exchange.host) {
      start(exchange)
    } else {
      submission.context.emit(.queued(reason: line.reason(for: exchange.host)))
    }
  }

  private func admit() {
    while let id = line.next() {
      if let exchange = exchanges[id] { start(exchange) }
    }
  }

  private func start(_ exchange: Exchange) {
    do throws(LupineError) {
      try exchange.start(on: multi(for: exchange.submission))
    } catch {
      exchange.end(error)
    }
  }

  private func multi(for submission: Submission) throws(LupineError) -> Multi {
    let key = MultiKey(submission)
    if let known = multis.first(where: { $0.key == key }) { return known.multi }
    let multi = try Multi(key, self)
    multis.append((key, multi))
    return multi
  }
}
