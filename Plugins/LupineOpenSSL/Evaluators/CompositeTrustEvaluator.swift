public import FoundationEssentials
public import LupineCore

/// Trusts a server that several evaluators all trust.
public struct CompositeTrustEvaluator: TrustEvaluator {
  /// Who must all agree, in the order they are asked in.
  public let evaluators: [any TrustEvaluator]

  /// Makes the evaluator; an empty list is refused when the session is built.
  public init(evaluators: [any TrustEvaluator]) { self.evaluators = evaluators }

  /// Whether all of them stand in the place of the transport's verification.
  public var replacesVerification: Bool { !evaluators.isEmpty && evaluators.allSatisfy(\.replacesVerification) }

  /// Whether any of them wants it.
  public var wantsStapledOCSPResponse: Bool { evaluators.contains(where: \.wantsStapledOCSPResponse) }

  /// Those of all of them, and an empty list.
  public var issues: [String] {
    evaluators.isEmpty ? ["the list has no evaluator, so no certificate would be judged"] : evaluators.flatMap(\.issues)
  }

  /// Those of all of them.
  public func warnings(now: Date) -> [String] { evaluators.flatMap { $0.warnings(now: now) } }

  /// Judges one server.
  ///
  /// - Throws: what the first evaluator that refuses throws.
  public func evaluate(_ trust: ServerTrust) throws {
    if evaluators.isEmpty {
      throw TrustFailure(.chain, trust, nil, "there is no evaluator in the list", advice: "Add one.")
    }
    for evaluator in evaluators { try evaluator.evaluate(trust) }
  }
}

extension TrustEvaluator where Self == CompositeTrustEvaluator {
  /// Trusts a server that all of these trust.
  public static func all(_ evaluators: [any TrustEvaluator]) -> CompositeTrustEvaluator {
    CompositeTrustEvaluator(evaluators: evaluators)
  }
}
