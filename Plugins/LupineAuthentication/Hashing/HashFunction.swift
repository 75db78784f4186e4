import COpenSSL
import LupineCore
import LupineSupport

/// The hash functions of the plugin, computed by OpenSSL.
enum HashFunction: Sendable, Hashable {
  case md5
  case sha256
  case sha512Over256

  /// OpenSSL's descriptor of the function, owned by OpenSSL.
  var messageDigest: OpaquePointer? {
    switch self {
    case .md5: EVP_md5()
    case .sha256: EVP_sha256()
    case .sha512Over256: EVP_sha512_256()
    }
  }

  /// Returns the hash of a text's UTF-8 in hexadecimal; `nil` if OpenSSL lacks the function, as MD5 in FIPS mode.
  func hexadecimal(_ text: String) -> String? {
    guard var hash = RunningHash(self) else { return nil }
    Array(text.utf8).withUnsafeBytes { hash.update($0) }
    return hash.finish().map(Hexadecimal.text)
  }
}
