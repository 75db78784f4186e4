/// A closure as a trust evaluator.
public struct ClosureTrustEvaluator: TrustEvaluator {
  private let evaluation: @Sendable (ServerTrust) throws -> Void

  /// Wraps a closure, which throws where the server is not to be trusted.
  public init(_ evaluation: @escaping @Sendable (ServerTrust) throws -> Void) { self.evaluation = evaluation }

  /// Calls the closure.
  public func evaluate(_ trust: ServerTrust) throws { try evaluation(trust) }
}

extension TrustEvaluator where Self == ClosureTrustEvaluator {
  /// Leaves the judgement to a closure, which throws where the server is not to be trusted.
  public static func custom(_ evaluation: @escaping @Sendable (ServerTrust) throws -> Void) -> ClosureTrustEvaluator {
    ClosureTrustEvaluator(evaluation)
  }
}
