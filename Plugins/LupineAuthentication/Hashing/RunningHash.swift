import COpenSSL

/// Computes a hash incrementally; owns OpenSSL's context.
struct RunningHash: ~Copyable {
  private let context: OpaquePointer
  private var isGood = true

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
    if EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) != 1 { isGood = false }
  }

  /// Returns the hash; `nil` if a call of OpenSSL failed.
  consuming func finish() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard isGood, EVP_DigestFinal_ex(context, &bytes, &count) == 1 else { return nil }
    return Array(bytes.prefix(Int(count)))
  }
}
