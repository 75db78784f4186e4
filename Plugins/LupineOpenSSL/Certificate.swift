import COpenSSL
import LupineCore
public import LupineFoundation
import LupineX509

/// An X.509 certificate (RFC 5280), parsed by OpenSSL.
public struct Certificate: Sendable, Hashable {
  /// The certificate in DER.
  public let der: Data
  /// The subject, in the format of RFC 2253.
  public let subject: String
  /// The issuer, in the format of RFC 2253.
  public let issuer: String
  /// The start of the validity period.
  public let notBefore: Date
  /// The end of the validity period.
  public let notAfter: Date
  /// The SHA-256 digest of the public key.
  public let publicKeyPin: PublicKeyPin
  /// OpenSSL's parsed certificate, kept because parsing takes longer than verification.
  let handle: X509Handle

  /// Parses a certificate.
  ///
  /// - Throws: `CertificateError` if the bytes are not exactly one certificate in DER of at most 1 MiB.
  public init(der: Data) throws(CertificateError) {
    guard let handle = X509Handle(der: der), let made = Certificate(handle, der: der) else {
      throw CertificateError("these \(der.count) bytes are not a certificate in DER that can be read")
    }
    self = made
  }

  /// Copies an OpenSSL certificate; nil if it cannot be encoded, or if its dates are invalid.
  init?(copying pointer: OpaquePointer) {
    guard let der = DER.certificate(pointer) else { return nil }
    self.init(X509Handle(pointer), der: der)
  }

  private init?(_ handle: X509Handle, der: Data) {
    let pointer = handle.pointer
    var first: Int64 = 0
    var last: Int64 = 0
    guard lupine_seconds(X509_get0_notBefore(pointer), &first) == 1,
      lupine_seconds(X509_get0_notAfter(pointer), &last) == 1,
      let pin = PublicKeyPin(subjectPublicKeyInfoOf: pointer)
    else { return nil }
    self.der = der
    self.handle = handle
    subject = Self.text(X509_get_subject_name(pointer))
    issuer = Self.text(X509_get_issuer_name(pointer))
    notBefore = Date(timeIntervalSince1970: Double(first))
    notAfter = Date(timeIntervalSince1970: Double(last))
    publicKeyPin = pin
  }

  private static func text(_ name: OpaquePointer?) -> String {
    let memory = OpenSSLMemory()
    lupine_print_name(memory.pointer, name)
    let text = memory.text
    return text.isEmpty ? "(no name)" : text
  }
}

extension Certificate {
  /// Compares all bytes.
  public static func == (left: Certificate, right: Certificate) -> Bool { left.der == right.der }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension Certificate: CustomStringConvertible {
  /// The subject, the issuer, the validity period and the pin, on one line.
  public var description: String {
    "\(subject), issued by \(issuer), valid from \(Self.day(notBefore)) to \(Self.day(notAfter)), pin \(publicKeyPin)"
  }

  /// Returns a date with seconds, in UTC.
  static func day(_ date: Date) -> String { date.formatted(.iso8601) }
}

extension Certificate {
  /// The DNS names and IP addresses of the subject alternative name (RFC 5280 section 4.2.1.6).
  ///
  /// Addresses have the form of `HTTPURL.host`. A name with a byte that is not printable ASCII is omitted, because it
  /// matches no host.
  public var names: [String] {
    guard let list = lupine_names(handle.pointer) else { return [] }
    defer { GENERAL_NAMES_free(list) }
    return (0..<lupine_names_count(list)).compactMap { index in
      var bytes: UnsafePointer<UInt8>?
      var count: Int32 = 0
      let kind = lupine_name(list, index, &bytes, &count)
      guard let bytes, count >= 0 else { return nil }
      let buffer = UnsafeBufferPointer(start: bytes, count: Int(count))
      switch kind {
      case GEN_DNS: return Self.name(buffer)
      case GEN_IPADD: return IPAddress(bytes: Array(buffer))?.description
      default: return nil
      }
    }
  }

  /// Whether the certificate matches the host: a DNS name for a name, an IP address for an address.
  ///
  /// The common name does not count. A wildcard matches exactly one label. A dot at the end of the host is ignored (RFC
  /// 9110 section 4.3.4, RFC 6125). A text that begins with a dot matches nothing. The method does not check the
  /// authorities' name constraints; the evaluators check them after the verification of the chain.
  public func matches(host: String) -> Bool {
    HostName.matches(host, handle.pointer)
  }

  /// Whether the certificate requires a stapled OCSP response (RFC 7633).
  public var demandsStapledOCSPResponse: Bool {
    lupine_demands_staple(handle.pointer) == 1
  }

  /// Whether the certificate is valid at this date.
  public func isValid(at date: Date) -> Bool { notBefore <= date && date <= notAfter }

  private static func name(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

/// The error for certificates, keys or revocation lists that cannot be read.
public struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The item that cannot be read, and the reason.
  public let description: String

  /// Creates an error with this description.
  public init(_ description: String) { self.description = description }
}

/// Owns one of OpenSSL's certificates.
///
/// `@unchecked Sendable`: nothing changes the certificate after parsing. OpenSSL counts references atomically, and
/// caches the values of extensions under the certificate's own lock.
final class X509Handle: @unchecked Sendable {
  /// The maximum size of a certificate in bytes, which bounds the parsing.
  static let sizeLimit = 1 << 20

  let pointer: OpaquePointer

  /// Parses a certificate; nil if the bytes are not exactly one certificate in DER, or if they exceed `sizeLimit`.
  init?(der: Data) {
    guard der.count <= Self.sizeLimit,
      let parsed = DER.read(der, by: { d2i_X509(nil, $0, $1) }, free: { X509_free($0) })
    else { return nil }
    pointer = parsed
  }

  /// Adds a reference to the certificate.
  init(_ pointer: OpaquePointer) {
    X509_up_ref(pointer)
    self.pointer = pointer
  }

  deinit { X509_free(pointer) }
}
