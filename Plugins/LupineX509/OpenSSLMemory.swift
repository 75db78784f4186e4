import COpenSSL

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
