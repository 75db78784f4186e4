/// Where a response's body goes, decided when its head arrives and before its first byte is handed over.
public struct BodySink: Sendable {
  /// Where the bytes end up, after the stages.
  public var destination: Destination
  /// What the bytes pass through first, in order; decoders, as a rule.
  public var stages: [any BodyTransformer]

  /// Joins stages and a destination.
  public init(_ destination: Destination, stages: [any BodyTransformer] = []) {
    self.destination = destination
    self.stages = stages
  }

  /// Where a body's bytes end up.
  public enum Destination: Sendable, Hashable {
    /// Nowhere. Over `limit` bytes the exchange ends and its connection is closed.
    case discard(limit: Int64)
    /// Memory. Over `limit` bytes the exchange fails.
    case collect(limit: Int64)
    /// A consumer that takes them as they come; the transport pauses while `window` bytes wait.
    case stream(window: Int)
    /// A file, from `offset` on, written by the transport's own thread; the descriptor stays its opener's.
    case file(descriptor: Int32, offset: Int64, limit: Int64?)
  }

  /// See `Destination.discard`.
  public static func discard(limit: Int64) -> BodySink { BodySink(.discard(limit: limit)) }
  /// See `Destination.collect`.
  public static func collect(limit: Int64) -> BodySink { BodySink(.collect(limit: limit)) }
  /// See `Destination.stream`.
  public static func stream(window: Int) -> BodySink { BodySink(.stream(window: window)) }
  /// See `Destination.file`.
  public static func file(descriptor: Int32, offset: Int64 = 0, limit: Int64? = nil) -> BodySink {
    BodySink(.file(descriptor: descriptor, offset: offset, limit: limit))
  }
}
