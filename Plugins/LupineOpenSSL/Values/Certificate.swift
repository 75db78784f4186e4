import COpenSSL
public import FoundationEssentials
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
