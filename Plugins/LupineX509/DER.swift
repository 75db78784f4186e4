import COpenSSL
public import FoundationEssentials

/// What OpenSSL holds as the bytes that stand for it.
public enum DER {
  /// A certificate in DER; `nil` where OpenSSL cannot write it.
  public static func certificate(_ certificate: OpaquePointer) -> Data? {
    bytes { i2d_X509(certificate, $0) }
  }

  /// What one of OpenSSL's `i2d_…` writes: it is asked for the length first, without a place.
  public static func bytes(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> Data? {
    let size = write(nil)
    guard size > 0 else { return nil }
    var der = Data(count: Int(size))
    let written = der.withUnsafeMutableBytes { bytes in
      var next = bytes.bindMemory(to: UInt8.self).baseAddress
      return write(&next)
    }
    return written == size ? der : nil
  }

  /// What one of OpenSSL's `d2i_…` reads, to be freed by the caller; `nil` where the bytes are not exactly one such value.
  public static func read(
    _ der: Data, by read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?,
    free: (OpaquePointer) -> Void
  ) -> OpaquePointer? {
    let value = der.withUnsafeBytes { bytes -> OpaquePointer? in
      var next = bytes.bindMemory(to: UInt8.self).baseAddress
      guard let first = next, let value = read(&next, bytes.count) else { return nil }
      // Bytes behind the value belong to something else.
      if next.map({ $0 - first }) == bytes.count { return value }
      free(value)
      return nil
    }
    if value == nil { ERR_clear_error() }
    return value
  }

  /// The certificates of a list, those left out that OpenSSL cannot write.
  public static func certificates(_ stack: OpaquePointer?) -> [Data] {
    (0..<lupine_certificates_count(stack)).compactMap { index in
      lupine_certificates_at(stack, index).flatMap(certificate)
    }
  }
}
