import COpenSSL
import LupineCore
import LupineSupport

/// The hash functions that are used here, as OpenSSL has them.
enum HashFunction: Sendable, Hashable {
  case md5
  case sha256
  case sha512Over256

  /// OpenSSL's description of the function; the library owns it.
  var messageDigest: OpaquePointer? {
    switch self {
    case .md5: EVP_md5()
    case .sha256: EVP_sha256()
    case .sha512Over256: EVP_sha512_256()
    }
  }

  /// The hash of a text's UTF-8 in hexadecimal; `nil` where OpenSSL refuses the function, as MD5 under FIPS.
  func hexadecimal(_ text: String) -> String? {
    guard var hash = RunningHash(self) else { return nil }
    Array(text.utf8).withUnsafeBytes { hash.update($0) }
    return hash.finish().map(Hexadecimal.text)
  }
}
