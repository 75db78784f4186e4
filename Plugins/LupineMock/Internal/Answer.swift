import LupineCore

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
    case .planned: return stub.planned(use)?.fitted(to: sent, in: context)
    case .asyncClosure: return nil
    case .closure(let closure):
      let reply: MockReply
      do { reply = try closure(request) } catch { throw thrown(error) }
      return try plan(reply).fitted(to: sent, in: context)
    }
  }

  /// Returns the reply after the closure has made it.
  func awaitedPlan(
    for sent: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> ReplyPlan {
    guard case .asyncClosure(let closure) = stub.answers else {
      guard let plan = try plan(for: sent, in: context) else { throw stub.asked.error("it has no reply.") }
      return plan
    }
    let reply: MockReply
    do { reply = try await closure(request) } catch {
      throw Task.isCancelled ? MockExchange.cancelled : thrown(error)
    }
    return try plan(reply).fitted(to: sent, in: context)
  }

  private func thrown(_ error: any Error) -> LupineError {
    stub.asked.noted(
      stub.asked.error(
        "its closure threw \(error). To make a request fail on purpose, return .failure(…) or .fault(…).",
        underlying: error))
  }

  private func plan(_ reply: MockReply) throws(LupineError) -> ReplyPlan {
    guard !reply.parts.isEmpty else { throw stub.asked.noted(stub.asked.error("its sequence of replies is empty.")) }
    let plan = ReplyPlan(reply.parts[min(use, reply.parts.count - 1)], for: stub.asked)
    if let problem = plan.problem { throw stub.asked.noted(problem) }
    return plan
  }
}
