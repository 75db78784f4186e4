import Lupine
import Synchronization

/// Records the texts of the events of a session.
final class Journal: EventMonitor {
  private let lines = Mutex<[String]>([])

  func receive(_ event: SessionEvent) {
    lines.withLock { $0 += [event.description, String(reflecting: event), "\(event.kind)"] }
  }

  var text: String { lines.withLock { $0 }.joined(separator: "\n") }
}
