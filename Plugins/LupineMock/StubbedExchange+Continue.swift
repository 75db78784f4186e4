import FoundationEssentials
import HTTPTypes
import LupineCore

/// Bodies that wait for 100 Continue (RFC 9110 section 10.1.1).
extension StubbedExchange {
  /// The time after which a body is sent without 100 Continue; the same as in libcurl.
  private static let patience = Duration.seconds(1)

  /// Finds the stub by the request's head; returns `nil` if the body is needed as well.
  func stubByHead(_ table: StubTable) throws(LupineError) -> EarlyStub? {
    let matchable = matchable(Data())
    switch table.takeByHead(matchable) {
    case .found(let stub, let use): return (stub, use)
    case .needsBody: return nil
    case .nothing: throw unmatched(matchable, table, isBodyKnown: false)
    }
  }

  /// Whether the final response comes before the body stops waiting, so that none of the body is sent.
  func declines(_ found: EarlyStub) -> Bool {
    guard upload?.isHeldBack == true, case .answer(let delay) = word(of: found) else { return false }
    return delay <= Self.patience
  }

  /// Makes the body wait for 100 Continue, at most for `patience`, and reads as much of it as the stub takes.
  func takeHeldBack(_ upload: Upload, _ found: EarlyStub?) async throws(LupineError) -> Prelude {
    let plan = found.flatMap { planned($0) }
    if let plan { plan.connect(for: request, in: context) } else { context.tellConnection(for: request) }
    var prelude = Prelude(isConnected: true)
    let word = word(of: found)
    let permission = plan?.permission ?? [HTTPResponse(status: .continue)]
    try await context.clock.pause(for: min(word.delay ?? Self.patience, Self.patience))
    if case .permission(let delay?) = word, delay <= Self.patience { prelude.hear(permission, in: context) }
    upload.send()
    try await upload.readAll(upTo: limit(found))
    switch word {
    case .permission(let delay?) where delay > Self.patience:
      try await context.clock.pause(for: delay - Self.patience)
      prelude.hear(permission, in: context)
    case .permission: break
    case .answer: prelude.waited = Self.patience
    }
    return prelude
  }

  /// Returns the server's reaction before it has the body; if a closure or the body affects the answer, that is 100
  /// Continue at once.
  private func word(of found: EarlyStub?) -> ServerWord {
    guard let found else { return .permission(after: .zero) }
    if found.stub.problem != nil { return .answer(after: .zero) }
    guard let plan = planned(found) else { return .permission(after: .zero) }
    guard case .answer(let delay) = plan.word else { return plan.word }
    // A stub that limits how much it reads needs that part of the body.
    if found.stub.isEarly { return .permission(after: .zero) }
    return .answer(after: delay + plan.part.pace.draw(for: found.stub, use: found.use).latency)
  }

  private func planned(_ found: EarlyStub) -> ReplyPlan? {
    found.stub.planned(found.use).map { injected($0.fitted(to: request, in: context)) }
  }
}

extension ServerWord {
  /// The delay of the reaction; `nil` if there is none.
  fileprivate var delay: Duration? {
    switch self {
    case .permission(let delay): delay
    case .answer(let delay): delay
    }
  }
}

extension Prelude {
  /// Reports interim responses.
  fileprivate mutating func hear(_ interim: [HTTPResponse], in context: TransferContext) {
    for response in interim { context.emit(.informational(response)) }
    heard += interim
  }
}
