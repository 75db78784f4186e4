import HTTPTypes
import LupineCore
import LupineDoubles
import LupineFoundation
import Synchronization

/// The steps of one exchange: the request's body, the stub, its reply.
struct StubbedExchange: Sendable {
  let mock: MockTransport
  let request: OutgoingRequest
  let context: TransferContext
  let upload: Upload?
  let world: Simulation?
  /// The faults and delays of a simulation for this exchange.
  let injection: FaultInjection?

  /// The state after the steps that need no waiting; usually the exchange is complete.
  enum Beginning {
    case response(TransportResponse)
    /// The server does not process the request.
    case unprocessed(NetworkFault)
    case waits(early: EarlyStub? = nil, answer: Answer? = nil, plan: ReplyPlan? = nil)
  }

  func begin() throws(LupineError) -> Beginning {
    if let fault = injection?.fault, fault.isBeforeProcessing { return .unprocessed(fault) }
    let early = try earlyStub()
    guard try readAvailableBody(early) else { return .waits(early: early) }
    let answer = try answer(early)
    let plan = try injected(answer.plan(for: request, in: context))
    if let plan { sendOrRestoreBody(plan, answer) }
    guard let plan, plan.isImmediate else { return .waits(answer: answer, plan: plan) }
    if let problem = plan.problem { throw problem }
    try plan.size.check(context.limits)
    return .response(Delivery.atOnce(plan, request, bytesSent: upload?.bytesSent ?? 0, in: context))
  }

  func finish(_ beginning: Beginning) async throws(LupineError) -> TransportResponse {
    switch beginning {
    case .response(let response): return response
    case .unprocessed(let fault):
      try await fail(of: fault)
      return try await runInTime()
    case .waits(let early, let answer, let plan):
      return try await runInTime(early: early, answer: answer, plan: plan)
    }
  }

  /// Applies a fault of a simulation that occurs before the server processes the request; the stubs are not evaluated.
  private func fail(of fault: NetworkFault) async throws(LupineError) {
    let exchange = try mock.running.enter(context)
    defer { mock.running.leave(exchange) }
    if !fault.isBeforeConnection { context.reportConnection(for: request, tunnel: [:]) }
    try await exchange.run(on: context.executor) { [self] () throws(LupineError) in
      try await context.clock.pause(for: injection?.delay ?? .zero)
      try await Preparation.apply(fault, simulated, request, context)
    }
  }

  /// Performs the steps that need waiting, in a task that ends when the exchange is cancelled.
  private func runInTime(
    early: EarlyStub? = nil, answer known: Answer? = nil, plan: ReplyPlan? = nil
  ) async throws(LupineError) -> TransportResponse {
    let exchange = try mock.running.enter(context)
    do throws(LupineError) {
      let (plan, source, rate) = try await exchange.run(on: context.executor) {
        [self] () throws(LupineError) -> (ReplyPlan, PieceSource, Int?) in
        let (plan, answer) = try await awaited(plan, of: known, early)
        let pace = plan.part.pace.draw(forStubAt: answer.stub.parameters.place, use: answer.use)
        return (plan, try await Preparation.prepare(plan, for: request, latency: pace.latency, in: context), pace.rate)
      }
      return Delivery.begin(
        plan, source, rate: rate, request, bytesSent: upload?.bytesSent ?? 0, on: exchange, in: context,
        whenDone: { [mock] in mock.running.leave(exchange) })
    } catch {
      mock.running.leave(exchange)
      throw error
    }
  }

  /// Completes the reply: reads the rest of the body, finds the stub and calls its closure.
  private func awaited(
    _ plan: ReplyPlan?, of known: Answer?, _ early: EarlyStub?
  ) async throws(LupineError) -> (ReplyPlan, Answer) {
    guard let known else {
      let prelude = try await readBody(early)
      let (plan, answer) = try await awaited(nil, of: answer(early), nil)
      return (prelude.map { plan.following($0) } ?? plan, answer)
    }
    if let plan { return (plan, known) }
    if known.isAsynchronous { upload?.send() }
    let plan = injected(try await known.awaitedPlan(for: request, in: context))
    sendOrRestoreBody(plan, known)
    return (plan, known)
  }

  /// Sends the request's body, or restores it if no connection is made.
  private func sendOrRestoreBody(_ plan: ReplyPlan, _ answer: Answer) {
    guard let upload else { return }
    guard plan.isRefusal else { return upload.send() }
    upload.restore()
    mock.state.withLock { $0.removeBody(of: answer.request) }
  }

  /// Reads as much of the request's body as the stub takes; for a body that waited for 100 Continue, returns what was
  /// sent meanwhile.
  private func readBody(_ early: EarlyStub?) async throws(LupineError) -> Prelude? {
    guard let upload else { return nil }
    if upload.waitsForContinue { return try await sendHeldBackBody(upload, early) }
    try await upload.readAll(upTo: limit(early))
    return nil
  }

  func injected(_ plan: ReplyPlan) -> ReplyPlan {
    injection.map { plan.injecting($0, simulated) } ?? plan
  }

  private func injected(_ plan: ReplyPlan?) -> ReplyPlan? { plan.map { injected($0) } }

  /// The origin of a fault of the simulation, for error messages.
  private var simulated: String {
    "as the simulation with seed \(world?.seed ?? 0) specifies for exchange \(injection?.exchange ?? 0)."
  }
}

/// A stub that answers without the whole request body, and the number of the answer.
typealias EarlyStub = (stub: Stub, use: Int)

extension StubbedExchange {
  /// Reads the available part of the request's body; returns true if no waiting is needed.
  private func readAvailableBody(_ early: EarlyStub?) throws(LupineError) -> Bool {
    guard let upload else { return true }
    if upload.waitsForContinue, limit(early) > 0 { return false }
    let table = try mock.openTable()
    let mayBeRefused = early == nil && table.hasRequestFaults
    var isRead = false
    // A body that needs waiting or fails reports its progress, unless the server may never receive it.
    defer { if !isRead, !mayBeRefused { upload.send() } }
    isRead = try upload.readAvailable(upTo: limit(early))
    return isRead
  }

  private func earlyStub() throws(LupineError) -> EarlyStub? {
    guard let upload else { return nil }
    let table = try mock.openTable()
    if table.hasEarlyStubs, let early = table.claim(matchable(Data()), areEarly: true) { return early }
    if upload.waitsForContinue { return try stubByHead(table) }
    return table.hasRequestFaults ? table.claimRequestFault(matchable(Data())) : nil
  }

  /// Returns the maximum number of body bytes that are read before the answer.
  func limit(_ early: EarlyStub?) -> Int {
    let injected = injection?.fault?.requestBytesBeforeReset ?? .max
    guard let early else { return injected }
    return answersBeforeBody(early) ? 0 : min(injected, early.stub.bodyLimit(forUse: early.use))
  }

  func matchable(_ body: Data) -> RequestSnapshot {
    RequestSnapshot(method: request.method, url: request.url, headers: request.headers, body: body)
  }

  /// Returns the request for a message, with its secret fields set.
  private func shown(_ request: RequestSnapshot) -> RequestSnapshot {
    var shown = request
    shown.secretFields = context.secretFields
    return shown
  }

  /// Finds the stub and records the request.
  private func answer(_ early: EarlyStub?) throws(LupineError) -> Answer {
    let table = try mock.openTable()
    let body = upload?.data ?? Data()
    let matchable = matchable(body)
    // Stubs that answer without the body were evaluated before the body was read.
    let found = early ?? table.claim(matchable, areEarly: upload != nil && table.hasEarlyStubs ? false : nil)
    // The server does not read the rest: the stub answers before it, or a fault of the simulation cuts it off.
    let leavesRest = if let early { !early.stub.refuses(early.use) } else { upload?.isComplete == false }
    if leavesRest { upload?.abandon() }
    guard let (stub, use) = found else {
      guard let count = injection?.fault?.requestBytesBeforeReset else { throw unmatched(matchable, table) }
      // A condition may need the bytes that the fault cuts off.
      upload?.send()
      throw Preparation.resetInRequest(request, after: count, simulated)
    }
    let record = record(body, stub)
    if let problem = stub.problem { throw problem }
    return Answer(stub: stub, use: use, request: record)
  }

  /// Records a request that no stub matches, and returns the error that explains it.
  func unmatched(_ matchable: RequestSnapshot, _ table: StubTable, isBodyKnown: Bool = true) -> LupineError {
    let report = UnmatchedReport(
      shown(matchable), table, mock.log(of: context.id, request), isBodyKnown: isBodyKnown)
    _ = record(matchable.body, nil, mismatch: report.message)
    return report.error
  }

  private func record(_ body: Data, _ stub: Stub?, mismatch: String? = nil) -> RecordedRequest {
    let record = RecordedRequest(
      request, body: body, isBodyComplete: upload?.isComplete ?? true, context: context, stub: stub, mismatch: mismatch)
    mock.state.withLock { $0.requests.append(record) }
    return record
  }
}

extension MockTransport {
  /// Returns the stubs.
  ///
  /// - Throws: kind `sessionShutDown` after the shutdown.
  fileprivate func openTable() throws(LupineError) -> StubTable {
    try running.checkIsOpen()
    return state.withLock { $0.table }
  }
}

/// The stub that matches a request, and the number of the answer to give.
struct Answer: Sendable {
  let stub: Stub
  let use: Int
  let request: RecordedRequest

  /// Whether an asynchronous closure makes the reply.
  var isAsynchronous: Bool {
    if case .asyncClosure = stub.answers { true } else { false }
  }

  /// Returns the reply to the request as it was sent; `nil` if an asynchronous closure makes it.
  func plan(for sent: OutgoingRequest, in context: TransferContext) throws(LupineError) -> ReplyPlan? {
    switch stub.answers {
    case .planned: return stub.planned(use)?.resolved(for: sent, in: context)
    case .asyncClosure: return nil
    case .closure(let closure):
      let reply: MockReply
      do { reply = try closure(request) } catch { throw thrown(error) }
      return try plan(reply).resolved(for: sent, in: context)
    }
  }

  /// Returns the reply after the closure has made it.
  func awaitedPlan(
    for sent: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> ReplyPlan {
    guard case .asyncClosure(let closure) = stub.answers else {
      guard let plan = try plan(for: sent, in: context) else { throw stub.parameters.error("it has no reply.") }
      return plan
    }
    let reply: MockReply
    do { reply = try await closure(request) } catch {
      throw Task.isCancelled ? VirtualExchange.cancelled : thrown(error)
    }
    return try plan(reply).resolved(for: sent, in: context)
  }

  private func thrown(_ error: any Error) -> LupineError {
    stub.parameters.recorded(
      stub.parameters.error(
        "its closure threw \(error). To make a request fail on purpose, return .failure(…) or .fault(…).",
        underlying: error))
  }

  private func plan(_ reply: MockReply) throws(LupineError) -> ReplyPlan {
    guard !reply.parts.isEmpty else {
      throw stub.parameters.recorded(stub.parameters.error("its sequence of replies is empty."))
    }
    let plan = ReplyPlan(reply.parts[min(use, reply.parts.count - 1)], for: stub.parameters)
    if let problem = plan.problem { throw stub.parameters.recorded(problem) }
    return plan
  }
}
