import LupineSupport

extension MockReply {
  /// Returns the reply with a random delay before its head, in addition to `delay`.
  ///
  /// The delay is drawn for each answer and measured on the session's clock.
  ///
  /// - Parameters:
  ///   - distribution: the distribution of the delay.
  ///   - seed: the seed of the draws, in the order of the stub's answers. Each stub of a mock has its own sequence,
  ///     even if the seeds are equal. Inside a simulation, the simulation's seed counts too.
  public func latency(_ distribution: LatencyDistribution, seed: UInt64 = 0) -> MockReply {
    changing { $0.pace.latency = (distribution, seed) }
  }

  /// Returns the reply with its body delivered at this rate, on the session's clock.
  public func bandwidth(bytesPerSecond rate: Int) -> MockReply { bandwidth(.constant(rate)) }

  /// Returns the reply with its body delivered at a rate drawn for each answer; see `latency` for the seed.
  public func bandwidth(_ distribution: BandwidthDistribution, seed: UInt64 = 0) -> MockReply {
    changing { part in
      part.pace.bandwidth = (distribution, seed)
      if let fault = distribution.fault {
        part.problem = Problem(reason: "its bandwidth of \(fault) bytes per second is less than 1.")
      }
    }
  }

  /// The delay and the rate of a reply.
  struct Pace: Sendable {
    var latency: (LatencyDistribution, seed: UInt64)?
    var bandwidth: (BandwidthDistribution, seed: UInt64)?

    var isImmediate: Bool { latency == nil && bandwidth == nil }

    /// Draws the delay and the rate of an answer.
    ///
    /// - Parameters:
    ///   - place: the position of the stub. It selects the seeded sequence, together with the number of the answer.
    ///   - use: the number of the answer.
    func draw(forStubAt place: Int, use: Int) -> (latency: Duration, rate: Int?) {
      if isImmediate { return (.zero, nil) }
      let stream = UInt64(place) << 40 | UInt64(use) << 8
      let world = Simulation.current?.seed ?? 0
      let latency = latency.map { distribution, seed in
        var generator = SeededGenerator(seed: seed ^ world, stream: stream | 4)
        return distribution.draw(&generator)
      }
      let rate = bandwidth.map { distribution, seed in
        var generator = SeededGenerator(seed: seed ^ world, stream: stream | 5)
        return distribution.draw(&generator)
      }
      return (latency ?? .zero, rate)
    }
  }
}

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
    LatencyDistribution(shape: .uniform(duration.bounded, duration.bounded))
  }

  /// A uniform distribution over the range.
  public static func uniform(_ range: ClosedRange<Duration>) -> LatencyDistribution {
    LatencyDistribution(shape: .uniform(range.lowerBound.bounded, range.upperBound.bounded))
  }

  /// An exponential distribution: mostly short and sometimes long, as in a queue.
  public static func exponential(mean: Duration) -> LatencyDistribution {
    LatencyDistribution(shape: .exponential(mean: mean.bounded))
  }

  /// A normal distribution; a negative value becomes zero.
  public static func normal(mean: Duration, deviation: Duration) -> LatencyDistribution {
    LatencyDistribution(shape: .normal(mean: mean.bounded, deviation: deviation.bounded))
  }

  func draw(_ generator: inout SeededGenerator) -> Duration {
    switch shape {
    case .uniform(let low, let high): low + (high - low) * generator.fraction()
    case .exponential(let mean): mean * generator.exponential()
    case .normal(let mean, let deviation): max(.zero, mean + deviation * generator.normal())
    }
  }
}

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
    case .normal(let mean, let deviation): Self.rate(Double(mean) + Double(deviation) * generator.normal())
    }
  }

  private static func rate(_ drawn: Double) -> Int { Int(min(max(1, drawn), 0x1p52)) }
}
