public import LupineCore
public import LupineFoundation
import LupineSupport
import Synchronization

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = TestClock()
/// async let value = request.value  // sleeps on the clock, for example before a retry
/// await clock.waitForSleepers()  // waits for an event, does not poll
/// clock.advance(by: .seconds(30))
/// ```
public final class TestClock: TimerClock, DatedClock {
  /// An instant, as the time since the clock was made.
  public typealias Instant = VirtualInstant

  private let state = Mutex(TestClockState())

  private let start: Date

  /// Makes a clock at time zero with a start date.
  ///
  /// - Parameter date: the start date. Default: 15 January 2027, 08:00 UTC.
  public init(date: Date = Date(timeIntervalSince1970: 1_800_000_000)) { start = date }

  /// The current date, which advances with the time; a session with this clock uses it.
  public var date: Date { now.date(from: start) }

  /// The current time, which only `advance` and `run` change.
  public var now: VirtualInstant { state.withLock { $0.queue.now } }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The number of tasks that sleep on the clock now, without timers.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// Sleeps until the clock is moved to the deadline or past it.
  ///
  /// - Throws: `CancellationError`, at once, when the task is cancelled.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    let key = SleepID()
    defer { state.withLock { $0.removeCancellation(key) } }
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

  /// Schedules an action, which is called on the thread that moves the clock to its deadline or past it, or at once if
  /// the clock is there already.
  public func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let number = state.withLock { state in deadline <= state.queue.now ? nil : state.queue.add(at: deadline, action) }
    guard let number else {
      action()
      return ScheduledTimer {}
    }
    return ScheduledTimer { [weak self] in self?.state.withLock { $0.queue.remove(number) } }
  }

  /// Advances the time; sleepers wake and timers fire in the order of their deadlines, each at its own moment.
  ///
  /// A woken task continues after this call returns. A task that sleeps twice thus needs two calls, with
  /// `waitForSleepers` between them.
  public func advance(by duration: Duration) { advance(to: now.advanced(by: duration)) }

  /// Advances the time to an instant; an instant in the past changes nothing.
  public func advance(to instant: VirtualInstant) {
    while let action = state.withLock({ $0.queue.step(to: instant) }) { action() }
  }

  /// Waits until at least one task sleeps, then advances the time to the earliest deadline of a sleeper or a timer.
  public func run() async {
    await waitForSleepers()
    if let deadline = state.withLock({ $0.queue.nextDeadline }) { advance(to: max(now, deadline)) }
  }

  /// Waits until `count` tasks sleep on the clock; returns early when the task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async {
    await state.withLock { $0.signal(forSleepers: count) }.wait()
  }

  private func wake(_ key: SleepID) {
    let sleeper = state.withLock { $0.takeSleeper(key) }
    sleeper?.resume()
  }
}

/// The state of a `TestClock`.
struct TestClockState {
  typealias Sleeper = CheckedContinuation<Void, any Error>

  var queue = TimerQueue()
  private(set) var sleepers: [ObjectIdentifier: (sleeper: Sleeper, timer: UInt64)] = [:]
  private var cancelled: Set<ObjectIdentifier> = []
  private var watchers: [(count: Int, signal: Signal)] = []

  /// Adds a sleeper; the returned closure ends a sleep that is already over and wakes the tasks that wait for sleepers.
  mutating func sleep(
    _ key: SleepID, until deadline: VirtualInstant, _ sleeper: Sleeper, wake: @escaping @Sendable () -> Void
  ) -> () -> Void {
    if cancelled.remove(ObjectIdentifier(key)) != nil { return { sleeper.resume(throwing: CancellationError()) } }
    if deadline <= queue.now { return { sleeper.resume() } }
    sleepers[ObjectIdentifier(key)] = (sleeper, queue.add(at: deadline, wake))
    let count = sleepers.count
    let satisfied = watchers.filter { $0.count <= count }
    watchers.removeAll { $0.count <= count }
    return { for watcher in satisfied { watcher.signal.set() } }
  }

  /// Removes and returns all sleepers, in the order of arrival.
  mutating func takeAllSleepers() -> [Sleeper] {
    let all = sleepers.values.sorted { $0.timer < $1.timer }
    sleepers = [:]
    for entry in all { queue.remove(entry.timer) }
    return all.map(\.sleeper)
  }

  mutating func takeSleeper(_ key: SleepID) -> Sleeper? {
    sleepers.removeValue(forKey: ObjectIdentifier(key))?.sleeper
  }

  /// Ends a cancelled sleep; a sleep that has not begun ends when it begins.
  mutating func cancel(_ key: SleepID) -> Sleeper? {
    guard let (sleeper, timer) = sleepers.removeValue(forKey: ObjectIdentifier(key)) else {
      cancelled.insert(ObjectIdentifier(key))
      return nil
    }
    queue.remove(timer)
    return sleeper
  }

  /// Removes the record of a cancellation that came after the end of the sleep.
  mutating func removeCancellation(_ key: SleepID) { cancelled.remove(ObjectIdentifier(key)) }

  /// Returns a signal that is set once `count` tasks sleep.
  mutating func signal(forSleepers count: Int) -> Signal {
    let signal = Signal(isSet: sleepers.count >= count)
    if sleepers.count < count { watchers.append((count, signal)) }
    return signal
  }
}

/// Identifies one sleep on a `TestClock`.
final class SleepID: Sendable {}
