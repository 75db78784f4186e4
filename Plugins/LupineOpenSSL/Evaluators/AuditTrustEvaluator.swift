public import FoundationEssentials
public import LupineCore

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
