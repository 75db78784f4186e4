public import FoundationEssentials
public import LupineCore

/// Trusts every server and emits a warning each time; for tests only.
public struct DisabledTrustEvaluator: TrustEvaluator {
  /// Creates the evaluator.
  public init() {}

  /// Returns `true`: nothing is verified.
  public var replacesVerification: Bool { true }

  /// Returns one warning: trust is disabled.
  public func warnings(now: Date) -> [String] {
    ["trust is disabled: anybody in between can read and change everything"]
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
