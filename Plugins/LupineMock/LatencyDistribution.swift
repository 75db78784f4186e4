/// How long something takes, drawn anew each time from a row of numbers that a seed determines.
public struct LatencyDistribution: Sendable, Hashable {
  private enum Shape: Hashable {
    case uniform(Duration, Duration)
    case exponential(mean: Duration)
    case normal(mean: Duration, deviation: Duration)
  }

  private let shape: Shape

  /// Always the same.
  public static func constant(_ duration: Duration) -> LatencyDistribution {
    LatencyDistribution(shape: .uniform(duration, duration))
  }

  /// Anything between the two, each as likely as the other.
  public static func uniform(_ range: ClosedRange<Duration>) -> LatencyDistribution {
    LatencyDistribution(shape: .uniform(range.lowerBound, range.upperBound))
  }

  /// Mostly short and sometimes long: a queue's shape.
  public static func exponential(mean: Duration) -> LatencyDistribution {
    LatencyDistribution(shape: .exponential(mean: mean))
  }

  /// A bell around the mean; what would be negative is zero.
  public static func normal(mean: Duration, deviation: Duration) -> LatencyDistribution {
    LatencyDistribution(shape: .normal(mean: mean, deviation: deviation))
  }

  func draw(_ generator: inout SeededGenerator) -> Duration {
    switch shape {
    case .uniform(let low, let high): low + (high - low) * generator.fraction()
    case .exponential(let mean): mean * generator.exponential()
    case .normal(let mean, let deviation): max(.zero, mean + deviation * generator.bell())
    }
  }
}
