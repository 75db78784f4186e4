import COpenSSL
import FoundationEssentials
import LupineX509

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
