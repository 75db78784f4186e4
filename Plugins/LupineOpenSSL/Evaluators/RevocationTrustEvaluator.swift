public import LupineCore

/// Trusts a server whose certificate is not known to be revoked, by the OCSP response that it staples or by lists.
///
/// A certificate that demands a staple (RFC 7633) is refused without one. Nothing is fetched from the network.
public struct RevocationTrustEvaluator: TrustEvaluator {
  /// How revocation is looked up.
  public struct Options: OptionSet, Sendable, Hashable {
    /// One bit for each option.
    public let rawValue: Int

    /// Makes options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Looks at the OCSP response that the server staples (RFC 6960).
    public static let ocsp = Options(rawValue: 1 << 0)
    /// Looks at the revocation lists that were given.
    public static let crl = Options(rawValue: 1 << 1)
    /// Refuses a server that neither of them clears.
    public static let requirePositiveResponse = Options(rawValue: 1 << 2)
    /// Looks at both.
    public static let any: Options = [.ocsp, .crl]
  }

  /// How revocation is looked up.
  public let options: Options
  /// The lists to look at.
  public let revocationLists: RevocationLists
  /// Whether the certificate must name the host.
  public let validateHost: Bool

  /// Makes the evaluator.
  ///
  /// - Parameters:
  ///   - options: how revocation is looked up. Default: both ways, and what neither of them knows is not revoked.
  ///   - revocationLists: the lists to look at. Default: none.
  ///   - validateHost: the certificate must name the host. Default: yes.
  public init(options: Options = .any, revocationLists: RevocationLists = .none, validateHost: Bool = true) {
    self.options = options
    self.revocationLists = revocationLists
    self.validateHost = validateHost
  }

  /// True: it verifies by itself, or takes the chain that the transport verified.
  public var replacesVerification: Bool { true }

  /// True where OCSP is among the options.
  public var wantsStapledOCSPResponse: Bool { options.contains(.ocsp) }

  /// Lists that cannot be read, and options that look at nothing.
  public var issues: [String] {
    var issues = revocationLists.problems
    if options.isDisjoint(with: .any) { issues.append("neither OCSP nor revocation lists are to be looked at") }
    if options.isSuperset(of: [.crl, .requirePositiveResponse]), !options.contains(.ocsp), revocationLists.lists.isEmpty
    {
      issues.append("revocation lists are required and none is given")
    }
    return issues
  }

  /// Judges one server.
  ///
  /// - Throws: `TrustFailure`.
  public func evaluate(_ trust: ServerTrust) throws {
    let judgement = try Judgement(trust, performDefaultValidation: true, validateHost: validateHost)
    var isCleared = false
    if options.contains(.ocsp), try StapleCheck(judgement).isGood() { isCleared = true }
    if options.contains(.crl), try ListCheck(judgement, revocationLists).isGood() { isCleared = true }
    guard options.contains(.requirePositiveResponse), !isCleared else { return }
    throw TrustFailure(
      .revocation, trust, judgement.chain.first, "nothing says that the certificate is not revoked",
      advice: "Have the server staple OCSP responses, or give lists that are up to date for every authority.")
  }
}

extension TrustEvaluator where Self == RevocationTrustEvaluator {
  /// Trusts a server whose certificate is not known to be revoked.
  public static func revocation(
    _ options: RevocationTrustEvaluator.Options = .any, revocationLists: RevocationLists = .none,
    validateHost: Bool = true
  ) -> RevocationTrustEvaluator {
    RevocationTrustEvaluator(options: options, revocationLists: revocationLists, validateHost: validateHost)
  }
}
