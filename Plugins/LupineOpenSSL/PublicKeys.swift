import COpenSSL
public import LupineFoundation
import LupineX509

/// Public keys to pin, from pins, keys or certificates, and the problems with reading them.
///
/// Reading never throws, so that the value can be written inside an expression that creates an evaluator:
/// `.publicKeys(["sha256/…", "sha256/…"])`. `Session.Builder.build()` reports the problems.
public struct PublicKeys: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The digests of the keys.
  public let pins: Set<PublicKeyPin>
  /// The items that cannot be read, with the reasons.
  public let problems: [String]

  init(pins: Set<PublicKeyPin>, problems: [String]) {
    self.pins = pins
    self.problems = problems
  }

  /// Parses pins in any format of `PublicKeyPin`; one text may contain several pins, separated by `;`.
  public init(_ texts: [String]) {
    var pins: Set<PublicKeyPin> = []
    var problems: [String] = []
    for text in texts.flatMap({ $0.split(separator: ";", omittingEmptySubsequences: false) }) {
      do throws(CertificateError) {
        pins.insert(try PublicKeyPin(text.trimmingPrefix { $0 == " " }.description))
      } catch {
        problems.append(error.description)
      }
    }
    self.init(pins: pins, problems: problems)
  }

  /// Parses pins in any format of `PublicKeyPin`.
  public init(arrayLiteral elements: String...) { self.init(elements) }

  /// Uses the keys of certificates.
  public static func certificates(_ certificates: Certificates) -> PublicKeys {
    PublicKeys(pins: Set(certificates.certificates.map(\.publicKeyPin)), problems: certificates.problems)
  }

  /// Reads a public key in PEM or DER (SubjectPublicKeyInfo).
  public static func key(_ bytes: Data) -> PublicKeys { key(bytes, of: "the public key") }

  /// Reads a file with a public key in PEM or DER.
  public static func keyFile(_ path: String) -> PublicKeys {
    do throws(CertificateError) { return key(try FileContent.read(path), of: path) } catch {
      return PublicKeys(pins: [], problems: ["\(path): \(error)"])
    }
  }

  /// Returns the keys and the problems of both sides.
  public static func + (left: PublicKeys, right: PublicKeys) -> PublicKeys {
    PublicKeys(pins: left.pins.union(right.pins), problems: left.problems + right.problems)
  }

  private static func key(_ bytes: Data, of name: String) -> PublicKeys {
    let key = bytes.withUnsafeBytes { bytes in
      let memory = OpenSSLMemory(reading: bytes)
      return CertificateReader.isPEM(Data(bytes))
        ? PEM_read_bio_PUBKEY(memory.pointer, nil, nil, nil) : d2i_PUBKEY_bio(memory.pointer, nil)
    }
    defer { EVP_PKEY_free(key) }
    guard let key, let der = DER.bytes({ i2d_PUBKEY(key, $0) }) else {
      return PublicKeys(pins: [], problems: ["\(name): it is not a public key: \(OpenSSLText.takeError())"])
    }
    return PublicKeys(pins: [PublicKeyPin(publicKey: der)], problems: [])
  }
}

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
