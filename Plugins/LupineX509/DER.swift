import COpenSSL
public import FoundationEssentials

/// Converts between OpenSSL's objects and DER.
public enum DER {
  /// Returns a certificate in DER; `nil` if OpenSSL cannot encode it.
  public static func certificate(_ certificate: OpaquePointer) -> Data? {
    bytes { i2d_X509(certificate, $0) }
  }

  /// Returns the output of one of OpenSSL's `i2d_…` functions, which is called with nil first to get the length.
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

  /// Returns the result of one of OpenSSL's `d2i_…` functions; `nil` if the bytes are not exactly one value.
  ///
  /// The caller must free the result.
  public static func read(
    _ der: Data, by read: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?,
    free: (OpaquePointer) -> Void
  ) -> OpaquePointer? {
    let value = der.withUnsafeBytes { bytes -> OpaquePointer? in
      var next = bytes.bindMemory(to: UInt8.self).baseAddress
      guard let first = next, let value = read(&next, bytes.count) else { return nil }
      // Bytes after the value make the input invalid.
      if next.map({ $0 - first }) == bytes.count { return value }
      free(value)
      return nil
    }
    if value == nil { ERR_clear_error() }
    return value
  }

  /// Returns the certificates of a list in DER, without those that OpenSSL cannot encode.
  public static func certificates(_ stack: OpaquePointer?) -> [Data] {
    (0..<lupine_certificates_count(stack)).compactMap { index in
      lupine_certificates_at(stack, index).flatMap(certificate)
    }
  }
}
