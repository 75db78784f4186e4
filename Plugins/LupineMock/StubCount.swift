/// How often a stub answers.
public struct StubCount: Sendable, Hashable {
  /// The minimum number of answers that `MockTransport.verify()` accepts.
  public let minimum: Int
  /// The maximum number of answers; `nil` means no limit.
  public let maximum: Int?

  /// Any number of times, and at least once.
  public static let unlimited = StubCount(minimum: 1, maximum: nil)
  /// Exactly once.
  public static let once = StubCount(minimum: 1, maximum: 1)
  /// Any number of times, or never.
  public static let optional = StubCount(minimum: 0, maximum: nil)

  /// Exactly `count` times.
  public static func times(_ count: Int) -> StubCount { StubCount(minimum: count, maximum: count) }

  /// At most `count` times, or never.
  public static func atMost(_ count: Int) -> StubCount { StubCount(minimum: 0, maximum: count) }
}
