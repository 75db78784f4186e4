import COpenSSL

/// Memory that OpenSSL reads from or prints to.
public struct OpenSSLMemory: ~Copyable {
  /// The memory of OpenSSL.
  public let pointer: OpaquePointer?

  /// Empty, to be printed to.
  public init() { pointer = BIO_new(BIO_s_mem()) }

  /// Lets OpenSSL read bytes, which must outlive this value.
  public init(reading bytes: UnsafeRawBufferPointer) {
    pointer = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
  }

  deinit { BIO_free(pointer) }

  /// What has been printed, cut at 1,000 bytes.
  public var text: String {
    var bytes: UnsafePointer<CChar>?
    let count = lupine_memory(pointer, &bytes)
    guard let bytes, count > 0 else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: min(count, 1000)), as: UTF8.self)
  }
}
