public import LupineCore

/// Trusts a server whose certificate is not revoked according to a stapled OCSP response or to revocation lists.
///
/// With the option `ocsp`, a certificate that requires a stapled response (RFC 7633) is refused without one. The
/// evaluator fetches nothing from the network.
public struct RevocationTrustEvaluator: TrustEvaluator {
  /// The sources of the revocation status.
  public struct Options: OptionSet, Sendable, Hashable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Uses the OCSP response that the server staples (RFC 6960).
    public static let ocsp = Options(rawValue: 1 << 0)
    /// Uses the given revocation lists.
    public static let crl = Options(rawValue: 1 << 1)
    /// Refuses a server for which no source confirms that the certificate is not revoked.
    public static let requirePositiveResponse = Options(rawValue: 1 << 2)
    /// Uses both sources.
    public static let any: Options = [.ocsp, .crl]
  }

  /// The sources of the revocation status.
  public let options: Options
  /// The revocation lists.
  public let revocationLists: RevocationLists
  /// Whether the certificate must match the host.
  public let validateHost: Bool

  /// Creates the evaluator.
  ///
  /// - Parameters:
  ///   - options: the sources of the revocation status. Default: both; a certificate of unknown status is accepted.
  ///   - revocationLists: the revocation lists. Default: none.
  ///   - validateHost: whether the certificate must match the host. Default: `true`.
  public init(options: Options = .any, revocationLists: RevocationLists = .none, validateHost: Bool = true) {
    self.options = options
    self.revocationLists = revocationLists
    self.validateHost = validateHost
  }

  /// Returns `true`: the evaluator verifies the chain itself, or uses the chain that the transport verified.
  public var replacesVerification: Bool { true }

  /// Whether the options contain `ocsp`.
  public var wantsStapledOCSPResponse: Bool { options.contains(.ocsp) }

  /// The lists that cannot be read, and errors for options without a source.
  public var issues: [String] {
    var issues = revocationLists.problems
    if options.isDisjoint(with: .any) { issues.append("the options contain neither OCSP nor revocation lists") }
    if options.isSuperset(of: [.crl, .requirePositiveResponse]), !options.contains(.ocsp), revocationLists.lists.isEmpty
    {
      issues.append("revocation lists are required and none is given")
    }
    return issues
  }

  /// Evaluates one server.
  ///
  /// - Throws: `TrustFailure`.
  public func evaluate(_ trust: ServerTrust) throws {
    let evaluation = try TrustEvaluation(trust, performDefaultValidation: true, validateHost: validateHost)
    var isConfirmed = false
    if options.contains(.ocsp), try OCSPCheck(evaluation).confirmsStatus() { isConfirmed = true }
    if options.contains(.crl), try RevocationListCheck(evaluation, revocationLists).confirmsStatus() {
      isConfirmed = true
    }
    guard options.contains(.requirePositiveResponse), !isConfirmed else { return }
    throw TrustFailure(
      .revocation, trust, evaluation.chain.first, "no source confirms that the certificate is not revoked",
      advice: "Have the server staple OCSP responses, or give lists that are up to date for every authority.")
  }
}

extension TrustEvaluator where Self == RevocationTrustEvaluator {
  /// Trusts a server whose certificate is not revoked.
  public static func revocation(
    _ options: RevocationTrustEvaluator.Options = .any, revocationLists: RevocationLists = .none,
    validateHost: Bool = true
  ) -> RevocationTrustEvaluator {
    RevocationTrustEvaluator(options: options, revocationLists: revocationLists, validateHost: validateHost)
  }
}
