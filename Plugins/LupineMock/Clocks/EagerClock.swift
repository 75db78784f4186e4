package import LupineCore

/// A clock whose timers fire while they are being set, for the tests of those who set timers.
package struct EagerClock: TimerClock {
  package init() {}

  package var now: VirtualInstant { VirtualInstant() }
  package var minimumResolution: Duration { .nanoseconds(1) }

  package func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {}

  package func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    action()
    return ScheduledTimer {}
  }
}
