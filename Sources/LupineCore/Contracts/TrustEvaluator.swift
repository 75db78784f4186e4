public import FoundationEssentials

/// Judges a server's certificates.
///
/// Synchronous, because TLS asks in the middle of its handshake, on the transport's thread: it must not block on the
/// network. It returns where the server is to be trusted and throws where it is not; what it throws becomes the
/// `underlying` error of kind `certificateRejected`. It may be called concurrently.
public protocol TrustEvaluator: Sendable {
  /// Whether its verdict stands in the place of the transport's own verification of chain and name.
  ///
  /// Default: false. Both must pass then, and the evaluator is not asked about a chain that did not verify.
  var replacesVerification: Bool { get }

  /// Whether it wants to see the OCSP response that the server staples (RFC 6066 section 8); the transport asks for one
  /// then.
  ///
  /// Default: false.
  var wantsStapledOCSPResponse: Bool { get }

  /// What makes it unfit to judge, such as a pin that is none; `Session.Builder.build()` refuses an evaluator that has
  /// any.
  ///
  /// Default: none.
  var issues: [String] { get }

  /// What is risky about it, such as a single pin without a backup; they become `Session.warnings`.
  ///
  /// Asked once, when the session is built, with the session's date. Default: none.
  func warnings(now: Date) -> [String]

  /// Judges one server.
  func evaluate(_ trust: ServerTrust) throws
}

extension TrustEvaluator {
  /// False: the transport's own verification must pass as well.
  public var replacesVerification: Bool { false }

  /// False: no stapled OCSP response is asked for.
  public var wantsStapledOCSPResponse: Bool { false }

  /// None.
  public var issues: [String] { [] }

  /// None.
  public func warnings(now: Date) -> [String] { [] }
}

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
