import COpenSSL
import FoundationEssentials
import LupineX509

/// Owns one of OpenSSL's certificates.
///
/// `@unchecked Sendable`: nothing changes the certificate after it has been read, OpenSSL counts references to it
/// atomically, and takes the certificate's own lock where it fills in what it knows of the extensions.
final class X509Handle: @unchecked Sendable {
  /// No certificate is larger in practice; parsing stays bounded.
  static let sizeLimit = 1 << 20

  let pointer: OpaquePointer

  /// Nil where the bytes are not exactly one certificate in DER, or too many.
  init?(der: Data) {
    guard der.count <= Self.sizeLimit,
      let parsed = DER.read(der, by: { d2i_X509(nil, $0, $1) }, free: { X509_free($0) })
    else { return nil }
    pointer = parsed
  }

  /// Takes a reference of its own.
  init(_ pointer: OpaquePointer) {
    X509_up_ref(pointer)
    self.pointer = pointer
  }

  deinit { X509_free(pointer) }
}
