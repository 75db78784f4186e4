import COpenSSL
import LupineCore
import LupineFoundation
import LupineSupport

/// Authenticates what is kept on the server, and hides its keys: HMAC-SHA256 with the program's key (RFC 2104).
///
/// Each purpose has a name in the authenticated bytes, so that a code of one purpose is none of another.
struct Authenticator: Sendable {
  /// The length of a code in bytes.
  static let length = 32

  enum Purpose: String, Sendable {
    case key, variant, lease, record, content
  }

  private let key: [UInt8]

  /// - Throws: `LupineError` of kind `configuration` if the key has fewer than 32 or more than 1024 bytes.
  init(key: [UInt8]) throws(LupineError) {
    guard (32...1024).contains(key.count) else {
      throw .unusable(
        "authenticationKey", "The authentication key of the Redis store must have 32 to 1024 random bytes.")
    }
    self.key = key
  }

  /// Returns the code of the parts; their lengths are authenticated as well.
  func code(_ purpose: Purpose, _ parts: [Data]) throws(LupineError) -> Data {
    var message = Data()
    message.reserveCapacity(parts.reduce(64) { $0 + $1.count + 8 })
    for part in [Data("lupine.redis.1.\(purpose.rawValue)".utf8)] + parts {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { message.append(contentsOf: $0) }
      message.append(part)
    }
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    let isMade = message.withUnsafeBytes { bytes in
      let start = bytes.bindMemory(to: UInt8.self).baseAddress
      return HMAC(EVP_sha256(), key, Int32(key.count), start, bytes.count, &code, &count) != nil
    }
    guard isMade, count == UInt32(Self.length) else {
      throw LupineError(.redisRefused, "OpenSSL cannot make an HMAC with SHA-256, so the Redis store cannot be used.")
    }
    return Data(code.prefix(Self.length))
  }

  /// Returns the code of a text in hexadecimal, as a name.
  func name(_ purpose: Purpose, _ text: String) throws(LupineError) -> String {
    Hexadecimal.text(Array(try code(purpose, [Data(text.utf8)])))
  }

  /// Whether the code is that of the parts; takes the same time wherever a wrong one differs.
  func verifies(_ code: Data, _ purpose: Purpose, _ parts: [Data]) throws(LupineError) -> Bool {
    let expected = try self.code(purpose, parts)
    guard code.count == expected.count else { return false }
    return CRYPTO_memcmp(Array(code), Array(expected), expected.count) == 0
  }
}
