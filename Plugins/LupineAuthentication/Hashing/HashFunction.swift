import COpenSSL

/// The hash functions that are used here, as OpenSSL has them.
enum HashFunction: Sendable, Hashable {
  case md5
  case sha256
  case sha512Over256

  /// OpenSSL's description; the library owns it.
  fileprivate var description: OpaquePointer? {
    switch self {
    case .md5: EVP_md5()
    case .sha256: EVP_sha256()
    case .sha512Over256: EVP_sha512_256()
    }
  }

  /// The hash of a text's UTF-8 in hexadecimal; `nil` where OpenSSL refuses the function, as MD5 under FIPS.
  func hexadecimal(_ text: String) -> String? {
    guard var hash = RunningHash(self) else { return nil }
    hash.update(Array(text.utf8))
    return hash.finish().map(Hexadecimal.text)
  }
}

/// A hash that is fed piece by piece; it owns OpenSSL's context.
struct RunningHash: ~Copyable {
  private let context: OpaquePointer
  private var isGood = true

  init?(_ function: HashFunction) {
    guard let context = EVP_MD_CTX_new() else { return nil }
    guard EVP_DigestInit_ex(context, function.description, nil) == 1 else {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
      return nil
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  mutating func update(_ bytes: some RandomAccessCollection<UInt8>) {
    let context = context
    let isTaken = bytes.withContiguousStorageIfAvailable { EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1 }
    isGood = isGood && (isTaken ?? false)
  }

  /// The hash; `nil` where OpenSSL failed on the way.
  consuming func finish() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard isGood, EVP_DigestFinal_ex(context, &bytes, &count) == 1 else { return nil }
    return Array(bytes.prefix(Int(count)))
  }
}
