import LupineCore
import LupineSupport

/// The state of a `TestClock`.
struct TestClockState {
  typealias Sleeper = CheckedContinuation<Void, any Error>

  var queue = TimerQueue()
  private(set) var sleepers: [ObjectIdentifier: (sleeper: Sleeper, timer: UInt64)] = [:]
  private var cancelled: Set<ObjectIdentifier> = []
  private var watchers: [(count: Int, signal: Signal)] = []

  /// Adds a sleeper; the returned closure ends a sleep that is already over and wakes the tasks that wait for sleepers.
  mutating func sleep(
    _ key: SleeperKey, until deadline: VirtualInstant, _ sleeper: Sleeper, wake: @escaping @Sendable () -> Void
  ) -> () -> Void {
    if cancelled.remove(ObjectIdentifier(key)) != nil { return { sleeper.resume(throwing: CancellationError()) } }
    if deadline <= queue.now { return { sleeper.resume() } }
    sleepers[ObjectIdentifier(key)] = (sleeper, queue.add(at: deadline, wake))
    let count = sleepers.count
    let heard = watchers.filter { $0.count <= count }
    watchers.removeAll { $0.count <= count }
    return { for watcher in heard { watcher.signal.set() } }
  }

  /// Removes and returns all sleepers, in the order of arrival.
  mutating func takeAllSleepers() -> [Sleeper] {
    let all = sleepers.values.sorted { $0.timer < $1.timer }
    sleepers = [:]
    for entry in all { queue.remove(entry.timer) }
    return all.map(\.sleeper)
  }

  mutating func takeSleeper(_ key: SleeperKey) -> Sleeper? {
    sleepers.removeValue(forKey: ObjectIdentifier(key))?.sleeper
  }

  /// Ends a cancelled sleep; a sleep that has not begun ends when it begins.
  mutating func cancel(_ key: SleeperKey) -> Sleeper? {
    guard let (sleeper, timer) = sleepers.removeValue(forKey: ObjectIdentifier(key)) else {
      cancelled.insert(ObjectIdentifier(key))
      return nil
    }
    queue.remove(timer)
    return sleeper
  }

  /// Removes the record of a cancellation that came after the end of the sleep.
  mutating func forget(_ key: SleeperKey) { cancelled.remove(ObjectIdentifier(key)) }

  /// Returns a signal that is set once `count` tasks sleep.
  mutating func signal(forSleepers count: Int) -> Signal {
    let signal = Signal(isSet: sleepers.count >= count)
    if sleepers.count < count { watchers.append((count, signal)) }
    return signal
  }
}
