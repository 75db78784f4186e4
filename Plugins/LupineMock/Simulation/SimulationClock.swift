public import LupineCore
public import LupineFoundation
import Synchronization

/// The clock of a simulation: its time advances to the next deadline only when no task can run.
///
/// The seed determines the order of events with the same deadline.
public final class SimulationClock: TimerClock, DatedClock {
  /// An instant, as the time since the simulation's beginning.
  public typealias Instant = VirtualInstant

  private let state = Mutex((clock: TestClockState(), isOver: false))

  init() {}

  /// The current time.
  public var now: VirtualInstant { state.withLock { $0.clock.queue.now } }

  /// The current date, which starts at 1 January 2001 and advances with the time.
  public var date: Date { now.date(from: Date(timeIntervalSinceReferenceDate: 0)) }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Sleeps until the deadline, which is reached when the simulation has nothing else to do before it.
  ///
  /// - Throws: `CancellationError`, at once, if the task is cancelled or the simulation has ended.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    let key = SleepID()
    defer { state.withLock { $0.clock.removeCancellation(key) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let wake = state.withLock { state -> () -> Void in
          if state.isOver { return { continuation.resume(throwing: CancellationError()) } }
          return state.clock.sleep(key, until: deadline, continuation) { [weak self] in self?.wake(key) }
        }
        wake()
      }
    } onCancel: {
      let sleeper = state.withLock { $0.clock.cancel(key) }
      sleeper?.resume(throwing: CancellationError())
    }
  }

  /// Schedules an action, which is called on the simulation's thread when no task of the simulation can run.
  ///
  /// Blocking work that the action starts with `BlockingWork.start(_:)` runs in the simulation as well.
  public func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let number = state.withLock { $0.clock.queue.add(at: deadline, action) }
    return ScheduledTimer { [weak self] in self?.state.withLock { $0.clock.queue.remove(number) } }
  }

  /// Advances the time to the next deadline and runs one of its actions; returns false if there is none.
  func advanceToNextDeadline(_ choose: (Int) -> Int) -> Bool {
    guard let action = state.withLock({ $0.clock.queue.takeNext(choose) }) else { return false }
    action()
    return true
  }

  /// Ends every current and future sleep.
  func close() {
    let sleepers = state.withLock { state in
      state.isOver = true
      return state.clock.takeAllSleepers()
    }
    for sleeper in sleepers { sleeper.resume(throwing: CancellationError()) }
  }

  private func wake(_ key: SleepID) {
    let sleeper = state.withLock { $0.clock.takeSleeper(key) }
    sleeper?.resume()
  }
}
