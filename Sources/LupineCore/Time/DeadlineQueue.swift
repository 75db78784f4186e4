import HeapModule
import LupineSupport
import Synchronization

/// Actions in the order of their deadlines.
final class DeadlineQueue: Sendable {
  private struct Entry: Comparable {
    let deadline: Duration
    let number: UInt64

    static func < (left: Entry, right: Entry) -> Bool {
      assert(StepCount.add())
      return (left.deadline, left.number) < (right.deadline, right.number)
    }
  }

  private struct State {
    /// Also the entries of removed actions, until they are the earliest or outnumber the others.
    var entries = Heap<Entry>()
    var actions: [UInt64: @Sendable () -> Void] = [:]
    var lastNumber: UInt64 = 0

    mutating func dropRemoved() {
      while let first = entries.min, actions[first.number] == nil { entries.removeMin() }
      guard entries.count > 2 * actions.count + 64 else { return }
      assert(StepCount.add(entries.count))
      entries = Heap(entries.unordered.filter { actions[$0.number] != nil })
    }
  }

  private let state = Mutex(State())

  /// Adds an action; returns its number, and whether its deadline is the earliest.
  func add(_ deadline: Duration, _ action: @escaping @Sendable () -> Void) -> (number: UInt64, isEarliest: Bool) {
    state.withLock { state in
      state.lastNumber += 1
      state.actions[state.lastNumber] = action
      state.entries.insert(Entry(deadline: deadline, number: state.lastNumber))
      return (state.lastNumber, state.entries.min?.number == state.lastNumber)
    }
  }

  /// Removes an action; has no effect if it was taken.
  func remove(_ number: UInt64) {
    // Released outside the lock.
    let removed = state.withLock { state in
      let action = state.actions.removeValue(forKey: number)
      state.dropRemoved()
      return action
    }
    _ = consume removed
  }

  /// Removes and returns the earliest action if its deadline has passed.
  ///
  /// It returns one at a time, so that an action can remove another one that has the same deadline.
  func takeOverdue(_ now: Duration) -> (@Sendable () -> Void)? {
    state.withLock { state in
      while let first = state.entries.min, first.deadline <= now {
        state.entries.removeMin()
        if let action = state.actions.removeValue(forKey: first.number) { return action }
      }
      return nil
    }
  }

  /// The earliest deadline.
  var earliest: Duration? { state.withLock { $0.entries.min?.deadline } }

  /// The number of deadlines that are kept.
  var count: Int { state.withLock { $0.entries.count } }
}
