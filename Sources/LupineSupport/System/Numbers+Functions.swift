#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

extension Double {
  /// The natural logarithm.
  public var logarithm: Double { log(self) }

  /// The cosine of an angle in radians.
  public var cosine: Double { cos(self) }
}

extension UInt64 {
  /// Random bits as a number in `0..<1`.
  public var fraction: Double { Double(self >> 11) * 0x1p-53 }
}
