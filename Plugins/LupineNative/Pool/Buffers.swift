/// The memory through which all connections of a loop send and receive, one after the other.
final class Buffers {
  /// The size of each buffer in bytes.
  static let size = 128 << 10

  /// Receives bytes, which are used or copied before the next call.
  let incoming = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
  /// Takes the bytes to send, of which the unsent ones are copied.
  let outgoing = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)

  deinit {
    incoming.deallocate()
    outgoing.deallocate()
  }
}
