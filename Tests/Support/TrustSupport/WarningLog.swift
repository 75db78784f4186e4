package import LupineCore

/// Collects the warnings of a session.
package final class WarningLog: EventMonitor {
  private let texts = Locked<[String]>([])

  package init() {}

  package var all: [String] { texts.value }

  package func receive(_ event: SessionEvent) {
    if case .warning(let text) = event.kind { texts.change { $0.append(text) } }
  }
}
