extension MockReply {
  /// Returns the reply with its head held back for a time drawn anew for each answer, on the session's clock; besides
  /// the `delay`.
  ///
  /// - Parameters:
  ///   - distribution: what it is drawn from.
  ///   - seed: what the draws follow from, in the order of the stub's answers. Each stub of a mock has draws of its own,
  ///     even where their seeds are equal; inside a simulation its seed counts too.
  public func latency(_ distribution: LatencyDistribution, seed: UInt64 = 0) -> MockReply {
    changing { $0.pace.latency = (distribution, seed) }
  }

  /// Returns the reply with its body arriving at this rate, on the session's clock.
  public func bandwidth(bytesPerSecond rate: Int) -> MockReply { bandwidth(.constant(rate)) }

  /// Returns the reply with its body arriving at a rate drawn anew for each answer; see `latency` for the seed.
  public func bandwidth(_ distribution: BandwidthDistribution, seed: UInt64 = 0) -> MockReply {
    changing { part in
      part.pace.bandwidth = (distribution, seed)
      if let fault = distribution.fault {
        part.problem = Problem(reason: "its bandwidth of \(fault) bytes per second is no bandwidth.")
      }
    }
  }

  /// How fast a reply comes.
  struct Pace: Sendable {
    var latency: (LatencyDistribution, seed: UInt64)?
    var bandwidth: (BandwidthDistribution, seed: UInt64)?

    var isImmediate: Bool { latency == nil && bandwidth == nil }

    /// How fast an answer comes; the stub's place and the answer's number say which of the seed's rows it is drawn from.
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
