/// The memory through which all connections of a loop send and receive, one after the other.
final class Buffers {
  /// The size of each buffer in bytes.
  static let size = 128 << 10
  /// Buffers begin at a page boundary.
  ///
  /// Some processors copy several times slower if the destination's offset in its page exceeds the source's by 1 to 31
  /// bytes; `Benchmarks/README.md` has the figures.
  private static let alignment = 4096

  /// Receives bytes, which are used or copied before the next call.
  let incoming = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: alignment)
  /// Takes the bytes to send, of which the unsent ones are copied.
  let outgoing = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: alignment)

  deinit {
    incoming.deallocate()
    outgoing.deallocate()
  }
}
