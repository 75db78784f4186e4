import LupineCore

/// The monitors of a session or of a request, with the kinds of events that each receives.
struct MonitorList: Sendable {
  private struct Entry: Sendable {
    let kinds: SessionEvent.Kinds
    let receive: @Sendable (SessionEvent) -> Void
  }

  private var entries: [Entry] = []
  /// The kinds of events that at least one monitor receives.
  private(set) var kinds: SessionEvent.Kinds = []

  init(_ monitors: [any EventMonitor] = []) {
    for monitor in monitors { append(monitor) }
  }

  var isEmpty: Bool { entries.isEmpty }

  mutating func append(_ monitor: any EventMonitor) {
    let kinds = monitor.kinds
    entries.append(Entry(kinds: kinds) { monitor.receive($0) })
    self.kinds.formUnion(kinds)
  }

  /// Passes an event to the monitors that receive its kind.
  func receive(_ event: SessionEvent, of kind: SessionEvent.Kinds) {
    for entry in entries where entry.kinds.contains(kind) { entry.receive(event) }
  }
}
