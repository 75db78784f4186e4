#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

extension UnsafeRawBufferPointer {
  /// Returns the position of the first byte with this value, from a position on; `nil` if there is none.
  public func position(of byte: UInt8, from start: Int) -> Int? {
    guard let first = baseAddress, start < count,
      let found = memchr(first + start, Int32(byte), count - start)
    else { return nil }
    return first.distance(to: UnsafeRawPointer(found))
  }
}

extension Double {
  /// The natural logarithm.
  public var logarithm: Double { log(self) }

  /// The cosine of an angle in radians.
  public var cosine: Double { cos(self) }
}
