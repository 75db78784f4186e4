public import FoundationEssentials
public import LupineCore

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
  public func warnings(now: Date) -> [String] { PinLint.warnings(keys: keys.pins.count) }

  /// Evaluates one server.
  ///
  /// - Throws: `TrustFailure`.
  public func evaluate(_ trust: ServerTrust) throws {
    let judgement = try Judgement(
      trust, performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    try judgement.require({ keys.pins.contains($0.publicKeyPin) }, "key")
    PinLint.warn(of: judgement.chain, to: trust)
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
