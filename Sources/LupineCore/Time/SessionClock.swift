public import LupineFoundation
import LupineSupport
import Synchronization

/// A session's type-erased clock.
///
/// Its times count from the creation of the session. No delay is longer than 292 years.
public struct SessionClock: Sendable {
  /// The clock itself.
  public let clock: any Clock<Duration>
  /// Returns the time since the clock was opened; may be called from any thread.
  public let now: @Sendable () -> Duration
  private let sleepUntil: @Sendable (Duration) async throws -> Void
  private let scheduleAt: Schedule

  /// - Parameter executor: the executor of the tasks that sleep for timers; not used for a clock of the system or for a
  ///   `TimerClock`.
  public init(_ clock: any Clock<Duration>, executor: (any TaskExecutor)? = nil) {
    self = Self.open(clock, executor)
  }

  /// Opens a clock of the system.
  init(_ clock: any Clock<Duration>, _ timers: SystemTimers) {
    let start = timers.readNanoseconds()
    self.clock = clock
    let now: @Sendable () -> Duration = { .nanoseconds(timers.readNanoseconds() - start) }
    self.now = now
    sleepUntil = { try await timers.sleep(($0 - now()).bounded) }
    scheduleAt = { timers.schedule(($0 - now()).bounded, $1) }
  }

  /// Opens any other clock.
  private init<C: Clock>(
    opened clock: C, schedule: @escaping @Sendable (C.Instant, @escaping @Sendable () -> Void) -> ScheduledTimer
  ) where C.Duration == Duration {
    let start = clock.now
    let instant: @Sendable (Duration) -> C.Instant = { time in
      // The clock is read once, because its time may advance between two readings.
      let present = clock.now
      return present.advanced(by: (time - start.duration(to: present).boundedTime).bounded)
    }
    self.clock = clock
    now = { start.duration(to: clock.now).boundedTime }
    sleepUntil = { try await clock.sleep(until: instant($0), tolerance: nil) }
    scheduleAt = { schedule(instant($0), $1) }
  }

  /// Waits for a delay in the calling task; throws if the task is cancelled.
  public func sleep(_ delay: Duration) async throws { try await sleepUntil(now() + delay.bounded) }

  /// Waits in the calling task until a time of `now`; throws if the task is cancelled.
  ///
  /// Returns at once if the time has passed. Code that has read the clock waits until a time and not for a delay: the
  /// clock may advance meanwhile, and a delay would then end too late.
  public func sleep(until time: Duration) async throws { try await sleepUntil(time) }

  /// Calls the action after a delay, unless the returned timer is cancelled before.
  ///
  /// The action is called on any thread, or at once on the calling one, and must not block.
  public func schedule(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    scheduleAt(now() + delay.bounded, action)
  }

  /// Calls the action at a time of `now`, unless the returned timer is cancelled before.
  ///
  /// The action is called on any thread, or at once on the calling one, and must not block.
  public func schedule(at time: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    scheduleAt(time, action)
  }

  private typealias Schedule =
    @Sendable (_ time: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer

  private static func open<C: Clock>(_ clock: C, _ executor: (any TaskExecutor)?) -> SessionClock
  where C.Duration == Duration {
    if let clock = clock as? ContinuousClock { return SessionClock(clock, .continuous) }
    if let clock = clock as? SuspendingClock { return SessionClock(clock, .suspending) }
    if let clock = clock as? any TimerClock { return openTimer(clock) }
    return SessionClock(opened: clock) { deadline, action in
      // Begins in its own task, outside the caller's stack.
      let task = Task(executorPreference: executor) {
        try await clock.sleep(until: deadline, tolerance: nil)
        action()
      }
      return ScheduledTimer { task.cancel() }
    }
  }

  private static func openTimer(_ clock: some TimerClock) -> SessionClock {
    SessionClock(opened: clock) { clock.schedule(at: $0, $1) }
  }
}

/// The clock of a policy that several sessions may share.
///
/// It is the clock that the policy was created with, or the clock of the first session that uses the policy.
public final class PolicyClock: Sendable {
  private final class Known: Sendable {
    let clock: SessionClock
    /// Stored, because a call through `clock` copies all of it.
    let now: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) {
      self.clock = SessionClock(clock)
      now = self.clock.now
    }
  }

  private let known: Mutex<Known?>

  /// Creates the clock of a policy; `nil` means the clock of the first session that uses the policy.
  public init(_ clock: (any Clock<Duration>)? = nil) { known = Mutex(clock.map { Known($0) }) }

  /// The time of the policy's clock, for use by a session with this clock.
  public func now(or session: any Clock<Duration>) -> Duration { known(or: session).now() }

  /// Returns the policy's clock, for use by a session with this clock.
  public func clock(or session: any Clock<Duration>) -> SessionClock { known(or: session).clock }

  private func known(or session: any Clock<Duration>) -> Known {
    known.withLock { known in
      if let known { return known }
      let made = Known(session)
      known = made
      return made
    }
  }
}

/// A clock that can call an action at an instant without a sleeping task.
///
/// A virtual clock conforms to it. Timeouts then fire when its time passes their deadlines, and they do not advance its
/// time.
public protocol TimerClock: Clock where Duration == Swift.Duration {
  /// Calls `action` once when the clock's time reaches the deadline, unless the timer is cancelled before.
  ///
  /// The clock may call it on any thread, with no lock held. The action must not block.
  func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer
}

/// A clock that also supplies the date.
///
/// A session whose builder gets such a clock takes its date from it. Cookies, tokens, certificates and a `Retry-After`
/// date then expire as the clock's time passes.
public protocol DatedClock: Clock where Duration == Swift.Duration {
  /// The current date, which advances with the clock's time.
  var date: Date { get }
}

/// A scheduled action of a clock.
public struct ScheduledTimer: Sendable {
  private let cancellation: @Sendable () -> Void

  /// Wraps the closure that cancels the action; `cancel()` calls it each time, on its caller's thread.
  public init(cancel: @escaping @Sendable () -> Void) { cancellation = cancel }

  /// Cancels the action; has no effect after the deadline.
  public func cancel() { cancellation() }
}
