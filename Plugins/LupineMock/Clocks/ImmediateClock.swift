public import FoundationEssentials
public import LupineCore
import Synchronization

/// A clock on which a sleep takes no time: it returns at once and moves the clock to its end.
///
/// Timers that lie on the way fire first, in their order, each at its own moment, so a request that stalls for a year
/// ends with its idle timeout, at once. Right for one request after the other; where several sleep at the same time, each
/// moves the clock for all, and a `TestClock` is the better choice.
public final class ImmediateClock: TimerClock, DatedClock {
  /// A moment, counted from the clock's making.
  public typealias Instant = VirtualInstant

  private let queue = Mutex(TimerQueue())

  private let start: Date

  /// Makes a clock that stands at zero, and at a date.
  ///
  /// - Parameter date: the date. Default: 15 January 2027, 08:00 UTC.
  public init(date: Date = Date(timeIntervalSince1970: 1_800_000_000)) { start = date }

  /// The date, which moves with the time; a session that is given the clock takes it.
  public var date: Date { now.date(from: start) }

  /// The time, which sleeps have moved.
  public var now: VirtualInstant { queue.withLock { $0.now } }

  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Moves the clock to the deadline, letting timers fire on the way.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, also by a timer that fires; the clock then stays there.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    while let action = queue.withLock({ $0.step(to: deadline) }) {
      action()
      try Task.checkCancellation()
    }
  }

  /// Marks a moment; a deadline that has passed fires at the next sleep.
  public func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let number = queue.withLock { $0.add(at: deadline, action) }
    return ScheduledTimer { [weak self] in self?.queue.withLock { $0.remove(number) } }
  }
}
