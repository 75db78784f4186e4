import Glibc
import Synchronization

/// A session's clock with its type erased: times are counted from the session's making.
public struct SessionClock: Sendable {
  package let clock: any Clock<Duration>
  /// The time since the clock was opened.
  public private(set) var now: @Sendable () -> Duration
  package let sleep: @Sendable (Duration) async throws -> Void
  /// Calls the action after a time, unless the returned timer is cancelled before.
  public let schedule: @Sendable (_ after: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer

  /// - Parameter executor: where timers sleep for a clock that cannot mark moments.
  public init(_ clock: any Clock<Duration>, executor: (any TaskExecutor)? = nil) {
    self = Self.open(clock, executor)
  }

  private init<C: Clock>(opened clock: C, isSystems: Bool = false, timer: @escaping Schedule<C>)
  where C.Duration == Duration {
    let start = clock.now
    self.clock = clock
    now = { start.duration(to: clock.now) }
    sleep = {
      if isSystems, ThreadTimer.isNeeded { return try await ThreadTimer.sleep($0) }
      try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil)
    }
    schedule = { timer(clock.now.advanced(by: $0), $1) }
  }

  private typealias Schedule<C: Clock> =
    @Sendable (_ deadline: C.Instant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer

  private static func open<C: Clock>(_ clock: C, _ executor: (any TaskExecutor)?) -> SessionClock
  where C.Duration == Duration {
    if let clock = clock as? ContinuousClock {
      var opened = openSleeper(clock, executor, isSystems: true)
      // The usual clock's time is asked for often, and the kernel's whole nanoseconds are had for a part of the cost.
      let start = Self.nanosecondsSinceBoot
      opened.now = { .nanoseconds(Self.nanosecondsSinceBoot - start) }
      return opened
    }
    if let clock = clock as? any TimerClock { return openTimer(clock) }
    return openSleeper(clock, executor, isSystems: clock is SuspendingClock)
  }

  /// What a continuous clock counts as well.
  private static var nanosecondsSinceBoot: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// - Parameter isSystems: whether the clock is the system's, on which one falls asleep at once, so that no other thread is
  ///   woken for it; what a program's own does is kept out of the stack of who sets the timer.
  private static func openSleeper<C: Clock>(
    _ clock: C, _ executor: (any TaskExecutor)?, isSystems: Bool
  ) -> SessionClock where C.Duration == Duration {
    SessionClock(opened: clock, isSystems: isSystems) { deadline, action in
      if isSystems, ThreadTimer.isNeeded {
        return ThreadTimer.schedule(max(.zero, clock.now.duration(to: deadline)), action)
      }
      let task =
        isSystems
        ? Task.immediate(executorPreference: executor) { try await sleep(until: deadline, on: clock, then: action) }
        : Task(executorPreference: executor) { try await sleep(until: deadline, on: clock, then: action) }
      return ScheduledTimer { task.cancel() }
    }
  }

  private static func sleep<C: Clock>(
    until deadline: C.Instant, on clock: C, then action: @Sendable () -> Void
  ) async throws {
    try await clock.sleep(until: deadline, tolerance: nil)
    action()
  }

  /// How long it is until an instant of this clock, or of one of the system's; `nil` for an instant of another clock.
  package func time(until instant: any InstantProtocol<Duration>) -> Duration? {
    // Without `self` the C library's function of that name is another candidate, and the compiler opens no existential.
    if let time = Self.time(until: instant, on: self.clock) { return time }
    return Self.time(until: instant, on: ContinuousClock()) ?? Self.time(until: instant, on: SuspendingClock())
  }

  private static func time<C: Clock>(
    until instant: any InstantProtocol<Duration>, on clock: C
  ) -> Duration? where C.Duration == Duration {
    (instant as? C.Instant).map { clock.now.duration(to: $0) }
  }

  private static func openTimer(_ clock: some TimerClock) -> SessionClock {
    SessionClock(opened: clock) { clock.schedule(at: $0, $1) }
  }
}

/// The clock of a policy that several sessions may share: the one it was given, or else that of the session that uses it
/// first.
public final class PolicyClock: Sendable {
  private let clock: Mutex<SessionClock?>

  /// Makes the clock of a policy; `nil` means that of the first session that uses the policy.
  public init(_ clock: (any Clock<Duration>)? = nil) { self.clock = Mutex(clock.map { SessionClock($0) }) }

  /// The policy's clock, where a session with this one uses it.
  public func clock(or session: any Clock<Duration>) -> SessionClock {
    clock.withLock { clock in
      if let clock { return clock }
      let made = SessionClock(session)
      clock = made
      return made
    }
  }
}
