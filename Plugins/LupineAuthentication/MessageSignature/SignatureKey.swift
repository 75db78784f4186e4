public import LupineCore
import LupineSupport

/// A key of HTTP Message Signatures (RFC 9421), with the algorithm that uses it.
///
/// The description omits the key.
public struct SignatureKey: Sendable, Hashable, HidesSecrets {
  /// An algorithm of RFC 9421 section 3.3.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable {
    /// RSASSA-PSS with SHA-512, and a salt of 64 bytes.
    case rsaPSS = "rsa-pss-sha512"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rsaPKCS1 = "rsa-v1_5-sha256"
    /// ECDSA with the curve P-256 and SHA-256.
    case ecdsaP256 = "ecdsa-p256-sha256"
    /// ECDSA with the curve P-384 and SHA-384.
    case ecdsaP384 = "ecdsa-p384-sha384"
    /// EdDSA with the curve Ed25519.
    case ed25519
    /// HMAC with SHA-256, whose key both sides have.
    case hmac = "hmac-sha256"
  }

  /// The kinds of keys.
  private enum Material: Hashable {
    case privateKey(KeyPair)
    case publicKey(KeyPair)
    case shared([UInt8])
  }

  /// The identifier of the key, which is sent as `keyid`; `nil` if none is sent.
  public let id: String?
  /// The algorithm.
  public let algorithm: Algorithm
  private let material: Material

  /// Creates a key that signs, from a private key in PEM.
  ///
  /// - Throws: `LupineError` of kind `configuration` if the key cannot be read, is encrypted, or is not one of the
  ///   algorithm, if an RSA key has less than 2,048 bits, or if the identifier has other characters than visible ASCII and
  ///   spaces.
  public init(id: String?, algorithm: Algorithm, privateKey pem: String) throws(LupineError) {
    try self.init(id, algorithm, .privateKey(KeyPair(privateKey: Array(pem.utf8), algorithm)))
  }

  /// Creates a key that verifies, from a public key in PEM.
  ///
  /// - Throws: the errors of `init(id:algorithm:privateKey:)`.
  public init(id: String?, algorithm: Algorithm, publicKey pem: String) throws(LupineError) {
    try self.init(id, algorithm, .publicKey(KeyPair(publicKey: Array(pem.utf8), algorithm)))
  }

  /// Creates a shared key of the algorithm `hmac`, which signs and verifies.
  ///
  /// - Throws: `LupineError` of kind `configuration` if the secret has less than 16 bytes or more than 64 KiB, or if the
  ///   identifier has other characters than visible ASCII and spaces.
  public init(id: String?, secret: [UInt8]) throws(LupineError) { try self.init(id, .hmac, .shared(secret)) }

  private init(_ id: String?, _ algorithm: Algorithm, _ material: Material) throws(LupineError) {
    self.id = id
    self.algorithm = algorithm
    self.material = material
    if let id, !id.isPrintableASCII {
      throw Self.refused("the identifier has other characters than visible ASCII and spaces")
    }
    if case .shared(let secret) = material, !(16...65_536).contains(secret.count) {
      throw Self.refused("the shared secret must have 16 to 65,536 bytes")
    }
  }

  /// The identifier and the algorithm.
  public var description: String { "SignatureKey(\(id ?? "no identifier"), \(algorithm.rawValue))" }

  /// Signs bytes.
  ///
  /// - Throws: `LupineError` of kind `configuration` if the key is a public one, or if OpenSSL fails.
  func signature(of bytes: [UInt8]) throws(LupineError) -> [UInt8] {
    switch material {
    case .shared(let secret): return try Self.code(bytes, secret)
    case .privateKey(let pair): return try pair.signature(of: bytes)
    case .publicKey: throw Self.refused("a public key cannot sign; use a private one")
    }
  }

  /// Whether a signature of bytes is valid.
  func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    switch material {
    case .shared(let secret):
      guard let code = try? Self.code(bytes, secret) else { return false }
      return MessageAuthenticationCode.areEqual(code, signature)
    case .privateKey(let pair), .publicKey(let pair): return pair.isValid(signature, of: bytes)
    }
  }

  private static func code(_ bytes: [UInt8], _ secret: [UInt8]) throws(LupineError) -> [UInt8] {
    guard let code = MessageAuthenticationCode.sha256(bytes, key: secret) else {
      throw refused("OpenSSL could not compute an HMAC")
    }
    return code
  }

  static func refused(_ reason: String) -> LupineError {
    .unusable("SignatureKey", "The key of message signatures cannot be used: \(reason).")
  }
}
