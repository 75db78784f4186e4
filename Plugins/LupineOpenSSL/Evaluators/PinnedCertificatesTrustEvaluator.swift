public import FoundationEssentials
public import LupineCore

/// Trusts a server that has one of the pinned certificates in its verified chain.
public struct PinnedCertificatesTrustEvaluator: TrustEvaluator {
  /// The pinned certificates.
  public let certificates: Certificates
  /// Whether the pinned certificates are the only roots, which lets a self-signed one pass.
  public let acceptSelfSignedCertificates: Bool
  /// Whether a chain to a root must be found.
  public let performDefaultValidation: Bool
  /// Whether the certificate must name the host.
  public let validateHost: Bool

  /// Makes the evaluator.
  ///
  /// - Parameters:
  ///   - certificates: what to pin: the server's own certificate, or one that leads to its root.
  ///   - acceptSelfSignedCertificates: the pinned certificates take the place of the roots. Default: no.
  ///   - performDefaultValidation: a chain to a root must be found. Without it only the server's own certificate is
  ///     proven, so it must be pinned itself. Default: yes.
  ///   - validateHost: the certificate must name the host. Default: yes.
  public init(
    certificates: Certificates, acceptSelfSignedCertificates: Bool = false, performDefaultValidation: Bool = true,
    validateHost: Bool = true
  ) {
    self.certificates = certificates
    self.acceptSelfSignedCertificates = acceptSelfSignedCertificates
    self.performDefaultValidation = performDefaultValidation
    self.validateHost = validateHost
  }

  /// True: it verifies by itself, or takes the chain that the transport verified.
  public var replacesVerification: Bool { true }

  /// Certificates that cannot be read, and an empty set of pins.
  public var issues: [String] {
    certificates.certificates.isEmpty
      ? certificates.problems + ["there is no certificate to pin, so no server could be trusted"]
      : certificates.problems
  }

  /// A single certificate, and those that expire.
  public func warnings(now: Date) -> [String] {
    PinLint.warnings(keys: Set(certificates.certificates.map(\.publicKeyPin)).count)
      + PinLint.expiries(certificates.certificates, now: now)
  }

  /// Judges one server.
  ///
  /// - Throws: `TrustFailure`.
  public func evaluate(_ trust: ServerTrust) throws {
    let pinned = certificates.certificates
    let judgement = try Judgement(
      trust, performDefaultValidation: performDefaultValidation, validateHost: validateHost,
      anchors: acceptSelfSignedCertificates ? pinned : nil)
    try judgement.require(pinned.contains, "certificate")
    PinLint.warn(of: judgement.chain, to: trust)
  }
}

extension TrustEvaluator where Self == PinnedCertificatesTrustEvaluator {
  /// Trusts a server that has one of the pinned certificates in its verified chain.
  public static func pinnedCertificates(
    _ certificates: Certificates, acceptSelfSignedCertificates: Bool = false, performDefaultValidation: Bool = true,
    validateHost: Bool = true
  ) -> PinnedCertificatesTrustEvaluator {
    PinnedCertificatesTrustEvaluator(
      certificates: certificates, acceptSelfSignedCertificates: acceptSelfSignedCertificates,
      performDefaultValidation: performDefaultValidation, validateHost: validateHost)
  }
}
