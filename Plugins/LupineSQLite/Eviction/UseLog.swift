import Synchronization

/// Counts the uses of rows between two changes of the database, so that a hit does not wait for the engine.
final class UseLog: Sendable {
  private let counts = Mutex<[Int64: Int]>([:])

  func add(_ id: Int64) { counts.withLock { $0[id, default: 0] += 1 } }

  /// Returns the counts and begins again.
  func take() -> [Int64: Int] {
    counts.withLock { counts in
      defer { counts = [:] }
      return counts
    }
  }
}
