import COpenSSL
import LupineCore
import LupineSupport

/// The hash functions of the plugin, computed by OpenSSL.
enum HashFunction: Sendable, Hashable {
  case md5
  case sha256
  case sha512
  case sha512Over256

  /// OpenSSL's descriptor of the function, owned by OpenSSL.
  var messageDigest: OpaquePointer? {
    switch self {
    case .md5: EVP_md5()
    case .sha256: EVP_sha256()
    case .sha512: EVP_sha512()
    case .sha512Over256: EVP_sha512_256()
    }
  }

  /// Returns the hash of a text's UTF-8 in hexadecimal; `nil` if OpenSSL lacks the function, as MD5 in FIPS mode.
  func hexadecimal(_ text: String) -> String? {
    guard var hash = IncrementalHash(self) else { return nil }
    Array(text.utf8).withUnsafeBytes { hash.update($0) }
    return hash.finish().map(Hexadecimal.text)
  }
}

/// Computes a hash incrementally; owns OpenSSL's context.
///
/// `@unchecked Sendable`: the struct is the only owner of the context and cannot be copied, and OpenSSL does not bind a
/// context to a thread.
struct IncrementalHash: ~Copyable, @unchecked Sendable {
  private let context: OpaquePointer
  private var isValid = true

  init?(_ function: HashFunction) {
    guard let context = EVP_MD_CTX_new() else { return nil }
    guard EVP_DigestInit_ex(context, function.messageDigest, nil) == 1 else {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
      return nil
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) != 1 { isValid = false }
  }

  /// Returns the hash; `nil` if a call of OpenSSL failed.
  consuming func finish() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard isValid, EVP_DigestFinal_ex(context, &bytes, &count) == 1 else { return nil }
    return Array(bytes.prefix(Int(count)))
  }
}

/// Hashes a request's body incrementally, for `auth-int` and for signatures.
enum BodyHash {
  /// Returns the hash in hexadecimal; `nil` if OpenSSL lacks the hash function.
  ///
  /// - Throws: `LupineError` of kind `bodyFailed` if the body cannot be read.
  static func hexadecimal(_ body: RequestBody, _ function: HashFunction) async throws(LupineError) -> String? {
    try await bytes(body, function).map(Hexadecimal.text)
  }

  /// Returns the hash; `nil` if OpenSSL lacks the hash function.
  ///
  /// - Throws: `LupineError` of kind `bodyFailed` if the body cannot be read.
  static func bytes(_ body: RequestBody, _ function: HashFunction) async throws(LupineError) -> [UInt8]? {
    guard var hash = IncrementalHash(function) else { return nil }
    try await body.drain { hash.update($0) }
    return hash.finish()
  }
}

/// Message authentication codes (RFC 2104).
enum MessageAuthenticationCode {
  /// Returns the HMAC of a text's UTF-8 with SHA-256; `nil` if OpenSSL fails.
  static func sha256(_ text: String, key: [UInt8]) -> [UInt8]? { sha256(Array(text.utf8), key: key) }

  /// Whether two codes are equal, in a time that does not depend on their bytes.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }

  /// Returns the HMAC of bytes with SHA-256; `nil` if OpenSSL fails.
  static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8]? {
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, &count) != nil else { return nil }
    return Array(code.prefix(Int(count)))
  }
}
