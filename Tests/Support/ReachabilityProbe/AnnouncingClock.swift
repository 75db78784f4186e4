/// The system's clock, which prints `waiting` when a wait of more than 30 seconds begins.
///
/// The retrier begins such a wait when the network is unavailable.
struct AnnouncingClock: Clock {
  typealias Duration = Swift.Duration
  typealias Instant = ContinuousClock.Instant

  private let base = ContinuousClock()

  var now: Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    if now.duration(to: deadline) > .seconds(30) { say("waiting") }
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}
