public import FoundationEssentials
public import LupineCore

/// Trusts every server, and warns each time; never for use outside a test.
public struct DisabledTrustEvaluator: TrustEvaluator {
  /// Makes the evaluator.
  public init() {}

  /// True: nothing is verified at all.
  public var replacesVerification: Bool { true }

  /// That it trusts everybody.
  public func warnings(now: Date) -> [String] {
    ["trust is disabled: anybody in between can read and change everything"]
  }

  /// Trusts the server, with a warning.
  public func evaluate(_ trust: ServerTrust) {
    trust.warn("\(trust.host) is trusted without any check: its evaluator is disabled")
  }
}

extension TrustEvaluator where Self == DisabledTrustEvaluator {
  /// Trusts every server, and warns each time; never for use outside a test.
  public static var disabled: DisabledTrustEvaluator { DisabledTrustEvaluator() }
}
