/// Who judges the servers that a host pattern names.
///
/// A module that brings evaluators adds its own by leading dot, as in `.trust(["example.com": .publicKeys([…])])`.
public struct TrustRule: Sendable {
  let evaluator: any TrustEvaluator

  /// Leaves the judgement to an evaluator.
  public init(_ evaluator: some TrustEvaluator) { self.evaluator = evaluator }

  /// Leaves the judgement to a closure, which throws where the server is not to be trusted.
  public static func custom(_ evaluate: @escaping @Sendable (ServerTrust) throws -> Void) -> TrustRule {
    TrustRule(ClosureTrustEvaluator(evaluate: evaluate))
  }
}

struct ClosureTrustEvaluator: TrustEvaluator {
  let evaluate: @Sendable (ServerTrust) throws -> Void

  func evaluate(_ trust: ServerTrust) throws { try evaluate(trust) }
}
