public import FoundationEssentials
public import LupineCore

/// Trusts a server that has one of the pinned public keys in its verified chain.
public struct PublicKeysTrustEvaluator: TrustEvaluator {
  /// The pinned keys.
  public let keys: PublicKeys
  /// Whether a chain to a root must be found.
  public let performDefaultValidation: Bool
  /// Whether the certificate must name the host.
  public let validateHost: Bool

  /// Makes the evaluator.
  ///
  /// - Parameters:
  ///   - keys: what to pin: the server's own key, or one of its authorities'.
  ///   - performDefaultValidation: a chain to a root must be found. Without it only the server's own key is proven, so it
  ///     must be pinned itself. Default: yes.
  ///   - validateHost: the certificate must name the host. Default: yes.
  public init(keys: PublicKeys, performDefaultValidation: Bool = true, validateHost: Bool = true) {
    self.keys = keys
    self.performDefaultValidation = performDefaultValidation
    self.validateHost = validateHost
  }

  /// True: it verifies by itself, or takes the chain that the transport verified.
  public var replacesVerification: Bool { true }

  /// Keys that cannot be read, and an empty set of pins.
  public var issues: [String] {
    keys.pins.isEmpty ? keys.problems + ["there is no key to pin, so no server could be trusted"] : keys.problems
  }

  /// A single key.
  public func warnings(now: Date) -> [String] { PinLint.warnings(keys: keys.pins.count) }

  /// Judges one server.
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
  /// Trusts a server that has one of the pinned public keys in its verified chain: `.publicKeys(["sha256/…", "sha256/…"])`.
  public static func publicKeys(
    _ keys: PublicKeys, performDefaultValidation: Bool = true, validateHost: Bool = true
  ) -> PublicKeysTrustEvaluator {
    PublicKeysTrustEvaluator(
      keys: keys, performDefaultValidation: performDefaultValidation, validateHost: validateHost)
  }
}
