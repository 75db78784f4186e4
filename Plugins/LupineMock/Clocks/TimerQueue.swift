/// What is to happen on a virtual clock, and its time.
struct TimerQueue {
  private struct Entry {
    let deadline: VirtualInstant
    let number: UInt64
    let action: @Sendable () -> Void
  }

  private(set) var now = VirtualInstant()
  private var entries: [Entry] = []
  private var lastNumber: UInt64 = 0

  /// The earliest moment at which something is to happen.
  var nextDeadline: VirtualInstant? { entries.first?.deadline }

  /// Marks a moment and returns a number to take it away by; equal moments keep their order.
  mutating func add(at deadline: VirtualInstant, _ action: @escaping @Sendable () -> Void) -> UInt64 {
    lastNumber += 1
    let index = entries.firstIndex { $0.deadline > deadline } ?? entries.endIndex
    entries.insert(Entry(deadline: deadline, number: lastNumber, action: action), at: index)
    return lastNumber
  }

  /// Moves time to the next moment at which something happens, and takes one of what happens then.
  ///
  /// - Parameter choose: picks one of so many, by its number from 0.
  mutating func takeNext(_ choose: (Int) -> Int) -> (@Sendable () -> Void)? {
    guard let first = entries.first else { return nil }
    now = max(now, first.deadline)
    let simultaneous = entries.prefix { $0.deadline == first.deadline }.count
    return entries.remove(at: choose(simultaneous)).action
  }

  mutating func remove(_ number: UInt64) { entries.removeAll { $0.number == number } }

  /// Moves time to the first moment up to `limit` at which something happens, and says what; else to the limit.
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
