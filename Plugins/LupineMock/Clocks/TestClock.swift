public import FoundationEssentials
public import LupineCore
import LupineSupport
import Synchronization

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = TestClock()
/// async let value = request.value        // sleeps on the clock, as by a delay or a retry
/// await clock.waitForSleepers()          // an event, not a poll
/// clock.advance(by: .seconds(30))
/// ```
public final class TestClock: TimerClock, DatedClock {
  /// A moment, counted from the clock's making.
  public typealias Instant = VirtualInstant

  private let state = Mutex(TestClockState())

  private let start: Date

  /// Makes a clock that stands at zero, and at a date.
  ///
  /// - Parameter date: the date. Default: 15 January 2027, 08:00 UTC.
  public init(date: Date = Date(timeIntervalSince1970: 1_800_000_000)) { start = date }

  /// The date, which moves with the time; a session that is given the clock takes it.
  public var date: Date { now.date(from: start) }

  /// The time, which only `advance` and `run` move.
  public var now: VirtualInstant { state.withLock { $0.queue.now } }

  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// How many tasks sleep on the clock now; timers are not counted.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// Sleeps until the clock is moved to the deadline or past it.
  ///
  /// - Throws: `CancellationError`, at once, when the task is cancelled.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    let key = SleeperKey()
    defer { state.withLock { $0.forget(key) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let wake = state.withLock { state in
          state.sleep(key, until: deadline, continuation) { [weak self] in self?.wake(key) }
        }
        wake()
      }
    } onCancel: {
      let sleeper = state.withLock { $0.cancel(key) }
      sleeper?.resume(throwing: CancellationError())
    }
  }

  /// Marks a moment, which fires when the clock is moved to it or past it.
  public func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let number = state.withLock { $0.queue.add(at: deadline, action) }
    return ScheduledTimer { [weak self] in self?.state.withLock { $0.queue.remove(number) } }
  }

  /// Moves time on; sleepers wake and timers fire in the order of their deadlines, each at its own moment.
  ///
  /// What a woken task does next happens after the call, as tasks run: a task that sleeps twice needs two calls, with
  /// `waitForSleepers` between them.
  public func advance(by duration: Duration) { advance(to: now.advanced(by: duration)) }

  /// Moves time to a moment; one that has passed changes nothing.
  public func advance(to instant: VirtualInstant) {
    while let action = state.withLock({ $0.queue.step(to: instant) }) { action() }
  }

  /// Waits until at least one task sleeps, then moves time to the earliest deadline, be it a sleeper's or a timer's.
  public func run() async {
    await waitForSleepers()
    if let deadline = state.withLock({ $0.queue.nextDeadline }) { advance(to: max(now, deadline)) }
  }

  /// Waits until so many tasks sleep on the clock; returns early when the task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async {
    await state.withLock { $0.signal(forSleepers: count) }.wait()
  }

  private func wake(_ key: SleeperKey) {
    let sleeper = state.withLock { $0.takeSleeper(key) }
    sleeper?.resume()
  }
}
