extension Duration {
  /// Whole nanoseconds, capped at what 64 bits hold.
  public var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }

  /// The duration in milliseconds with two digits, as people read it.
  public var milliseconds: String {
    // A duration of a million years is none that a person reads in milliseconds.
    guard abs(components.seconds / 2) < 1 << 44 else { return "\(self)" }
    let hundredths = (components.seconds * 100_000) + (components.attoseconds / 10_000_000_000_000)
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ms"
  }
}

extension UInt64 {
  /// Random bits as a number from 0 up to 1, not 1 itself.
  public var fraction: Double { Double(self >> 11) * 0x1p-53 }
}
