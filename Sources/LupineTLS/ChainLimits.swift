import COpenSSL

/// The limits of the certificates that a peer sends, which are checked before their first use.
///
/// The loop waits for each computation with a certificate, so a peer must not choose how long it takes.
enum ChainLimits {
  /// The maximum size of all certificates in bytes; OpenSSL parses them all before they can be counted.
  static let bytes = 64 << 10
  /// The maximum number of certificates.
  static let certificates = 32
  /// The maximum size in bits of an RSA key.
  static let rsaKey = 8_192

  /// Returns how the certificates exceed a limit, in lower case; `nil` if they exceed none.
  ///
  /// - Parameter context: the context that OpenSSL passes to the callback that replaces its verification.
  static func problem(in context: OpaquePointer) -> String? {
    let sent = X509_STORE_CTX_get0_untrusted(context)
    let count = lupine_certificates_count(sent)
    guard count <= certificates else {
      return "there are \(count) of them; at most \(certificates) are accepted."
    }
    let largest = (0..<count).compactMap { lupine_certificates_at(sent, $0) }.map { lupine_rsa_bits($0) }.max() ?? 0
    guard largest > rsaKey else { return nil }
    return "an RSA key has \(largest) bits; at most \(rsaKey) are accepted, because larger ones take too long to use."
  }
}
