#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The functions of the C library that this module calls.
enum Memory {
  /// The offset of the next byte of this value; `nil` if there is none.
  static func offset(of byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress, start < bytes.count,
      let found = memchr(base + start, Int32(byte), bytes.count - start)
    else {
      return nil
    }
    return base.distance(to: UnsafeRawPointer(found))
  }

  /// Frees memory that a C library has allocated for its caller.
  static func release(_ pointer: UnsafeMutableRawPointer) { free(pointer) }
}
