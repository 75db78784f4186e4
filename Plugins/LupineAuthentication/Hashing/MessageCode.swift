import COpenSSL

/// Message authentication codes (RFC 2104).
enum MessageCode {
  /// Returns the HMAC of a text's UTF-8 with SHA-256; `nil` if OpenSSL fails.
  static func sha256(_ text: String, key: [UInt8]) -> [UInt8]? {
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    let message = Array(text.utf8)
    guard HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, &count) != nil else { return nil }
    return Array(code.prefix(Int(count)))
  }
}
