public import LupineCore
public import LupineFoundation

/// Trusts a server if all of several evaluators trust it.
public struct CompositeTrustEvaluator: TrustEvaluator {
  /// The evaluators in the order in which they are called.
  public let evaluators: [any TrustEvaluator]

  /// Creates the evaluator; `Session.Builder.build()` throws if the list is empty.
  public init(evaluators: [any TrustEvaluator]) { self.evaluators = evaluators }

  /// Whether all evaluators replace the transport's verification.
  public var replacesVerification: Bool { !evaluators.isEmpty && evaluators.allSatisfy(\.replacesVerification) }

  /// Whether one of the evaluators needs a stapled OCSP response.
  public var wantsStapledOCSPResponse: Bool { evaluators.contains(where: \.wantsStapledOCSPResponse) }

  /// The errors of all evaluators, or one error for an empty list.
  public var issues: [String] {
    evaluators.isEmpty
      ? ["the list has no evaluator, so no certificate would be evaluated"] : evaluators.flatMap(\.issues)
  }

  /// Returns the warnings of all evaluators.
  public func warnings(now: Date) -> [String] { evaluators.flatMap { $0.warnings(now: now) } }

  /// Evaluates one server.
  ///
  /// - Throws: the error of the first evaluator that refuses the server; `TrustFailure` for an empty list.
  public func evaluate(_ trust: ServerTrust) throws {
    if evaluators.isEmpty {
      throw TrustFailure(.chain, trust, nil, "there is no evaluator in the list", advice: "Add one.")
    }
    for evaluator in evaluators { try evaluator.evaluate(trust) }
  }
}

extension TrustEvaluator where Self == CompositeTrustEvaluator {
  /// Trusts a server if all of these evaluators trust it.
  public static func all(_ evaluators: [any TrustEvaluator]) -> CompositeTrustEvaluator {
    CompositeTrustEvaluator(evaluators: evaluators)
  }
}

/// Reports the refusals of one evaluator as warnings, and lets another evaluator decide.
///
/// Use it to test pins: a refusal becomes an event of kind `warning`, while the deciding evaluator still decides.
public struct AuditTrustEvaluator: TrustEvaluator {
  /// The evaluator whose refusals are reported.
  public let audited: any TrustEvaluator
  /// The evaluator that decides.
  public let deciding: any TrustEvaluator

  /// Creates the evaluator.
  ///
  /// - Parameters:
  ///   - audited: the evaluator whose refusals are reported.
  ///   - deciding: the evaluator that decides. Default: the session's roots and the host name.
  public init(_ audited: any TrustEvaluator, deciding: any TrustEvaluator = DefaultTrustEvaluator()) {
    self.audited = audited
    self.deciding = deciding
  }

  /// Whether the deciding evaluator replaces the transport's verification.
  public var replacesVerification: Bool { deciding.replacesVerification }

  /// Whether one of the evaluators needs a stapled OCSP response.
  public var wantsStapledOCSPResponse: Bool { audited.wantsStapledOCSPResponse || deciding.wantsStapledOCSPResponse }

  /// The errors of both evaluators.
  public var issues: [String] { audited.issues + deciding.issues }

  /// Returns the warnings of both evaluators.
  public func warnings(now: Date) -> [String] { audited.warnings(now: now) + deciding.warnings(now: now) }

  /// Evaluates one server.
  ///
  /// - Throws: the error of the deciding evaluator.
  public func evaluate(_ trust: ServerTrust) throws {
    do { try audited.evaluate(trust) } catch { trust.warn("audit: \(trust.host) would be refused: \(error)") }
    try deciding.evaluate(trust)
  }
}

extension TrustEvaluator where Self == AuditTrustEvaluator {
  /// Reports the refusals of one evaluator as warnings, and lets another evaluator decide.
  public static func audit(
    _ audited: any TrustEvaluator, deciding: any TrustEvaluator = DefaultTrustEvaluator()
  ) -> AuditTrustEvaluator {
    AuditTrustEvaluator(audited, deciding: deciding)
  }
}
