/// Counts the invalidations of each key, so that a response whose request was sent before one of them is not stored.
struct Invalidations {
  /// The maximum number of keys with a count of their own; one more key invalidates all keys.
  private static let maximumKeys = 1_000

  /// The number of invalidations of one key so far.
  struct Mark: Sendable, Equatable {
    fileprivate var count = 0
    fileprivate var resets = 0
  }

  private var counts: [String: Int] = [:]
  private var resets = 0

  /// Counts an invalidation of a key.
  mutating func add(_ key: String) {
    if counts.count >= Self.maximumKeys {
      addAll()
    }
    counts[key, default: 0] += 1
  }

  /// Counts an invalidation of every key.
  mutating func addAll() {
    counts = [:]
    resets += 1
  }

  /// Returns a mark that differs after an invalidation of the key.
  func mark(of key: String) -> Mark { Mark(count: counts[key] ?? 0, resets: resets) }
}
