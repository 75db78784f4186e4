/// Trusts no server; meant for the hosts that a session has no other evaluator for.
public struct RefusingTrustEvaluator: TrustEvaluator {
  /// Says why a server was refused.
  public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The host that was refused.
    public let host: String

    /// What happened, and what to do about it.
    public var description: String {
      "the session has no trust evaluator for \(host) and refuses all others; add a pattern that matches it"
    }
  }

  /// Makes the evaluator.
  public init() {}

  /// Refuses the server.
  public func evaluate(_ trust: ServerTrust) throws { throw Refusal(host: trust.host) }
}

extension TrustEvaluator where Self == RefusingTrustEvaluator {
  /// Trusts no server: `.trust([…], otherwise: .refuse)`.
  public static var refuse: RefusingTrustEvaluator { RefusingTrustEvaluator() }
}
