/// The reused buffer for each piece of output.
///
/// `@unchecked Sendable`: the struct is the only owner of its memory and cannot be copied.
struct Chunk: ~Copyable, @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer

  /// Allocates `size` bytes, at least one.
  init(size: Int) {
    bytes = .allocate(byteCount: max(size, 1), alignment: 16)
  }

  deinit { bytes.deallocate() }

  /// Returns the first `count` bytes.
  func prefix(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[..<count])
  }
}
