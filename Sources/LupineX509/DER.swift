import COpenSSL
public import LupineFoundation

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

/// Owns a memory BIO that OpenSSL reads from or writes to.
public struct OpenSSLMemory: ~Copyable {
  /// OpenSSL's BIO; `nil` if it could not be created.
  public let pointer: OpaquePointer?

  /// Creates an empty BIO for output.
  public init() { pointer = BIO_new(BIO_s_mem()) }

  /// Creates a BIO that reads these bytes, which must outlive it.
  public init(reading bytes: UnsafeRawBufferPointer) {
    pointer = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
  }

  deinit { BIO_free(pointer) }

  /// The output as text, at most its first 1,000 bytes.
  public var text: String {
    var bytes: UnsafePointer<CChar>?
    let count = lupine_memory(pointer, &bytes)
    guard let bytes, count > 0 else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: min(count, 1000)), as: UTF8.self)
  }
}

/// The texts of OpenSSL's errors.
public enum OpenSSLText {
  /// Returns the text of the first error in this thread's queue, and clears the queue.
  public static func takeError() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return "no reason given" }
    var text = [CChar](repeating: 0, count: 256)
    ERR_error_string_n(code, &text, text.count)
    return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  /// Returns the text of a verification code.
  public static func verification(_ code: Int32) -> String {
    X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
  }
}
