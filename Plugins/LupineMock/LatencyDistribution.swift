/// A distribution of durations; each use draws a new value from a seeded sequence.
public struct LatencyDistribution: Sendable, Hashable {
  private enum Shape: Hashable {
    case uniform(Duration, Duration)
    case exponential(mean: Duration)
    case normal(mean: Duration, deviation: Duration)
  }

  private let shape: Shape

  /// Always the same duration.
  public static func constant(_ duration: Duration) -> LatencyDistribution {
    LatencyDistribution(shape: .uniform(duration, duration))
  }

  /// A uniform distribution over the range.
  public static func uniform(_ range: ClosedRange<Duration>) -> LatencyDistribution {
    LatencyDistribution(shape: .uniform(range.lowerBound, range.upperBound))
  }

  /// An exponential distribution: mostly short and sometimes long, as in a queue.
  public static func exponential(mean: Duration) -> LatencyDistribution {
    LatencyDistribution(shape: .exponential(mean: mean))
  }

  /// A normal distribution; a negative value becomes zero.
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
