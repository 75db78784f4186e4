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
