/// One piece of memory that every piece of output is written to, over and over.
///
/// `@unchecked Sendable`: it is the only owner of its memory and cannot be copied, so whoever holds it is alone with it.
struct Chunk: ~Copyable, @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer

  /// Takes memory for `size` bytes, at least one.
  init(size: Int) {
    bytes = .allocate(byteCount: max(size, 1), alignment: 16)
  }

  deinit { bytes.deallocate() }

  /// The first `count` bytes.
  func prefix(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[..<count])
  }
}
