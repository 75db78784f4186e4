import LupineCore
import LupineSupport

/// What a `TestClock` knows.
struct TestClockState {
  typealias Sleeper = CheckedContinuation<Void, any Error>

  var queue = TimerQueue()
  private(set) var sleepers: [ObjectIdentifier: (sleeper: Sleeper, timer: UInt64)] = [:]
  private var cancelled: Set<ObjectIdentifier> = []
  private var watchers: [(count: Int, signal: Signal)] = []

  /// Takes a sleeper in; the returned closure ends what is over already and tells those who wait for sleepers.
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

  /// Takes all sleepers, those first who came first.
  mutating func takeAllSleepers() -> [Sleeper] {
    let all = sleepers.values.sorted { $0.timer < $1.timer }
    sleepers = [:]
    for entry in all { queue.remove(entry.timer) }
    return all.map(\.sleeper)
  }

  mutating func takeSleeper(_ key: SleeperKey) -> Sleeper? {
    sleepers.removeValue(forKey: ObjectIdentifier(key))?.sleeper
  }

  /// Ends a sleep that was cancelled; one that has not begun ends when it does.
  mutating func cancel(_ key: SleeperKey) -> Sleeper? {
    guard let (sleeper, timer) = sleepers.removeValue(forKey: ObjectIdentifier(key)) else {
      cancelled.insert(ObjectIdentifier(key))
      return nil
    }
    queue.remove(timer)
    return sleeper
  }

  /// Forgets a cancellation that came too late.
  mutating func forget(_ key: SleeperKey) { cancelled.remove(ObjectIdentifier(key)) }

  /// What is set once so many sleep.
  mutating func signal(forSleepers count: Int) -> Signal {
    let signal = Signal(isSet: sleepers.count >= count)
    if sleepers.count < count { watchers.append((count, signal)) }
    return signal
  }
}
