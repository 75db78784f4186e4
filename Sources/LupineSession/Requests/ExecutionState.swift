import HTTPTypes
import LupineCore
import LupineSupport

/// The internal state of a running request: its tasks, exchange and settings; `RequestState` is the public summary.
///
/// Each change returns what the caller does outside the lock.
struct ExecutionState {
  /// See `RequestExecution.addCompletionHandler(_:)`.
  typealias Handler = @Sendable (RequestExecution, RequestOutcome) async -> Void
  typealias Follower = UnsafeContinuation<RequestOutcome, Never>
  typealias Gate = UnsafeContinuation<Void, Never>

  enum Phase {
    case idle
    case running
    case finished(RequestOutcome)
  }

  /// The tasks that wait for the request, and the code of the program that runs for it.
  private struct Waiters {
    /// The tasks that wait for the outcome.
    var followers: [Follower] = []
    /// The tasks that wait until the request is resumed.
    var gates: [Gate] = []
    /// The tasks that wait until the body is handed over.
    var headWaiters: [Gate] = []
    /// The asynchronous code of the program that runs for the request, such as a retrier: its number, and the closure
    /// that cancels it.
    var works: [(number: Int, cancel: @Sendable () -> Void)] = []
    /// The serializers whose failure the retriers decide about.
    var retriableSerializers: [any RetriableSerializer] = []
  }

  var settings = RequestSettings()
  private(set) var phase = Phase.idle
  /// Whether the request waits for `resume()`: it is suspended, or does not start immediately.
  private(set) var isHeld: Bool
  private(set) var isSuspended = false
  private(set) var cancellation: LupineError?
  private(set) var status: Int?
  /// The source of the last response.
  var source = TransportResponse.Source.origin
  private var handlers: [Handler] = []
  private var isDelivering = false
  /// The running exchange.
  private(set) var control: ExchangeControl?
  /// The number of the running attempt, or of the last one.
  private(set) var attempt = 1
  /// The number of retries that the retriers have granted.
  private(set) var retryCount = 0
  /// Whether the next exchange is the first of a retry.
  private var isRetry = false
  /// Whether the attempt has begun an exchange with a server.
  private var hasExchange = false
  /// Whether the end of the exchange has been reported.
  private var isEndReported = false
  /// Whether the handler has checked the response of the attempt.
  private var isChecked = false
  /// Whether the idle timeout is not checked, because the last exchange ended by it.
  var isIdleTimeoutStopped = false
  /// Whether the body has been handed over, so that the request cannot be sent again.
  private(set) var isHandedOver = false
  /// Whether any body of the request has been handed over.
  private var hasEverHandedOver = false
  var timing = RequestTiming()
  var history = ExchangeHistory()
  private var waiters = Waiters()
  /// The number of the work that began last.
  private var lastWork = 0

  init(isHeld: Bool) { self.isHeld = isHeld }

  var hasFinished: Bool { if case .finished = phase { true } else { false } }

  // Start and end

  /// Makes the caller the leader of an idle request; otherwise returns whether to wait.
  mutating func join() -> Role {
    switch phase {
    case .idle:
      phase = .running
      return .lead
    case .running: return .follow
    case .finished(let outcome): return .take(outcome)
    }
  }

  mutating func follow(_ follower: Follower) -> RequestOutcome? {
    if case .finished(let outcome) = phase { return outcome }
    waiters.followers.append(follower)
    return nil
  }

  /// Adds a handler; `true` if the caller must start a task for it.
  mutating func add(_ handler: @escaping Handler) -> Bool {
    handlers.append(handler)
    switch phase {
    case .idle: return !isHeld && takeLead()
    case .running: return false
    case .finished: return takeDelivery()
    }
  }

  /// Sets whether the request waits for `resume()`, unless it has started or is suspended.
  ///
  /// A request that is awaited while it is held has not started, so that it can be released.
  ///
  /// - Returns: the waiting gates, and whether the caller must start a task, because handlers are waiting.
  mutating func setHeld(_ isHeld: Bool) -> (gates: [Gate], mustStart: Bool) {
    switch phase {
    case .idle where !isSuspended: self.isHeld = isHeld
    case .running where !isSuspended && !isHeld: self.isHeld = false
    default: return ([], false)
    }
    guard !isHeld else { return ([], false) }
    return (takeGates(), !handlers.isEmpty && takeLead())
  }

  mutating func takeLead() -> Bool {
    guard case .idle = phase else { return false }
    phase = .running
    return true
  }

  /// Ends the request; returns the waiting tasks, and whether a task must call the handlers.
  ///
  /// A suspended request ends as well, for example if its connection is lost. It is then no longer held.
  mutating func finish(_ outcome: RequestOutcome) -> End {
    phase = .finished(outcome)
    control = nil
    isHeld = false
    let waiting = exchange(&waiters, with: Waiters())
    return End(
      followers: waiting.followers, gates: waiting.gates + waiting.headWaiters, mustDeliver: takeDelivery(),
      listeners: takeOutcomeListeners())
  }

  /// Removes and returns the listeners that wait for the outcome.
  mutating func takeOutcomeListeners() -> [OutcomeListener] {
    let listeners = settings.outcomeListeners
    if !listeners.isEmpty { settings.outcomeListeners = [] }
    return listeners
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

  // Suspension

  /// Passes the gate or waits at it; a cancelled request passes.
  mutating func pass(_ gate: Gate) -> Bool {
    if !mustWait { return true }
    waiters.gates.append(gate)
    return false
  }

  /// Whether the request must wait at the next gate.
  var mustWait: Bool { isHeld && cancellation == nil }

  /// Suspends the request; `false` if it is already suspended or has ended.
  mutating func suspend() -> Bool {
    if case .finished = phase { return false }
    guard !isSuspended else { return false }
    isHeld = true
    isSuspended = true
    return true
  }

  /// Resumes the request; returns the waiting gates and whether to start a task, or `nil` if it was not suspended.
  mutating func resume() -> (gates: [Gate], mustStart: Bool)? {
    if case .finished = phase { return nil }
    let mustStart = takeLead()
    guard isHeld || mustStart else { return nil }
    isHeld = false
    isSuspended = false
    return (takeGates(), mustStart)
  }

  /// Stores the first reason for a cancellation; returns what to cancel.
  mutating func cancel(_ reason: LupineError) -> Cancellation? {
    if case .finished = phase { return nil }
    guard cancellation == nil else { return nil }
    cancellation = reason
    return Cancellation(
      control: control, works: works, gates: takeGates(), mustFinish: takeLead(),
      hasListeners: !settings.outcomeListeners.isEmpty)
  }

  private mutating func takeGates() -> [Gate] { exchange(&waiters.gates, with: []) }

  /// The closures that cancel running code of the program.
  private var works: [@Sendable () -> Void] { waiters.works.map(\.cancel) }

  // Attempts

  mutating func beginAttempt(_ number: Int) {
    attempt = number
    hasExchange = false
    isEndReported = false
    isChecked = false
    timing.beginAttempt()
  }

  /// Ends the attempt that began at the given time; returns what to cancel.
  ///
  /// The retriers then decide. The idle timeout is not checked until another exchange begins.
  mutating func expireAttempt(begun: Duration, _ reason: LupineError) -> Cancellation? {
    guard cancellation == nil, timing.expireAttempt(begun: begun, reason) else { return nil }
    isIdleTimeoutStopped = true
    return Cancellation(control: control, works: works, gates: [], mustFinish: false)
  }

  /// Records that the body has been handed over; returns the tasks that wait for it.
  mutating func handOver() -> [Gate] {
    isHandedOver = true
    hasEverHandedOver = true
    return takeHeadWaiters()
  }

  /// Prepares the attempts for another response after one that was handed over.
  mutating func expectNextResponse() { isHandedOver = false }

  /// Adds a task that waits until the first body is handed over; `true` if it need not wait.
  mutating func add(headWaiter waiter: Gate) -> Bool {
    if hasEverHandedOver { return true }
    if case .finished = phase { return true }
    waiters.headWaiters.append(waiter)
    return false
  }

  private mutating func takeHeadWaiters() -> [Gate] { exchange(&waiters.headWaiters, with: []) }

  /// Whether the caller lets the handler check the response; true once in each attempt.
  mutating func takeCheck() -> Bool {
    defer { isChecked = true }
    return !isChecked
  }

  // Retries

  /// Adds a serializer whose failure the retriers decide about; `false` if the request has ended.
  mutating func add(_ serializer: any RetriableSerializer) -> Bool {
    if case .finished = phase { return false }
    waiters.retriableSerializers.append(serializer)
    return true
  }

  /// The serializers whose failure the retriers decide about; empty after the end.
  var retriableSerializers: [any RetriableSerializer] { waiters.retriableSerializers }

  /// Expects a retry, which counts when its first exchange begins, and keeps the outcome of the attempt that failed.
  mutating func expectRetry(after outcome: RequestOutcome) {
    isRetry = true
    history.keep(outcome)
  }

  // Exchanges

  /// Begins an exchange; `nil` if the request is suspended or another exchange is running.
  ///
  /// - Parameters:
  ///   - original: the request without the fields of this exchange; `nil` if nothing is sent because an interceptor
  ///     made the response.
  ///   - head: the head of the response that an interceptor made.
  mutating func begin(
    _ control: ExchangeControl, _ request: OutgoingRequest, for original: OutgoingRequest?, head: HTTPResponse? = nil
  ) -> Beginning? {
    guard self.control == nil, original == nil || !mustWait else { return nil }
    // An exchange that does not begin sends nothing; `isIdleTimeoutStopped` stays set for the next one.
    if let ended = reasonToEnd {
      if let head { history.accept(head) }
      return Beginning(ended: ended, isSuspended: isSuspended, wasIdleTimeoutStopped: isIdleTimeoutStopped)
    }
    self.control = control
    history.begin(LastExchange(request: request, head: head), isSent: original != nil)
    source = .origin
    isEndReported = false
    if original != nil {
      hasExchange = true
      if isRetry { retryCount += 1 }
      isRetry = false
    }
    defer { isIdleTimeoutStopped = false }
    return Beginning(ended: nil, isSuspended: isSuspended, wasIdleTimeoutStopped: isIdleTimeoutStopped)
  }

  /// The request as it was last sent, in this attempt or an earlier one.
  var sent: OutgoingRequest? { history.last.request }

  /// The request as it was last sent in this attempt.
  var sentInAttempt: OutgoingRequest? { hasExchange ? sent : nil }

  /// The last exchange of this attempt; empty if it has begun none.
  var lastInAttempt: LastExchange { hasExchange ? history.last : LastExchange() }

  /// Whether the caller reports the end of this exchange (`received`).
  ///
  /// True once, while it is the current exchange.
  mutating func takeEndReport(of control: ExchangeControl?) -> Bool {
    guard self.control === control, !isEndReported else { return false }
    isEndReported = true
    return true
  }

  /// Ends the exchange whose body has ended successfully; `nil`, without a change, if there are response deciders.
  mutating func conclude(status: Int, _ metrics: TransferMetrics) -> Conclusion? {
    guard settings.responseDeciders.isEmpty else { return nil }
    let reportsEnd = takeEndReport(of: control)
    let control = control.take()
    endExchange(status: status, metrics: metrics)
    return Conclusion(control: control, sent: sentInAttempt, reportsEnd: reportsEnd)
  }

  mutating func endExchange(status: Int?, metrics: TransferMetrics?) {
    control = nil
    if let status { self.status = status }
    if let metrics { history.end(metrics) }
  }

  /// Begins work of the program, with the closure that cancels it.
  ///
  /// - Returns: the number for `endWork`, and whether the caller must cancel the work at once.
  mutating func begin(_ cancel: @escaping @Sendable () -> Void) -> (number: Int, isEnded: Bool) {
    lastWork += 1
    waiters.works.append((lastWork, cancel))
    return (lastWork, reasonToEnd != nil)
  }

  /// Ends work; works that are nested may begin and end in any order.
  mutating func endWork(_ number: Int) { waiters.works.removeAll { $0.number == number } }

  /// The reason of the cancellation, or the error of an attempt that has timed out; `nil` if neither has happened.
  var reasonToEnd: LupineError? { cancellation ?? timing.attemptEnd }

  /// The exchange, and whether the request is suspended.
  var suspension: (control: ExchangeControl?, isSuspended: Bool) { (control, isSuspended) }

  /// Stops the idle checks of an exchange that was idle too long; `false` if another exchange has begun.
  mutating func stopIdleTimeout(of exchange: ExchangeControl) -> Bool {
    guard timedRequest?.exchange === exchange else { return false }
    isIdleTimeoutStopped = true
    return true
  }

  /// The values that deadlines are checked against; `nil` before the start, after a cancellation and after the end.
  var timedRequest: TimedRequest? {
    guard case .running = phase, cancellation == nil, let started = timing.started else { return nil }
    return TimedRequest(
      started: started, deadline: settings.deadline, attempt: timing.timedAttempt,
      exchange: isSuspended ? nil : control, changedTimeouts: timing.changedTimeouts)
  }
}

/// A serializer whose failure the retriers decide about.
protocol RetriableSerializer: AnyObject, Sendable {
  /// Serializes the response of an attempt and keeps the result; returns the error of the serializer.
  ///
  /// - Parameter loadFailure: see `Serialization.measured`.
  func serialize(_ outcome: RequestOutcome, loadFailure: LupineError?, of execution: RequestExecution) -> LupineError?

  /// Discards the result of an attempt that is retried.
  func discardResult()

  /// Appends a sentence to the error that was kept; does nothing if there is none.
  func explainFailure(_ explanation: String)
}
