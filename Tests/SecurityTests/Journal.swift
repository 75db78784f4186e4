import Lupine
import Synchronization

/// Keeps what a session's monitor would print.
final class Journal: EventMonitor {
  private let lines = Mutex<[String]>([])

  func receive(_ event: SessionEvent) {
    lines.withLock { $0 += [event.description, String(reflecting: event), "\(event.kind)"] }
  }

  var text: String { lines.withLock { $0 }.joined(separator: "\n") }
}
