/// The scheduled actions of a virtual clock, and its time.
struct TimerQueue {
  private struct Entry {
    let deadline: VirtualInstant
    let number: UInt64
    let action: @Sendable () -> Void
  }

  private(set) var now = VirtualInstant()
  private var entries: [Entry] = []
  private var lastNumber: UInt64 = 0

  /// The deadline of the earliest action.
  var nextDeadline: VirtualInstant? { entries.first?.deadline }

  /// Schedules an action and returns its number for removal; actions with equal deadlines keep their order.
  mutating func add(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> UInt64 {
    lastNumber += 1
    let index = entries.firstIndex { $0.deadline > deadline } ?? entries.endIndex
    entries.insert(Entry(deadline: deadline, number: lastNumber, action: action), at: index)
    return lastNumber
  }

  /// Advances the time to the next deadline, and removes and returns one of its actions.
  ///
  /// - Parameter choose: picks an action by its index from 0, given the number of actions.
  mutating func takeNext(_ choose: (Int) -> Int) -> (@Sendable () -> Void)? {
    guard let first = entries.first else { return nil }
    now = max(now, first.deadline)
    let simultaneous = entries.prefix { $0.deadline == first.deadline }.count
    return entries.remove(at: choose(simultaneous)).action
  }

  mutating func remove(_ number: UInt64) { entries.removeAll { $0.number == number } }

  /// Advances the time to the first deadline up to `limit` and returns its action; without one, advances to `limit`.
  mutating func step(to limit: VirtualInstant) -> (@Sendable () -> Void)? {
    guard let first = entries.first, first.deadline <= limit else {
      now = max(now, limit)
      return nil
    }
    now = max(now, first.deadline)
    entries.removeFirst()
    return first.action
  }
}
