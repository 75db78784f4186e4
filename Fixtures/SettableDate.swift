public import FoundationEssentials
import Synchronization

/// A date that moves when it is told to.
public final class SettableDate: Sendable {
  private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

  /// Stands at 15 January 2027, 08:00 UTC.
  public init() {}

  /// The date it stands at.
  public var value: Date { date.withLock { $0 } }

  /// Moves it on.
  public func advance(_ seconds: Double) { date.withLock { $0.addTimeInterval(seconds) } }
}
