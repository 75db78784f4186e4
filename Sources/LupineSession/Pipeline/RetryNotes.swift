import Synchronization

/// What the retriers noted while they decided about one attempt.
final class RetryNotes: Sendable {
  private let notes = Mutex<[String]>([])

  func add(_ note: String) { notes.withLock { $0.append(note) } }

  /// The reason with the notes behind it.
  func joined(to reason: String) -> String {
    let notes = notes.withLock { $0 }
    return notes.isEmpty ? reason : "\(reason): \(notes.joined(separator: "; "))"
  }
}
