/// The system's clock, which says when somebody begins a long wait: the retrier does, once it has seen that it is offline.
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
