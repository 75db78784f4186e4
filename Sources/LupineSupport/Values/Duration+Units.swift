extension Duration {
  /// The duration in whole nanoseconds, clamped to 64 bits.
  public var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }

  /// The duration in milliseconds with two decimal places, for display.
  public var milliseconds: String {
    // A duration of centuries is not displayed in milliseconds.
    guard abs(boundedSeconds) < 1 << 33 else { return "\(self)" }
    let hundredths = (components.seconds * 100_000) + (components.attoseconds / 10_000_000_000_000)
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ms"
  }

  /// The duration in Swift syntax, exact to the nanosecond and at most 292 years.
  public var literal: String {
    if self == .seconds(boundedSeconds) { return ".seconds(\(boundedSeconds))" }
    let total = nanoseconds
    return total % 1_000_000 == 0 ? ".milliseconds(\(total / 1_000_000))" : ".nanoseconds(\(total))"
  }
}
