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

  /// Whether one comes before the other.
  public static func < (left: VirtualInstant, right: VirtualInstant) -> Bool { left.offset < right.offset }
}
