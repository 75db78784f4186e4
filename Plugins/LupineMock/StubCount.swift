/// How often a stub answers.
public struct StubCount: Sendable, Hashable {
  /// The fewest answers that `MockTransport.verify()` is content with.
  public let minimum: Int
  /// The most answers it gives; `nil` sets no bound.
  public let maximum: Int?

  /// Any number of times, and at least once.
  public static let unlimited = StubCount(minimum: 1, maximum: nil)
  /// Exactly once.
  public static let once = StubCount(minimum: 1, maximum: 1)
  /// Any number of times, or never.
  public static let optional = StubCount(minimum: 0, maximum: nil)

  /// Exactly so many times.
  public static func times(_ count: Int) -> StubCount { StubCount(minimum: count, maximum: count) }

  /// So many times or fewer, or never.
  public static func atMost(_ count: Int) -> StubCount { StubCount(minimum: 0, maximum: count) }
}
