import LupineFoundation

extension TransferContext {
  /// Makes the context of an exchange for a layer or a wrapping transport that needs the certificates which the session's
  /// evaluator judges, such as the verified chain.
  ///
  /// Returns this context if the session has no evaluator for the server. The certificates of a proxy are not observed.
  ///
  /// - Parameter observe: receives the input of the evaluator before the evaluator does, in the TLS handshake of a new
  ///   connection. It is called on the transport's thread, and must not block.
  public func observingTrust(_ observe: @escaping @Sendable (ServerTrust) -> Void) -> TransferContext {
    guard let evaluator else { return self }
    return changed { $0.evaluator = ObservedTrustEvaluator(base: evaluator, observe: observe) }
  }
}

/// Calls a closure before another evaluator.
private struct ObservedTrustEvaluator: TrustEvaluator {
  let base: any TrustEvaluator
  let observe: @Sendable (ServerTrust) -> Void

  var replacesVerification: Bool { base.replacesVerification }
  var wantsStapledOCSPResponse: Bool { base.wantsStapledOCSPResponse }
  var issues: [String] { base.issues }

  func warnings(now: Date) -> [String] { base.warnings(now: now) }

  func evaluate(_ trust: ServerTrust) throws {
    observe(trust)
    try base.evaluate(trust)
  }
}
