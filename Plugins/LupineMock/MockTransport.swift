import FoundationEssentials
import HTTPTypes
public import LupineCore
import Synchronization

/// Answers requests from memory, as its stubs say, and remembers them.
///
/// A mock has no global state: it belongs to the sessions it is given to, so tests run in parallel and never see each
/// other. Everything above the transport is the real code.
///
/// ```swift
/// let mock = MockTransport()
/// mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
/// let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
/// ```
///
/// Of several stubs that fit a request, the one that answers is chosen by: the higher `priority`; the fewer variables in
/// the URL template; a template with an origin before one without; more conditions; and at last, the one added first.
/// A stub whose `count` is used up is passed over.
public final class MockTransport: Transport, ObservingTransport {
  let state = Mutex(MockState())
  private let keepsLog: Bool

  /// The mock of the running test, where a trait of `LupineTesting` gave it one.
  @TaskLocal public static var current: MockTransport?

  /// Makes a mock without stubs.
  ///
  /// - Parameter keepsLog: whether its sessions' events are kept, to stand in the message of `verify()`. Default: yes; a
  ///   measurement says no.
  public init(keepsLog: Bool = true) { self.keepsLog = keepsLog }

  /// Makes what hears the events of one session.
  package func makeMonitor() -> (any EventMonitor)? {
    guard keepsLog else { return nil }
    let monitor = ExchangeLogMonitor()
    state.withLock { $0.monitors.append(monitor) }
    return monitor
  }

  /// What became of the requests that arrived, in the sessions' words.
  public var exchanges: [ExchangeLog] { state.withLock { $0.monitors }.flatMap(\.logs) }

  /// Everything that is honoured; connections are not made, so `networking` is not among it.
  ///
  /// What says how connections are made and kept holds for want of any: the way that a request would have taken stands in
  /// its `RecordedRequest`, and a network policy judges the addresses that `resolves(_:to:)` names.
  public var capabilities: TransportCapabilities {
    [
      .trustEvaluation, .http2, .trailers, .informationalResponses, .streamedUploads, .proxies, .unixSockets,
      .resolverOverrides, .localAddresses, .networkPolicy, .connectionOptions, .connectionAuthentication,
    ]
  }

  /// Answers as the stub says that fits the request.
  ///
  /// The request's body is read to its end first. A reply that waits for nothing is given at once, in the caller's task.
  ///
  /// - Throws: `LupineError` of kind `unmatchedRequest` where no stub fits, of kind `invalidStub` where the one that fits
  ///   cannot be used, and what a stub's fault or failure says.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try RequestRules.check(request.headers)
    if let reason = context.control.reason { throw reason }
    try checkPolicy(for: request, in: context)
    let strike = Simulation.current?.strike(context)
    try evaluateTrust(for: request, in: context)
    let upload = try Upload(request.body, in: context)
    do throws(LupineError) {
      if let strike, let fault = strike.fault, fault.isBeforeConnection {
        try await failToConnect(fault, strike, request, in: context)
      }
      return try await respond(to: request, upload: upload, in: context, strike)
    } catch {
      upload.cancel()
      if error.kind == .invalidStub { state.withLock { $0.failures.append(error) } }
      throw error.measured(TransferMetrics(sent: upload.data.count, for: request))
    }
  }

  /// Ends every exchange with kind `sessionShutDown` and returns when all are gone; later requests fail likewise.
  public func shutdown() async {
    let (running, idle) = state.withLock { ($0.shutDown(), $0.idle) }
    for exchange in running { exchange.interrupt(Self.shutDownError) }
    await idle.wait()
  }

  static let shutDownError = LupineError(.sessionShutDown, "The mock transport was shut down.")
}

extension MockTransport {
  /// Suffers a fault of a simulation that keeps the request from the server, and so from the stubs.
  private func failToConnect(
    _ fault: NetworkFault, _ strike: Strike, _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) {
    let cause = "as the simulation with seed \(Simulation.current?.seed ?? 0) says of exchange \(strike.exchange)."
    try await inTime(context) { () throws(LupineError) in
      try await context.clock.pause(for: strike.delay)
      try await Preparation.suffer(fault, cause, request, context)
    }
  }

  /// Runs what has to be waited for and leaves nothing behind.
  private func inTime(
    _ context: TransferContext, _ operation: @escaping @Sendable () async throws(LupineError) -> Void
  ) async throws(LupineError) {
    let exchange = MockExchange()
    guard state.withLock({ $0.enter(exchange) }) else { throw Self.shutDownError }
    defer { leave(exchange) }
    context.onCancel { [control = context.control] in exchange.interrupt(control.reason ?? MockExchange.cancelled) }
    try await exchange.run(operation)
  }

  private func respond(
    to request: OutgoingRequest, upload: Upload, in context: TransferContext, _ strike: Strike?
  ) async throws(LupineError) -> TransportResponse {
    guard try upload.readAvailable() else {
      return try await respondInTime(to: request, upload: upload, in: context, answer: nil, plan: nil, strike)
    }
    let answer = try answer(to: request, body: upload.data, in: context)
    let plan = try answer.plan()?.struck(by: strike, seed: Simulation.current?.seed ?? 0)
    if let plan, plan.isImmediate {
      if let problem = plan.problem { throw problem }
      return Delivery.atOnce(plan, request, bytesSent: upload.data.count, in: context)
    }
    return try await respondInTime(to: request, upload: upload, in: context, answer: answer, plan: plan, strike)
  }

  /// Does whatever has to be waited for, in a child task that ends when the exchange is cancelled.
  private func respondInTime(
    to request: OutgoingRequest, upload: Upload, in context: TransferContext, answer known: Answer?, plan: ReplyPlan?,
    _ strike: Strike?
  ) async throws(LupineError) -> TransportResponse {
    let exchange = MockExchange()
    guard state.withLock({ $0.enter(exchange) }) else { throw Self.shutDownError }
    context.onCancel { [control = context.control] in exchange.interrupt(control.reason ?? MockExchange.cancelled) }
    do throws(LupineError) {
      let (plan, source, rate) = try await exchange.run {
        [self] () throws(LupineError) -> (ReplyPlan, PieceSource, Int?) in
        let plan = try await self.plan(plan, of: known, for: request, upload, in: context, strike)
        let pace = plan.nextPace()
        return (plan, try await Preparation.prepare(plan, for: request, latency: pace.latency, in: context), pace.rate)
      }
      return Delivery.begin(
        plan, source, rate: rate, request, bytesSent: upload.data.count, on: exchange, in: context,
        whenDone: { [self] in leave(exchange) })
    } catch {
      leave(exchange)
      throw error
    }
  }

  /// What is not known yet of the reply: the rest of the body, the stub, what its closure makes.
  private func plan(
    _ plan: ReplyPlan?, of answer: Answer?, for request: OutgoingRequest, _ upload: Upload,
    in context: TransferContext, _ strike: Strike?
  ) async throws(LupineError) -> ReplyPlan {
    if let plan { return plan }
    let seed = Simulation.current?.seed ?? 0
    if let answer { return try await answer.awaitedPlan().struck(by: strike, seed: seed) }
    try await upload.readAll()
    return try await self.answer(to: request, body: upload.data, in: context).awaitedPlan().struck(
      by: strike, seed: seed)
  }

  private func leave(_ exchange: MockExchange) {
    state.withLock { if $0.leave(exchange) { $0.idle.set() } }
  }

  /// What led to a request that is not its first exchange; nil for a first one.
  private func log(of id: RequestID, _ request: OutgoingRequest) -> ExchangeLog? {
    state.withLock { $0.monitors }.lazy.compactMap { $0.log(of: id) }.first { log in
      log.attempts.reduce(0) { $0 + $1.hops.count } > 1 && log.attempts.last?.hops.last?.request == request.summary
    }
  }

  /// Finds the stub and remembers the request.
  private func answer(
    to request: OutgoingRequest, body: Data, in context: TransferContext
  ) throws(LupineError) -> Answer {
    let (table, isShutDown) = state.withLock { ($0.table, $0.isShutDown) }
    if isShutDown { throw Self.shutDownError }
    let matchable = MatchableRequest(method: request.method, url: request.url, headers: request.headers, body: body)
    let found = table.take(matchable)
    let record = RecordedRequest(request, body: body, context: context, stub: found?.stub)
    state.withLock { $0.requests.append(record) }
    guard let (stub, use) = found else { throw UnmatchedReport(matchable, table, log(of: context.id, request)).error }
    if let problem = stub.problem { throw problem }
    return Answer(stub: stub, use: use, request: record)
  }
}
