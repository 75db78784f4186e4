public import FoundationEssentials
public import LupineCore

/// Reports what an evaluator would refuse, and leaves the verdict to another one.
///
/// For trying out pins: what they would refuse becomes an event of kind `warning`, while the system's trust still holds.
public struct AuditTrustEvaluator: TrustEvaluator {
  /// Whose verdict is reported.
  public let audited: any TrustEvaluator
  /// Whose verdict counts where the other one refuses.
  public let deciding: any TrustEvaluator

  /// Makes the evaluator.
  ///
  /// - Parameters:
  ///   - audited: whose verdict is reported.
  ///   - deciding: whose verdict counts. Default: the session's roots and the host's name.
  public init(_ audited: any TrustEvaluator, deciding: any TrustEvaluator = DefaultTrustEvaluator()) {
    self.audited = audited
    self.deciding = deciding
  }

  /// Whether the deciding one stands in the place of the transport's verification.
  public var replacesVerification: Bool { deciding.replacesVerification }

  /// Whether either of them wants it.
  public var wantsStapledOCSPResponse: Bool { audited.wantsStapledOCSPResponse || deciding.wantsStapledOCSPResponse }

  /// Those of both.
  public var issues: [String] { audited.issues + deciding.issues }

  /// Those of both.
  public func warnings(now: Date) -> [String] { audited.warnings(now: now) + deciding.warnings(now: now) }

  /// Judges one server.
  ///
  /// - Throws: what the deciding evaluator throws.
  public func evaluate(_ trust: ServerTrust) throws {
    do { try audited.evaluate(trust) } catch { trust.warn("audit: \(trust.host) would be refused: \(error)") }
    try deciding.evaluate(trust)
  }
}

extension TrustEvaluator where Self == AuditTrustEvaluator {
  /// Reports what an evaluator would refuse, and leaves the verdict to another one.
  public static func audit(
    _ audited: any TrustEvaluator, deciding: any TrustEvaluator = DefaultTrustEvaluator()
  ) -> AuditTrustEvaluator {
    AuditTrustEvaluator(audited, deciding: deciding)
  }
}
