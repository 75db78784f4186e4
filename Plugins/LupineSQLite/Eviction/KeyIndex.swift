import Synchronization

/// The rows of each key, by the key's fingerprint, and the place of the database; callers read both without the engine.
///
/// A key without rows costs no thread and no system call. No lock is held while a disk is waited for.
final class KeyIndex: Sendable {
  /// The database that the engine has opened.
  struct Place: Sendable {
    let database: String
    let contents: ContentsFolder
  }

  private struct State {
    let place: Place
    var rows: [UInt64: [Int64]]
    var lastID: Int64

    mutating func insert(_ id: Int64, _ fingerprint: UInt64) {
      rows[fingerprint, default: []].append(id)
      lastID = max(lastID, id)
    }
  }

  /// `nil` before the database was read.
  private let state = Mutex<State?>(nil)

  /// Whether there are rows of this key; `true` before the database was read.
  func mayContain(_ fingerprint: UInt64) -> Bool { state.withLock { $0.map { $0.rows[fingerprint] != nil } ?? true } }

  func ids(_ fingerprint: UInt64) -> [Int64] { state.withLock { $0?.rows[fingerprint] ?? [] } }

  /// The greatest row that is known; `nil` before the database was read.
  var lastID: Int64? { state.withLock { $0?.lastID } }

  var place: Place? { state.withLock { $0?.place } }

  /// Replaces all rows.
  func reset(_ rows: [UInt64: [Int64]], lastID: Int64, _ place: Place) {
    state.withLock { $0 = State(place: place, rows: rows, lastID: lastID) }
  }

  /// Forgets all rows until the database is read again.
  func forget() { state.withLock { $0 = nil } }

  func insert(_ id: Int64, _ fingerprint: UInt64) {
    state.withLock { $0?.insert(id, fingerprint) }
  }

  func remove(_ id: Int64, _ fingerprint: UInt64) {
    state.withLock { state in
      guard var ids = state?.rows[fingerprint] else { return }
      ids.removeAll { $0 == id }
      state?.rows[fingerprint] = ids.isEmpty ? nil : ids
    }
  }
}
