public import LupineFoundation

/// Decides whether to trust a server's certificates.
///
/// The transport calls the evaluator during the TLS handshake, on its own thread, before any byte of the request is
/// sent. Calls may be concurrent. An evaluator must not wait for the network or for a disk, because other exchanges
/// wait meanwhile.
///
/// By default the evaluator is called in addition to the transport's verification of the chain and the name
/// (RFC 5280, RFC 9110 section 4.3.4). This evaluator accepts one certificate:
///
/// ```swift
/// struct LeafEvaluator: TrustEvaluator {
///   struct OtherCertificate: Error {}
///   let leaf: Data
///
///   func evaluate(_ trust: ServerTrust) throws {
///     guard trust.presentedChain.first == leaf else { throw OtherCertificate() }
///   }
/// }
/// ```
public protocol TrustEvaluator: Sendable {
  /// Whether the evaluator replaces the transport's own verification of chain and name.
  ///
  /// Default: false. Both must then pass, and the evaluator is not called for a chain that failed verification.
  var replacesVerification: Bool { get }

  /// Whether the transport requests a stapled OCSP response (RFC 6066 section 8) for the evaluator.
  ///
  /// Default: false.
  var wantsStapledOCSPResponse: Bool { get }

  /// The errors in the evaluator's configuration, such as an invalid pin.
  ///
  /// `Session.Builder.build()` throws if there are any. Default: none.
  var issues: [String] { get }

  /// Returns the risks of the evaluator's configuration, such as a single pin without a backup.
  ///
  /// They become `Session.warnings`. Called once, when the session is built, with the session's date. Default: none.
  func warnings(now: Date) -> [String]

  /// Returns if the server is trusted.
  ///
  /// - Throws: any error if the server is not trusted. It becomes the `underlying` error of kind `certificateRejected`.
  func evaluate(_ trust: ServerTrust) throws
}

extension TrustEvaluator {
  /// Returns `false`: the transport's own verification must pass as well.
  public var replacesVerification: Bool { false }

  /// Returns `false`: the transport requests no stapled OCSP response.
  public var wantsStapledOCSPResponse: Bool { false }

  /// Returns no errors.
  public var issues: [String] { [] }

  /// Returns no warnings.
  public func warnings(now: Date) -> [String] { [] }
}

/// A trust evaluator that calls a closure.
public struct ClosureTrustEvaluator: TrustEvaluator {
  private let evaluation: @Sendable (ServerTrust) throws -> Void

  /// Wraps a closure that throws if the server is not trusted.
  ///
  /// It is called in the TLS handshake, on the transport's thread, as `TrustEvaluator` describes.
  public init(_ evaluation: @escaping @Sendable (ServerTrust) throws -> Void) { self.evaluation = evaluation }

  /// Calls the closure.
  public func evaluate(_ trust: ServerTrust) throws { try evaluation(trust) }
}

extension TrustEvaluator where Self == ClosureTrustEvaluator {
  /// Evaluates with a closure that throws if the server is not trusted.
  ///
  /// It is called in the TLS handshake, on the transport's thread, as `TrustEvaluator` describes.
  public static func custom(_ evaluation: @escaping @Sendable (ServerTrust) throws -> Void) -> ClosureTrustEvaluator {
    ClosureTrustEvaluator(evaluation)
  }
}

/// Trusts no server.
///
/// Use it for the hosts for which a session has no other evaluator.
public struct RefusingTrustEvaluator: TrustEvaluator {
  /// The error for a refused server.
  public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The refused host.
    public let host: String

    /// The message, with advice.
    public var description: String {
      "the session has no trust evaluator for \(host) and refuses all others; add a pattern that matches it"
    }
  }

  /// Creates the evaluator.
  public init() {}

  /// Refuses the server.
  public func evaluate(_ trust: ServerTrust) throws { throw Refusal(host: trust.host) }
}

extension TrustEvaluator where Self == RefusingTrustEvaluator {
  /// Trusts no server: `.trust([…], otherwise: .refuse)`.
  public static var refuse: RefusingTrustEvaluator { RefusingTrustEvaluator() }
}
