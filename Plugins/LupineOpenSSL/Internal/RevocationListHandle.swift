import COpenSSL
import FoundationEssentials

/// Owns one of OpenSSL's certificate revocation lists.
struct RevocationListHandle: ~Copyable {
  let pointer: OpaquePointer

  init?(der: Data) {
    let list = der.withUnsafeBytes { bytes in
      var next = bytes.bindMemory(to: UInt8.self).baseAddress
      return d2i_X509_CRL(nil, &next, bytes.count)
    }
    guard let list else {
      ERR_clear_error()
      return nil
    }
    pointer = list
  }

  deinit { X509_CRL_free(pointer) }
}
