extension UInt64 {
  /// Random bits as a number from 0 up to 1, not 1 itself.
  public var fraction: Double { Double(self >> 11) * 0x1p-53 }
}
