public import LupineCore
public import LupineFoundation
import LupineSupport

/// Trusts a server whose verified chain contains one of the pinned certificates.
public struct PinnedCertificatesTrustEvaluator: TrustEvaluator {
  /// The pinned certificates.
  public let certificates: Certificates
  /// Whether the pinned certificates replace the roots, which allows self-signed certificates.
  public let acceptSelfSignedCertificates: Bool
  /// Whether a chain to a root is required.
  public let performDefaultValidation: Bool
  /// Whether the certificate must match the host.
  public let validateHost: Bool

  /// Creates the evaluator.
  ///
  /// - Parameters:
  ///   - certificates: the certificates to pin: the server's own certificate, or another one of its chain.
  ///   - acceptSelfSignedCertificates: whether the pinned certificates replace the roots. Default: `false`.
  ///   - performDefaultValidation: whether a chain to a root is required. Without a chain, only the server's own
  ///     certificate is proven, by the handshake, so it must be pinned itself. Default: `true`.
  ///   - validateHost: whether the certificate must match the host. Default: `true`.
  public init(
    certificates: Certificates, acceptSelfSignedCertificates: Bool = false, performDefaultValidation: Bool = true,
    validateHost: Bool = true
  ) {
    self.certificates = certificates
    self.acceptSelfSignedCertificates = acceptSelfSignedCertificates
    self.performDefaultValidation = performDefaultValidation
    self.validateHost = validateHost
  }

  /// Returns `true`: the evaluator verifies the chain itself, or uses the chain that the transport verified.
  public var replacesVerification: Bool { true }

  /// The certificates that cannot be read, and an error for an empty set of pins.
  public var issues: [String] {
    certificates.certificates.isEmpty
      ? certificates.problems + ["there is no certificate to pin, so no server could be trusted"]
      : certificates.problems
  }

  /// Returns warnings for a single pinned key and for certificates that have expired or expire within 30 days.
  public func warnings(now: Date) -> [String] {
    PinWarnings.warnings(keys: Set(certificates.certificates.map(\.publicKeyPin)).count)
      + PinWarnings.expiryWarnings(certificates.certificates, now: now)
  }

  /// Evaluates one server.
  ///
  /// - Throws: `TrustFailure`.
  public func evaluate(_ trust: ServerTrust) throws {
    let pinned = certificates.certificates
    let evaluation = try TrustEvaluation(
      trust, performDefaultValidation: performDefaultValidation, validateHost: validateHost,
      anchors: acceptSelfSignedCertificates ? pinned : nil)
    try evaluation.require(pinned.contains, "certificate")
    PinWarnings.warn(of: evaluation.chain, to: trust)
  }
}

extension TrustEvaluator where Self == PinnedCertificatesTrustEvaluator {
  /// Trusts a server whose verified chain contains one of the pinned certificates.
  public static func pinnedCertificates(
    _ certificates: Certificates, acceptSelfSignedCertificates: Bool = false, performDefaultValidation: Bool = true,
    validateHost: Bool = true
  ) -> PinnedCertificatesTrustEvaluator {
    PinnedCertificatesTrustEvaluator(
      certificates: certificates, acceptSelfSignedCertificates: acceptSelfSignedCertificates,
      performDefaultValidation: performDefaultValidation, validateHost: validateHost)
  }
}

/// Trusts a server whose verified chain contains one of the pinned public keys.
public struct PublicKeysTrustEvaluator: TrustEvaluator {
  /// The pinned keys.
  public let keys: PublicKeys
  /// Whether a chain to a root is required.
  public let performDefaultValidation: Bool
  /// Whether the certificate must match the host.
  public let validateHost: Bool

  /// Creates the evaluator.
  ///
  /// - Parameters:
  ///   - keys: the keys to pin: the server's own key, or a key of one of its authorities.
  ///   - performDefaultValidation: whether a chain to a root is required. Without a chain, only the server's own key is
  ///     proven, by the handshake, so it must be pinned itself. Default: `true`.
  ///   - validateHost: whether the certificate must match the host. Default: `true`.
  public init(keys: PublicKeys, performDefaultValidation: Bool = true, validateHost: Bool = true) {
    self.keys = keys
    self.performDefaultValidation = performDefaultValidation
    self.validateHost = validateHost
  }

  /// Returns `true`: the evaluator verifies the chain itself, or uses the chain that the transport verified.
  public var replacesVerification: Bool { true }

  /// The keys that cannot be read, and an error for an empty set of pins.
  public var issues: [String] {
    keys.pins.isEmpty ? keys.problems + ["there is no key to pin, so no server could be trusted"] : keys.problems
  }

  /// Returns a warning for a single pinned key.
  public func warnings(now: Date) -> [String] { PinWarnings.warnings(keys: keys.pins.count) }

  /// Evaluates one server.
  ///
  /// - Throws: `TrustFailure`.
  public func evaluate(_ trust: ServerTrust) throws {
    let evaluation = try TrustEvaluation(
      trust, performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    try evaluation.require({ keys.pins.contains($0.publicKeyPin) }, "key")
    PinWarnings.warn(of: evaluation.chain, to: trust)
  }
}

extension TrustEvaluator where Self == PublicKeysTrustEvaluator {
  /// Trusts a server whose verified chain contains one of the pinned keys: `.publicKeys(["sha256/…", "sha256/…"])`.
  public static func publicKeys(
    _ keys: PublicKeys, performDefaultValidation: Bool = true, validateHost: Bool = true
  ) -> PublicKeysTrustEvaluator {
    PublicKeysTrustEvaluator(
      keys: keys, performDefaultValidation: performDefaultValidation, validateHost: validateHost)
  }
}

extension TrustEvaluator where Self == PublicKeysTrustEvaluator {
  /// Trusts a server whose verified chain contains one of the pinned keys, as texts in any format of `PublicKeyPin`.
  public static func publicKeys(
    _ pins: [String], performDefaultValidation: Bool = true, validateHost: Bool = true
  ) -> PublicKeysTrustEvaluator {
    .publicKeys(PublicKeys(pins), performDefaultValidation: performDefaultValidation, validateHost: validateHost)
  }
}

/// Finds risks of valid pins.
enum PinWarnings {
  private static let notice: TimeInterval = 30 * 86_400

  static func warnings(keys: Int) -> [String] {
    keys == 1
      ? ["a single key is pinned: when the server loses it, no client can connect; pin a backup as well"] : []
  }

  static func expiryWarnings(_ certificates: [Certificate], now: Date) -> [String] {
    certificates.compactMap { certificate in
      let left = certificate.notAfter.timeIntervalSince(now)
      guard left < notice else { return nil }
      return left < 0
        ? "a pinned certificate has expired: \(certificate)"
        : "a pinned certificate expires in \(Int(saturating: left / 86_400)) days: \(certificate)"
    }
  }

  /// Emits a warning for each certificate of the chain that expires within 30 days.
  static func warn(of chain: [Certificate], to trust: ServerTrust) {
    for certificate in chain {
      let left = certificate.notAfter.timeIntervalSince(trust.now)
      guard left >= 0, left < notice else { continue }
      trust.warn("\(trust.host): a certificate expires in \(Int(saturating: left / 86_400)) days: \(certificate)")
    }
  }
}
