import COpenSSL
import FoundationEssentials
import LupineX509

/// Owns one of OpenSSL's certificate revocation lists.
///
/// `@unchecked Sendable`: nothing changes the list after parsing, except that OpenSSL sorts the entries before the
/// first lookup, under the list's own lock.
final class RevocationListHandle: @unchecked Sendable {
  let der: Data
  let pointer: OpaquePointer

  /// Parses a list; nil if the bytes are not exactly one list in DER.
  init?(der: Data) {
    guard let parsed = DER.read(der, by: { d2i_X509_CRL(nil, $0, $1) }, free: { X509_CRL_free($0) }) else { return nil }
    self.der = der
    pointer = parsed
  }

  deinit { X509_CRL_free(pointer) }
}

extension RevocationListHandle: Hashable {
  static func == (left: RevocationListHandle, right: RevocationListHandle) -> Bool { left.der == right.der }

  func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
