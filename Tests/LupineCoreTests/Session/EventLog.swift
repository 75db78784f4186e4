import LupineCore
import Synchronization

/// Records the events of a session.
final class EventLog: EventMonitor {
  private let events = Mutex<[SessionEvent]>([])

  func receive(_ event: SessionEvent) { events.withLock { $0.append(event) } }

  var all: [SessionEvent] { events.withLock { $0 } }

  /// The names of the events' kinds, in order.
  var names: [String] {
    all.map { String("\(Mirror(reflecting: $0.kind).children.first?.label ?? $0.kind.description)") }
  }

  var finishedCount: Int { names.count { $0 == "finished" } }
}
