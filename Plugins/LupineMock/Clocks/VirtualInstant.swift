import FoundationEssentials

/// An instant of a virtual clock, as the time since the clock was made.
public struct VirtualInstant: InstantProtocol {
  /// The time since the clock was made.
  public let offset: Duration

  /// Creates an instant.
  public init(offset: Duration = .zero) { self.offset = offset }

  /// Returns the instant that is `duration` later.
  public func advanced(by duration: Duration) -> VirtualInstant { VirtualInstant(offset: offset + duration) }

  /// Returns how much later the other instant is.
  public func duration(to other: VirtualInstant) -> Duration { other.offset - offset }

  /// Returns the date at this instant, for a clock that was made at `start`.
  func date(from start: Date) -> Date { start.addingTimeInterval(offset / .seconds(1)) }

  /// Whether the left instant is earlier.
  public static func < (left: VirtualInstant, right: VirtualInstant) -> Bool { left.offset < right.offset }
}
