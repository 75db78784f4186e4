/// A distribution of body rates in bytes per second; each response draws a new value from a seeded sequence.
///
/// A value is at least 1.
public struct BandwidthDistribution: Sendable, Hashable {
  private enum Shape: Hashable {
    case uniform(ClosedRange<Int>)
    case exponential(mean: Int)
    case normal(mean: Int, deviation: Int)
  }

  private let shape: Shape

  /// Always the same rate.
  public static func constant(_ rate: Int) -> BandwidthDistribution {
    BandwidthDistribution(shape: .uniform(rate...rate))
  }

  /// A uniform distribution over the range.
  public static func uniform(_ rates: ClosedRange<Int>) -> BandwidthDistribution {
    BandwidthDistribution(shape: .uniform(rates))
  }

  /// An exponential distribution: mostly slow and sometimes fast.
  public static func exponential(mean: Int) -> BandwidthDistribution {
    BandwidthDistribution(shape: .exponential(mean: mean))
  }

  /// A normal distribution.
  public static func normal(mean: Int, deviation: Int) -> BandwidthDistribution {
    BandwidthDistribution(shape: .normal(mean: mean, deviation: deviation))
  }

  /// The parameter that is no valid rate because it is less than 1; `nil` if all are valid.
  var fault: Int? {
    let least =
      switch shape {
      case .uniform(let rates): rates.lowerBound
      case .exponential(let mean), .normal(let mean, _): mean
      }
    return least < 1 ? least : nil
  }

  func draw(_ generator: inout SeededGenerator) -> Int {
    switch shape {
    case .uniform(let rates): max(1, Int.random(in: rates, using: &generator))
    case .exponential(let mean): Self.rate(Double(mean) * generator.exponential())
    case .normal(let mean, let deviation): Self.rate(Double(mean) + Double(deviation) * generator.bell())
    }
  }

  private static func rate(_ drawn: Double) -> Int { Int(min(max(1, drawn), 0x1p52)) }
}
