extension Duration {
  /// The longest time that is measured or waited for: 292 years.
  public static let longest = Duration.nanoseconds(Int64.max)

  /// The duration, at least −292 and at most 292 years.
  ///
  /// The arithmetic of `Duration` traps if a result does not fit. Sums of thousands of such durations and their products
  /// with any 32-bit number fit, and so do their whole seconds and nanoseconds.
  public var bounded: Duration { min(max(self, .zero - Self.longest), Self.longest) }

  /// The time on a clock, at most 1.3 million million years from its start in both directions.
  ///
  /// The limit is far beyond `longest`, so that a clock still moves after some of the longest waits: a deadline on a
  /// clock that stands still is never reached.
  public var boundedTime: Duration {
    let limit = Int128(1) << 125
    return Duration(attoseconds: min(max(attoseconds, -limit), limit))
  }

  /// The whole seconds of the bounded duration.
  public var boundedSeconds: Int64 { bounded.components.seconds }

  /// Creates a bounded duration from a number of seconds; zero for a value that is not a number.
  public init(boundedSeconds seconds: Double) {
    let limit = Self.longest / .seconds(1)
    self = seconds.isNaN ? .zero : Duration.seconds(min(max(seconds, -limit), limit)).bounded
  }
}

extension FixedWidthInteger {
  /// Converts a number without its fraction; the nearest value if it does not fit, and 0 if it is not a number.
  public init(saturating number: Double) {
    if number.isNaN {
      self = 0
    } else if number >= Double(Self.max) {
      self = .max
    } else if number <= Double(Self.min) {
      self = .min
    } else {
      self = Self(number)
    }
  }
}
