import FoundationEssentials
import Synchronization

/// A date that moves when it is told to.
final class SettableDate: Sendable {
  private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

  var value: Date { date.withLock { $0 } }

  func advance(_ seconds: Double) { date.withLock { $0.addTimeInterval(seconds) } }
}
