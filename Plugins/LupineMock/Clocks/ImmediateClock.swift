public import LupineCore
public import LupineFoundation
import Synchronization

/// A clock on which a sleep takes no time: it returns at once and moves the clock to its end.
///
/// Timers before that moment fire first, in order, each at its own moment. A request that stalls for a year thus ends
/// with its idle timeout at once. The clock suits sequential requests. If several tasks sleep at the same time, each
/// sleep moves the clock for all of them; use a `TestClock` for that.
public final class ImmediateClock: TimerClock, DatedClock {
  /// An instant, as the time since the clock was made.
  public typealias Instant = VirtualInstant

  private let queue = Mutex(TimerQueue())

  private let start: Date

  /// Makes a clock at time zero with a start date.
  ///
  /// - Parameter date: the start date. Default: 15 January 2027, 08:00 UTC.
  public init(date: Date = Date(timeIntervalSince1970: 1_800_000_000)) { start = date }

  /// The current date, which advances with the time; a session with this clock uses it.
  public var date: Date { now.date(from: start) }

  /// The current time, which sleeps advance.
  public var now: VirtualInstant { queue.withLock { $0.now } }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Moves the clock to the deadline and fires the timers before it.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, also by a timer that fires; the clock then stays at that
  ///   moment.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    while let action = queue.withLock({ $0.step(to: deadline) }) {
      action()
      try Task.checkCancellation()
    }
  }

  /// Schedules an action, which is called on the thread of the sleep that passes its deadline.
  ///
  /// A deadline in the past fires at the next sleep.
  public func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let number = queue.withLock { $0.add(at: deadline, action) }
    return ScheduledTimer { [weak self] in self?.queue.withLock { $0.remove(number) } }
  }
}

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
