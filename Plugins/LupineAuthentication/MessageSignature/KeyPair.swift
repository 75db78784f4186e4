import COpenSSL
import LupineCore
import LupineX509

/// A private or a public key of OpenSSL, with the algorithm that uses it.
///
/// `@unchecked Sendable`: OpenSSL only reads the key after it has been parsed, counts its references atomically, and has
/// a context for each signature.
final class KeyPair: Hashable, @unchecked Sendable {
  private let key: OpaquePointer
  private let pem: [UInt8]
  private let algorithm: SignatureKey.Algorithm

  /// Reads a private key in PEM.
  ///
  /// - Throws: `LupineError` of kind `configuration` if it is none, is encrypted, or does not fit the algorithm.
  convenience init(privateKey pem: [UInt8], _ algorithm: SignatureKey.Algorithm) throws(LupineError) {
    // The callback prevents a prompt on the terminal.
    try self.init(pem, algorithm) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
  }

  /// Reads a public key in PEM.
  ///
  /// - Throws: `LupineError` of kind `configuration` if it is none, or does not fit the algorithm.
  convenience init(publicKey pem: [UInt8], _ algorithm: SignatureKey.Algorithm) throws(LupineError) {
    try self.init(pem, algorithm) { PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in -1 }, nil) }
  }

  private init(
    _ pem: [UInt8], _ algorithm: SignatureKey.Algorithm, _ read: (OpaquePointer?) -> OpaquePointer?
  ) throws(LupineError) {
    let key = pem.withUnsafeBytes { bytes -> OpaquePointer? in
      let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
      defer { BIO_free(memory) }
      return read(memory)
    }
    guard let key else {
      throw SignatureKey.refused("it is not a key in PEM that OpenSSL can read (\(OpenSSLText.takeError()))")
    }
    ERR_clear_error()
    self.key = key
    self.pem = pem
    self.algorithm = algorithm
    if let problem { throw SignatureKey.refused(problem) }
  }

  deinit { EVP_PKEY_free(key) }

  static func == (left: KeyPair, right: KeyPair) -> Bool { left.pem == right.pem && left.algorithm == right.algorithm }

  func hash(into hasher: inout Hasher) { hasher.combine(pem) }

  /// The reason why the key does not fit the algorithm; `nil` if it does.
  private var problem: String? {
    let kind = EVP_PKEY_get_base_id(key)
    let isRSA = kind == EVP_PKEY_RSA || kind == EVP_PKEY_RSA_PSS
    let isRight =
      switch algorithm {
      case .rsaPSS: isRSA
      case .rsaPKCS1: kind == EVP_PKEY_RSA
      case .ecdsaP256: kind == EVP_PKEY_EC && curve == "prime256v1"
      case .ecdsaP384: kind == EVP_PKEY_EC && curve == "secp384r1"
      case .ed25519: kind == EVP_PKEY_ED25519
      case .hmac: false
      }
    guard isRight else { return "it is not a key of the algorithm \(algorithm.rawValue)" }
    let bits = EVP_PKEY_get_bits(key)
    return isRSA && bits < 2048 ? "an RSA key of \(bits) bits is too short; use 2,048 or more" : nil
  }

  private var curve: String? {
    var name = [CChar](repeating: 0, count: 64)
    guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 else { return nil }
    return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
  }

  /// Signs bytes.
  func signature(of bytes: [UInt8]) throws(LupineError) -> [UInt8] {
    let made = withContext(EVP_DigestSignInit) { context -> [UInt8]? in
      var count = 0
      guard EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1 else { return nil }
      var signature = [UInt8](repeating: 0, count: count)
      guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else { return nil }
      return Array(signature.prefix(count))
    }
    let signature = made.flatMap { half > 0 ? Self.raw($0, half: half) : $0 }
    guard let signature else {
      throw .unusable("SignatureKey", "OpenSSL could not sign the message (\(OpenSSLText.takeError())).")
    }
    ERR_clear_error()
    return signature
  }

  /// Whether a signature of bytes is valid.
  func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    defer { ERR_clear_error() }
    guard let signature = half > 0 ? Self.encoded(signature, half: half) : signature else { return false }
    return withContext(EVP_DigestVerifyInit) { context in
      EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
    } ?? false
  }

  private typealias Start = (
    OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?, OpaquePointer?, OpaquePointer?
  ) -> Int32

  /// Calls a closure with a context for the algorithm.
  private func withContext<Value>(_ start: Start, _ use: (OpaquePointer) -> Value?) -> Value? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    // OpenSSL owns the settings.
    var settings: OpaquePointer?
    guard start(context, &settings, digest, nil, key) == 1 else { return nil }
    if algorithm == .rsaPSS {
      guard EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1,
        EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, 64) == 1
      else { return nil }
    }
    return use(context)
  }

  /// OpenSSL's descriptor of the hash function; `nil` for an algorithm with its own.
  private var digest: OpaquePointer? {
    switch algorithm {
    case .rsaPSS: EVP_sha512()
    case .rsaPKCS1, .ecdsaP256, .hmac: EVP_sha256()
    case .ecdsaP384: EVP_sha384()
    case .ed25519: nil
    }
  }

  /// The number of bytes of each of the two numbers of an ECDSA signature; 0 for other algorithms.
  private var half: Int {
    switch algorithm {
    case .ecdsaP256: 32
    case .ecdsaP384: 48
    default: 0
    }
  }

  /// Returns the two numbers of an ECDSA signature in DER (RFC 9421 section 3.3.4).
  private static func raw(_ der: [UInt8], half: Int) -> [UInt8]? {
    let read = der.withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      return d2i_ECDSA_SIG(nil, &next, bytes.count)
    }
    guard let numbers = read else { return nil }
    defer { ECDSA_SIG_free(numbers) }
    var bytes = [UInt8](repeating: 0, count: 2 * half)
    let isWritten = bytes.withUnsafeMutableBufferPointer { bytes in
      guard let first = bytes.baseAddress else { return false }
      return BN_bn2binpad(ECDSA_SIG_get0_r(numbers), first, Int32(half)) == half
        && BN_bn2binpad(ECDSA_SIG_get0_s(numbers), first + half, Int32(half)) == half
    }
    return isWritten ? bytes : nil
  }

  /// Returns an ECDSA signature in DER; `nil` if the two numbers do not have this size.
  private static func encoded(_ raw: [UInt8], half: Int) -> [UInt8]? {
    guard raw.count == 2 * half, let numbers = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(numbers) }
    let (left, right) = (Array(raw.prefix(half)), Array(raw.suffix(half)))
    let (r, s) = (BN_bin2bn(left, Int32(half), nil), BN_bin2bn(right, Int32(half), nil))
    // The signature owns both numbers if the call succeeds.
    guard ECDSA_SIG_set0(numbers, r, s) == 1 else {
      BN_free(r)
      BN_free(s)
      return nil
    }
    let size = i2d_ECDSA_SIG(numbers, nil)
    guard size > 0 else { return nil }
    var der = [UInt8](repeating: 0, count: Int(size))
    let written = der.withUnsafeMutableBufferPointer { bytes in
      var next = bytes.baseAddress
      return i2d_ECDSA_SIG(numbers, &next)
    }
    return written == size ? der : nil
  }
}
