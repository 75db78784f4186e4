import COpenSSL
public import FoundationEssentials
import LupineX509

/// The SHA-256 digest of a public key with its algorithm (SubjectPublicKeyInfo, RFC 7469 section 2.4).
public struct PublicKeyPin: Sendable, Hashable {
  /// The 32 bytes of the digest.
  public let digest: Data

  /// Parses a pin in the format of OkHttp (`sha256/…`), libcurl (`sha256//…`) or HPKP (`pin-sha256="…"`).
  ///
  /// - Throws: `CertificateError` if the digest is not the Base64 encoding of 32 bytes.
  public init(_ text: String) throws(CertificateError) {
    var code = Substring(text)
    if code.hasPrefix("pin-sha256=\""), code.hasSuffix("\""), code.utf8.count > 13 {
      code = code.dropFirst(12).dropLast()
    } else if code.hasPrefix("sha256//") {
      code = code.dropFirst(8)
    } else if code.hasPrefix("sha256/") {
      code = code.dropFirst(7)
    } else {
      throw CertificateError("\"\(text.prefix(100))\" is not a pin: write sha256/ and the digest in Base64")
    }
    guard let digest = Data(base64Encoded: String(code)), digest.count == 32 else {
      throw CertificateError(
        "\"\(text.prefix(100))\" is not a pin: a digest of SHA-256 has 32 bytes, which are 44 characters of Base64")
    }
    self.digest = digest
  }

  /// Computes the digest of a public key in DER (SubjectPublicKeyInfo).
  public init(publicKey der: Data) {
    digest = Self.digest(of: der)
  }

  init?(subjectPublicKeyInfoOf certificate: OpaquePointer) {
    let key = X509_get_X509_PUBKEY(certificate)
    guard let der = DER.bytes({ i2d_X509_PUBKEY(key, $0) }) else { return nil }
    digest = Self.digest(of: der)
  }

  private static func digest(of bytes: Data) -> Data {
    var digest = Data(count: 32)
    _ = digest.withUnsafeMutableBytes { space in
      bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, space.baseAddress, nil, EVP_sha256(), nil) }
    }
    return digest
  }
}

extension PublicKeyPin: CustomStringConvertible {
  /// The pin as `sha256/` and Base64, which `init(_:)` accepts.
  public var description: String { "sha256/" + digest.base64EncodedString() }
}
