public import FoundationEssentials
public import LupineCore
import Synchronization

/// The clock of a simulation: its time stands still while anything can run, then jumps to the next moment.
///
/// Of what falls on the same moment the seed says which comes first.
public final class SimulationClock: TimerClock, DatedClock {
  /// A moment, counted from the simulation's beginning.
  public typealias Instant = VirtualInstant

  private let state = Mutex((clock: TestClockState(), isOver: false))

  init() {}

  /// The time.
  public var now: VirtualInstant { state.withLock { $0.clock.queue.now } }

  /// The date, which moves with the time from the first day of 2001 on.
  public var date: Date { now.date(from: Date(timeIntervalSinceReferenceDate: 0)) }

  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Sleeps until the simulation has nothing else to do before the deadline.
  ///
  /// - Throws: `CancellationError`, at once, when the task is cancelled, or when the simulation is over.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    let key = SleeperKey()
    defer { state.withLock { $0.clock.forget(key) } }
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

  /// Marks a moment.
  public func schedule(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> ScheduledTimer {
    let number = state.withLock { $0.clock.queue.add(at: deadline, action) }
    return ScheduledTimer { [weak self] in self?.state.withLock { $0.clock.queue.remove(number) } }
  }

  /// Moves time to the next moment and does one of what falls on it; false where no moment is marked.
  func moveOn(_ choose: (Int) -> Int) -> Bool {
    guard let action = state.withLock({ $0.clock.queue.takeNext(choose) }) else { return false }
    action()
    return true
  }

  /// Ends every sleep, now and from now on.
  func close() {
    let sleepers = state.withLock { state in
      state.isOver = true
      return state.clock.takeAllSleepers()
    }
    for sleeper in sleepers { sleeper.resume(throwing: CancellationError()) }
  }

  private func wake(_ key: SleeperKey) {
    let sleeper = state.withLock { $0.clock.takeSleeper(key) }
    sleeper?.resume()
  }
}
