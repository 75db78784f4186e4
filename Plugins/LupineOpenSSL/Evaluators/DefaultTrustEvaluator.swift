public import LupineCore
public import LupineFoundation

/// Trusts a server whose chain leads to one of the session's roots and whose certificate matches the host.
public struct DefaultTrustEvaluator: TrustEvaluator {
  /// Whether the certificate must match the host.
  public let validateHost: Bool

  /// Creates the evaluator.
  public init(validateHost: Bool = true) { self.validateHost = validateHost }

  /// Returns `true`: the evaluator verifies the chain itself, or uses the chain that the transport verified.
  public var replacesVerification: Bool { true }

  /// Evaluates one server.
  ///
  /// - Throws: `TrustFailure`.
  public func evaluate(_ trust: ServerTrust) throws {
    _ = try TrustEvaluation(trust, performDefaultValidation: true, validateHost: validateHost)
  }
}

extension TrustEvaluator where Self == DefaultTrustEvaluator {
  /// Trusts a server whose chain leads to one of the session's roots and whose certificate matches the host.
  public static var `default`: DefaultTrustEvaluator { DefaultTrustEvaluator() }

  /// Trusts a server whose chain leads to one of the session's roots, with or without a check of the host name.
  public static func `default`(validateHost: Bool) -> DefaultTrustEvaluator {
    DefaultTrustEvaluator(validateHost: validateHost)
  }
}

/// Trusts every server and emits a warning each time; for tests only.
public struct DisabledTrustEvaluator: TrustEvaluator {
  /// Creates the evaluator.
  public init() {}

  /// Returns `true`: nothing is verified.
  public var replacesVerification: Bool { true }

  /// Returns one warning: trust is disabled.
  public func warnings(now: Date) -> [String] {
    ["trust is disabled: an attacker on the network can read and change everything"]
  }

  /// Trusts the server and emits a warning.
  public func evaluate(_ trust: ServerTrust) {
    trust.warn("\(trust.host) is trusted without any check: its evaluator is disabled")
  }
}

extension TrustEvaluator where Self == DisabledTrustEvaluator {
  /// Trusts every server and emits a warning each time; for tests only.
  public static var disabled: DisabledTrustEvaluator { DisabledTrustEvaluator() }
}
