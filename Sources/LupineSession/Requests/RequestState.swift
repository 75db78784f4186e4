import HTTPTypes
package import LupineCore
import LupineSupport

/// What a request knows of itself; each change returns what is to be done, outside the lock.
package struct RequestState {
  /// Called with the request, which it must not hold itself: a request that is never started holds its handlers.
  package typealias Handler = @Sendable (RequestExecution, Outcome) async -> Void
  typealias Follower = UnsafeContinuation<Outcome, Never>
  typealias Gate = UnsafeContinuation<Void, Never>

  enum Phase {
    case idle
    case running
    case finished(Outcome)
  }

  package var settings = RequestSettings()
  private(set) var phase = Phase.idle
  package private(set) var isHeld: Bool
  private(set) var isSuspended = false
  package private(set) var cancellation: LupineError?
  /// The exchange that was begun last, in this attempt or an earlier one.
  package private(set) var last = LastExchange()
  package private(set) var status: Int?
  /// Who answered the last exchange, once somebody did.
  var source = TransportResponse.Source.origin
  private var handlers: [Handler] = []
  private var isDelivering = false
  /// The exchange that is under way.
  private(set) var control: ExchangeControl?
  /// What stands with the attempt, and led to the exchange.
  var exchange = ExchangeLoop.State()
  /// Whether nobody looks at the idle timeout, since the last exchange ended by it.
  var isUnwatched = false
  /// When the request began, on the session's clock.
  var started: Duration?
  /// Behind one pointer that most requests have not, so that those are neither large to make nor to end.
  var rare: CopyOnWrite<Rare>?

  init(isHeld: Bool) { self.isHeld = isHeld }

  // The request's course

  /// Takes the lead of an idle request; otherwise says whether to wait.
  mutating func join() -> Role {
    switch phase {
    case .idle:
      phase = .running
      return .lead
    case .running: return .follow
    case .finished(let outcome): return .take(outcome)
    }
  }

  mutating func follow(_ follower: Follower) -> Outcome? {
    if case .finished(let outcome) = phase { return outcome }
    change { $0.followers.append(follower) }
    return nil
  }

  /// Adds a handler; true when a task must be started for it.
  mutating func add(_ handler: @escaping Handler) -> Bool {
    handlers.append(handler)
    switch phase {
    case .idle: return !isHeld && takeLead()
    case .running: return false
    case .finished: return takeDelivery()
    }
  }

  package mutating func takeLead() -> Bool {
    guard case .idle = phase else { return false }
    phase = .running
    return true
  }

  /// Ends the request; returns who waits, and whether handlers wait for a task to call them.
  mutating func finish(_ outcome: Outcome) -> (followers: [Follower], mustDeliver: Bool) {
    phase = .finished(outcome)
    control = nil
    guard let known = rare?.value else { return ([], takeDelivery()) }
    change {
      $0.works = []
      $0.followers = []
    }
    return (known.followers, takeDelivery())
  }

  private mutating func takeDelivery() -> Bool {
    guard !isDelivering, !handlers.isEmpty else { return false }
    isDelivering = true
    return true
  }

  mutating func nextHandler() -> Handler? {
    guard !handlers.isEmpty else {
      isDelivering = false
      return nil
    }
    return handlers.removeFirst()
  }

  // What holds it back

  /// Passes the gate, or waits at it; a cancelled request passes.
  mutating func pass(_ gate: Gate) -> Bool {
    if !mustWait { return true }
    change { $0.gates.append(gate) }
    return false
  }

  /// Whether it must wait at the next gate.
  var mustWait: Bool { isHeld && cancellation == nil }

  /// Holds the request back; false where it is held back already, or over.
  mutating func suspend() -> Bool {
    if case .finished = phase { return false }
    guard !isSuspended else { return false }
    isHeld = true
    isSuspended = true
    return true
  }

  /// Returns what goes on: those at the gate, and whether a task must be started; `nil` where nothing was held back.
  mutating func resume() -> (gates: [Gate], mustStart: Bool)? {
    if case .finished = phase { return nil }
    let mustStart = takeLead()
    guard isHeld || mustStart else { return nil }
    isHeld = false
    isSuspended = false
    return (takeGates(), mustStart)
  }

  /// Takes the first reason to end; returns what must hear of it.
  mutating func cancel(_ reason: LupineError) -> Cancellation? {
    if case .finished = phase { return nil }
    guard cancellation == nil else { return nil }
    cancellation = reason
    return Cancellation(
      control: control, works: rare?.value.works ?? [], gates: takeGates(), mustFinish: takeLead())
  }

  private mutating func takeGates() -> [Gate] {
    guard let gates = rare?.value.gates, !gates.isEmpty else { return [] }
    change { $0.gates = [] }
    return gates
  }

  // Its attempts

  mutating func takeStepAtHead() -> Pipeline.RetryStep? {
    guard let step = stepAtHead else { return nil }
    stepAtHead = nil
    return step
  }

  /// - Parameter now: the time, where that of an attempt has a bound.
  mutating func beginAttempt(at now: Duration?) {
    guard rare != nil || now != nil else { return }
    change {
      $0.attemptStarted = now
      $0.attemptEnd = nil
      $0.redirects = []
    }
  }

  /// Whether these are the bounds that hold already.
  func keeps(to timeouts: Timeouts, describedAs described: Timeouts) -> Bool {
    (changedTimeouts ?? described) == timeouts && (timeouts.attempt == nil || attemptStarted != nil)
  }

  /// Takes bounds in the place of those described; returns when the request and its attempt began.
  mutating func take(_ timeouts: Timeouts, now: Duration) -> (started: Duration, attempt: Duration) {
    change {
      $0.changedTimeouts = timeouts
      if timeouts.attempt != nil, $0.attemptStarted == nil { $0.attemptStarted = now }
    }
    return (started ?? now, attemptStarted ?? now)
  }

  /// Ends the attempt; returns why it was ended early, where it was.
  mutating func endAttempt() -> LupineError? {
    guard let known = rare?.value else { return nil }
    change {
      $0.attemptStarted = nil
      $0.attemptEnd = nil
    }
    return known.attemptEnd
  }

  /// Ends the attempt that began then early, and leaves the request to its retriers, unwatched until another exchange
  /// begins; returns what must hear of it.
  mutating func expireAttempt(begun: Duration, _ reason: LupineError) -> Cancellation? {
    guard attemptStarted == begun, attemptEnd == nil, cancellation == nil else { return nil }
    change { $0.attemptEnd = reason }
    isUnwatched = true
    return Cancellation(control: control, works: rare?.value.works ?? [], gates: [], mustFinish: false)
  }

  // What it is doing

  /// Begins an exchange; `nil` where the request must wait, or another is still under way, which must be ended first.
  ///
  /// - Parameters:
  ///   - original: the request without what was added for this exchange alone; `nil` where none of it goes out, since an
  ///     interceptor has made the response.
  ///   - head: the head of the response that an interceptor has made.
  mutating func begin(
    _ control: ExchangeControl, _ request: OutgoingRequest, for original: OutgoingRequest?, head: HTTPResponse? = nil
  ) -> Beginning? {
    guard self.control == nil, original == nil || !mustWait else { return nil }
    // An exchange that does not begin sends nothing; `isUnwatched` stays set for the next one.
    if let ended = cancellation ?? attemptEnd {
      if let head { accept(head) }
      return Beginning(ended: ended, isSuspended: isSuspended, wasUnwatched: isUnwatched)
    }
    self.control = control
    leaveLast()
    last = LastExchange(request: request, head: head)
    dropEarlier()
    source = .origin
    exchange.begin(original)
    defer { isUnwatched = false }
    return Beginning(ended: nil, isSuspended: isSuspended, wasUnwatched: isUnwatched)
  }

  /// Notes the final head of the exchange that was begun last.
  mutating func accept(_ head: HTTPResponse) { last.head = head }

  /// Notes the final head of an exchange; returns the request that led to it, or `nil` where another has replaced it.
  mutating func accept(_ head: HTTPResponse, of control: ExchangeControl) -> OutgoingRequest? {
    guard self.control === control, let original = exchange.original else { return nil }
    accept(head)
    return original
  }

  /// The number of the attempt that runs, or that ran last.
  package var attempt: Int { exchange.attempt }

  /// The request as it was sent last, in this attempt or an earlier one.
  var sent: OutgoingRequest? { last.request }

  /// What was sent last in this attempt.
  var sentInAttempt: OutgoingRequest? { exchange.original == nil ? nil : sent }

  /// The exchange that this attempt began last; empty where it has begun none.
  var lastInAttempt: LastExchange { exchange.original == nil ? LastExchange() : last }

  /// Whether to emit `finished` for this exchange.
  ///
  /// True once, while it is the current exchange.
  mutating func tells(_ control: ExchangeControl?) -> Bool {
    guard self.control === control, !exchange.isTold else { return false }
    exchange.isTold = true
    return true
  }

  /// Ends the exchange whose body has come to a good end; `nil`, and nothing happens, where somebody is to be asked about
  /// its response first.
  mutating func conclude(status: Int, _ metrics: TransferMetrics) -> Conclusion? {
    guard settings.responseDeciders.isEmpty else { return nil }
    let isToTell = tells(control)
    let control = control.take()
    endExchange(status: status, metrics: metrics)
    return Conclusion(control: control, sent: sentInAttempt, isToTell: isToTell)
  }

  mutating func endExchange(status: Int?, metrics: TransferMetrics?) {
    control = nil
    if let status { self.status = status }
    guard let metrics else { return }
    leaveLast()
    last.metrics = metrics
  }

  /// Copies the result of an event stream's connection: its last exchange and the metrics of earlier ones.
  package mutating func take(_ connection: LastExchange, after earlier: [TransferMetrics] = [], status: Int?) {
    self.status = status ?? self.status
    guard connection.request != nil else { return }
    leaveLast()
    for each in earlier { keep(each) }
    last = connection
  }

  /// How many exchanges' metrics are kept: a stream of events may go on for ever.
  static let metricsLimit = 100

  /// Moves the metrics of the last exchange to `earlierMetrics`.
  private mutating func leaveLast() {
    if let metrics = last.metrics.take() { keep(metrics) }
  }

  private mutating func keep(_ metrics: TransferMetrics) {
    change {
      $0.earlierMetrics.append(metrics)
      if $0.earlierMetrics.count > Self.metricsLimit { $0.earlierMetrics.removeFirst() }
    }
  }

  /// What the exchanges before the last one cost, of the newest ones.
  package var earlierMetrics: [TransferMetrics] { rare?.value.earlierMetrics ?? [] }

  /// What the newest exchanges cost that have ended.
  var allMetrics: [TransferMetrics] {
    (earlierMetrics + (last.metrics.map { [$0] } ?? [])).suffix(Self.metricsLimit)
  }

  /// Begins work of a program's own, given what cancels it; true when it must be cancelled at once.
  package mutating func begin(_ work: @escaping @Sendable () -> Void) -> Bool {
    change { $0.works.append(work) }
    return cancellation != nil || attemptEnd != nil
  }

  mutating func endWork() { change { _ = $0.works.popLast() } }

  /// The exchange and whether it is held back.
  var suspension: (control: ExchangeControl?, isSuspended: Bool) { (control, isSuspended) }

  /// Leaves the exchange unwatched that was idle too long; false where it is that no more, as where another has begun.
  mutating func leaveUnwatched(_ exchange: ExchangeControl) -> Bool {
    guard underWatch?.exchange === exchange else { return false }
    isUnwatched = true
    return true
  }

  /// What deadlines are to be compared with; `nil` before the beginning, once it has been cancelled, and after the end.
  var underWatch: Watched? {
    guard case .running = phase, cancellation == nil, let started else { return nil }
    return Watched(
      started: started, deadline: settings.deadline, attempt: attemptEnd == nil ? attemptStarted : nil,
      exchange: isSuspended ? nil : control, changedTimeouts: changedTimeouts)
  }
}
