/// Values by key; entries that were not used recently are removed.
///
/// The table holds between `limit` and twice as many entries, so that its memory use is bounded.
public struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline let limit: Int
  @usableFromInline var recent: [Key: Value] = [:]
  @usableFromInline var older: [Key: Value] = [:]

  /// Makes an empty table that keeps at least `limit` entries, and at most twice as many.
  public init(limit: Int) { self.limit = max(1, limit) }

  /// Whether the table has no entry.
  @inlinable
  public var isEmpty: Bool { recent.isEmpty && older.isEmpty }

  /// The value of a key.
  @inlinable
  public subscript(key: Key) -> Value? {
    mutating get {
      if let value = recent[key] { return value }
      guard let value = older[key] else { return nil }
      put(value, for: key)
      return value
    }
    set {
      older[key] = nil
      if let newValue { put(newValue, for: key) } else { recent[key] = nil }
    }
  }

  @inlinable
  mutating func put(_ value: Value, for key: Key) {
    if recent.count >= limit, recent[key] == nil {
      older = recent
      recent = [:]
    }
    recent[key] = value
  }
}
