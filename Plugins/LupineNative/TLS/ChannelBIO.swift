import COpenSSL

/// Connects OpenSSL with the channel below TLS.
///
/// The callbacks forward to the `TLSChannel`, which owns the connection that owns the BIO. So the pointer is valid in
/// every call.
enum ChannelBIO {
  // Written once, before the first use, and never changed; OpenSSL only reads it.
  private nonisolated(unsafe) static let method: OpaquePointer? = {
    let method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "lupine channel")
    BIO_meth_set_read(method, read)
    BIO_meth_set_write(method, write)
    BIO_meth_set_ctrl(method, control)
    return method
  }()

  /// Makes a connection move its bytes through `channel`; false on failure.
  static func connect(_ connection: OpaquePointer, to channel: TLSChannel) -> Bool {
    guard let bio = method.flatMap({ BIO_new($0) }) else { return false }
    BIO_set_data(bio, Unmanaged.passUnretained(channel).toOpaque())
    BIO_set_init(bio, 1)
    // One reference serves both directions.
    SSL_set_bio(connection, bio, bio)
    return true
  }

  private static let read: @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, Int32) -> Int32 = {
    bio, bytes, count in
    lupine_bio_clear_retry(bio)
    guard let channel = channel(bio), let bytes, count > 0 else { return -1 }
    switch channel.receiveRecords(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))) {
    case .bytes(let count): return Int32(count)
    case .wouldBlock, .overhead:
      lupine_bio_retry_read(bio)
      return -1
    case .end: return 0
    case .failure: return -1
    }
  }

  private static let write: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
    bio, bytes, count in
    lupine_bio_clear_retry(bio)
    guard let channel = channel(bio), let bytes, count > 0 else { return -1 }
    switch channel.sendRecords(UnsafeRawBufferPointer(start: bytes, count: Int(count))) {
    case .bytes(let count): return Int32(count)
    case .wouldBlock, .overhead:
      lupine_bio_retry_write(bio)
      return -1
    case .end, .failure: return -1
    }
  }

  private static let control: @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int = {
    bio, command, _, _ in
    switch command {
    case BIO_CTRL_FLUSH: 1
    case BIO_CTRL_EOF: channel(bio)?.hasSocketEnded == true ? 1 : 0
    default: 0
    }
  }

  private static func channel(_ bio: OpaquePointer?) -> TLSChannel? {
    BIO_get_data(bio).map { Unmanaged<TLSChannel>.fromOpaque($0).takeUnretainedValue() }
  }
}
