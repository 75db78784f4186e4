import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport

/// Bodies that wait for 100 Continue (RFC 9110 section 10.1.1).
extension StubbedExchange {
  /// The time after which a body is sent without 100 Continue; the same as in libcurl.
  private static let continueTimeout = Duration.seconds(1)

  /// Finds the stub by the request's head; returns `nil` if the body is needed as well.
  func stubByHead(_ table: StubTable) throws(LupineError) -> EarlyStub? {
    let matchable = matchable(Data())
    switch table.claimByHead(matchable) {
    case .found(let stub, let use): return (stub, use)
    case .needsBody: return nil
    case .nothing: throw unmatched(matchable, table, isBodyKnown: false)
    }
  }

  /// Whether the final response comes before the body stops waiting, so that none of the body is sent.
  func answersBeforeBody(_ found: EarlyStub) -> Bool {
    guard upload?.waitsForContinue == true, case .sendFinalResponse(let delay) = continueReaction(of: found) else {
      return false
    }
    return delay <= Self.continueTimeout
  }

  /// Makes the body wait for 100 Continue, at most for `continueTimeout`, and reads as much of it as the stub takes.
  func sendHeldBackBody(_ upload: Upload, _ found: EarlyStub?) async throws(LupineError) -> Prelude {
    let plan = found.flatMap { planned($0) }
    if let plan { plan.connect(for: request, in: context) } else { context.reportConnection(for: request) }
    var prelude = Prelude(isConnected: true)
    let continueReaction = continueReaction(of: found)
    let responses = plan?.continueResponses ?? [HTTPResponse(status: .continue)]
    try await context.clock.pause(for: min(continueReaction.delay ?? Self.continueTimeout, Self.continueTimeout))
    if case .sendContinue(let delay?) = continueReaction, delay <= Self.continueTimeout {
      prelude.report(responses, in: context)
    }
    upload.send()
    try await upload.readAll(upTo: limit(found))
    switch continueReaction {
    case .sendContinue(let delay?) where delay > Self.continueTimeout:
      try await context.clock.pause(for: delay.bounded - Self.continueTimeout)
      prelude.report(responses, in: context)
    case .sendContinue: break
    case .sendFinalResponse: prelude.waited = Self.continueTimeout
    }
    return prelude
  }

  /// Returns the server's reaction before it has the body; if a closure or the body affects the answer, that is 100
  /// Continue at once.
  private func continueReaction(of found: EarlyStub?) -> ContinueReaction {
    guard let found else { return .sendContinue(after: .zero) }
    if found.stub.problem != nil { return .sendFinalResponse(after: .zero) }
    guard let plan = planned(found) else { return .sendContinue(after: .zero) }
    guard case .sendFinalResponse(let delay) = plan.continueReaction else { return plan.continueReaction }
    // A stub that limits how much it reads needs that part of the body.
    if found.stub.isEarly { return .sendContinue(after: .zero) }
    let latency = plan.part.pace.draw(forStubAt: found.stub.parameters.place, use: found.use).latency
    return .sendFinalResponse(after: delay.bounded + latency)
  }

  private func planned(_ found: EarlyStub) -> ReplyPlan? {
    found.stub.planned(found.use).map { injected($0.resolved(for: request, in: context)) }
  }
}

extension ContinueReaction {
  /// The delay of the reaction; `nil` if there is none.
  fileprivate var delay: Duration? {
    switch self {
    case .sendContinue(let delay): delay
    case .sendFinalResponse(let delay): delay
    }
  }
}

extension Prelude {
  /// Reports interim responses.
  fileprivate mutating func report(_ interim: [HTTPResponse], in context: TransferContext) {
    for response in interim { context.emit(.informational(response)) }
    reportedInterim += interim
  }
}
