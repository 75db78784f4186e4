public import LupineCore

/// Trusts a server whose chain leads to one of the session's roots, and whose certificate names the host.
public struct DefaultTrustEvaluator: TrustEvaluator {
  /// Whether the certificate must name the host.
  public let validateHost: Bool

  /// Makes the evaluator.
  public init(validateHost: Bool = true) { self.validateHost = validateHost }

  /// True: it verifies by itself, or takes the chain that the transport verified.
  public var replacesVerification: Bool { true }

  /// Judges one server.
  ///
  /// - Throws: `TrustFailure`.
  public func evaluate(_ trust: ServerTrust) throws {
    _ = try Judgement(trust, performDefaultValidation: true, validateHost: validateHost)
  }
}

extension TrustEvaluator where Self == DefaultTrustEvaluator {
  /// Trusts a server whose chain leads to one of the session's roots, and whose certificate names the host.
  public static var `default`: DefaultTrustEvaluator { DefaultTrustEvaluator() }

  /// The same, with or without a look at the name.
  public static func `default`(validateHost: Bool) -> DefaultTrustEvaluator {
    DefaultTrustEvaluator(validateHost: validateHost)
  }
}
