import FoundationEssentials

/// A moment of a virtual clock, counted from the clock's making.
public struct VirtualInstant: InstantProtocol {
  /// The time since the clock was made.
  public let offset: Duration

  /// Names a moment.
  public init(offset: Duration = .zero) { self.offset = offset }

  /// The moment this much later.
  public func advanced(by duration: Duration) -> VirtualInstant { VirtualInstant(offset: offset + duration) }

  /// How much later the other is.
  public func duration(to other: VirtualInstant) -> Duration { other.offset - offset }

  /// The date at this moment of a clock that stood at this one when it was made.
  func date(from start: Date) -> Date { start.addingTimeInterval(offset / .seconds(1)) }

  /// Whether one comes before the other.
  public static func < (left: VirtualInstant, right: VirtualInstant) -> Bool { left.offset < right.offset }
}
