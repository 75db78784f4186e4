import COpenSSL
import FoundationEssentials

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
    guard der.count <= Self.sizeLimit else { return nil }
    let parsed = der.withUnsafeBytes { bytes -> OpaquePointer? in
      var next = bytes.bindMemory(to: UInt8.self).baseAddress
      guard let first = next, let made = d2i_X509(nil, &next, bytes.count) else { return nil }
      // Bytes behind the certificate belong to something else.
      if next.map({ $0 - first }) == bytes.count { return made }
      X509_free(made)
      return nil
    }
    guard let parsed else {
      ERR_clear_error()
      return nil
    }
    pointer = parsed
  }

  /// Takes a reference of its own.
  init(_ pointer: OpaquePointer) {
    X509_up_ref(pointer)
    self.pointer = pointer
  }

  deinit { X509_free(pointer) }
}
