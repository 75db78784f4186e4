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
        part.problem = Problem(reason: "its bandwidth of \(fault) bytes per second is no bandwidth.")
      }
    }
  }

  /// The delay and the rate of a reply.
  struct Pace: Sendable {
    var latency: (LatencyDistribution, seed: UInt64)?
    var bandwidth: (BandwidthDistribution, seed: UInt64)?

    var isImmediate: Bool { latency == nil && bandwidth == nil }

    /// Draws the delay and the rate of an answer; the stub's position and the answer's number select the seeded
    /// sequence.
    func draw(for stub: Stub, use: Int) -> (latency: Duration, rate: Int?) {
      if isImmediate { return (.zero, nil) }
      let row = UInt64(stub.asked.place) << 40 | UInt64(use) << 8
      let world = Simulation.current?.seed ?? 0
      let latency = latency.map { distribution, seed in
        var generator = SeededGenerator(seed: seed ^ world, stream: row | 4)
        return distribution.draw(&generator)
      }
      let rate = bandwidth.map { distribution, seed in
        var generator = SeededGenerator(seed: seed ^ world, stream: row | 5)
        return distribution.draw(&generator)
      }
      return (latency ?? .zero, rate)
    }
  }
}
