import LupineCore

/// A clock whose timers fire while they are being set, for tests of code that sets timers.
struct EagerClock: TimerClock {
  init() {}

  var now: VirtualInstant { VirtualInstant() }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {}

  func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    action()
    return ScheduledTimer {}
  }
}
