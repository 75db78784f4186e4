#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

extension [UInt8] {
  /// Whether both buffers contain the same bytes.
  public func isEqual(to bytes: UnsafeRawBufferPointer) -> Bool { count == bytes.count && contains(bytes, at: 0) }

  /// Whether the buffer contains these bytes at an offset; false if the buffer ends before they do.
  public func contains(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
    guard bytes.count <= count - start else { return false }
    // An empty buffer may have no address.
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return true }
    return withUnsafeBytes { buffer in
      buffer.baseAddress.map { memcmp($0 + start, base, bytes.count) == 0 } ?? true
    }
  }

  /// Whether these bytes begin with the buffer's content.
  public func isPrefix(of bytes: UnsafeRawBufferPointer) -> Bool {
    count <= bytes.count && isEqual(to: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
  }
}

extension UnsafeRawBufferPointer {
  /// Whether both buffers contain the same bytes.
  public func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let base = baseAddress, let otherBase = other.baseAddress, !isEmpty else { return true }
    return memcmp(base, otherBase, count) == 0
  }
}
