import LupineSupport

/// Counts the changes of what a queue shows, and wakes those who wait for the next one.
struct ChangeSignal {
  /// The number of the last change.
  private(set) var number = 0
  private var waiting = WaitingTasks()
  private var isOver = false

  /// Notes a change.
  mutating func send() {
    number += 1
    waiting.resumeAll()
  }

  /// Nobody waits any more.
  mutating func end() {
    isOver = true
    waiting.resumeAll()
  }

  /// Returns a waiter for the next change; `nil` if one has come after the given number, or if no further one comes.
  mutating func waiter(after last: Int) -> Waiter<Void>? { last == number && !isOver ? waiting.add() : nil }

  mutating func remove(_ waiter: Waiter<Void>) { waiting.remove(waiter) }
}
