import LupineCore
import LupineFoundation
import Synchronization

/// The virtual clocks of the sessions that play a cassette: on each of them the recording begins at its recorded date.
final class RecordedClocks: Sendable {
  private struct Known {
    /// Held, so that no other clock gets its identity.
    let clock: any DatedClock
    /// The clock's date when the first session with it was built.
    let start: Date
  }

  /// The date at which the recording began.
  private let recorded: Date
  private let known = Mutex<[ObjectIdentifier: Known]>([:])

  init(from recorded: Date) { self.recorded = recorded }

  /// Returns the date of a session with the clock; `nil` if the clock is a value, which has no identity.
  func date(on clock: any DatedClock) -> (@Sendable () -> Date)? {
    guard let identity = Self.identity(of: clock) else { return nil }
    let new = Known(clock: clock, start: clock.date)
    let start = known.withLock { known -> Date in
      if let former = known[identity] { return former.start }
      known[identity] = new
      return new.start
    }
    return { [recorded] in recorded.addingTimeInterval(clock.date.timeIntervalSince(start)) }
  }

  /// Whether the date of a session with the clock began with the recording.
  func contains(_ clock: any Clock<Duration>) -> Bool {
    guard let identity = Self.identity(of: clock) else { return false }
    return known.withLock { $0[identity] != nil }
  }

  private static func identity(of clock: any Sendable) -> ObjectIdentifier? {
    guard type(of: clock) is AnyClass else { return nil }
    return ObjectIdentifier(clock as AnyObject)
  }
}
