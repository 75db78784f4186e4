/// The destination of a response's body, chosen when its head has arrived.
///
/// Stages run on the task that consumes the body, or on a thread that may block if the body has a file or an observer;
/// they may take long. The transport's thread waits for none of them: it stores at most 256 KiB and pauses.
public struct BodySink: Sendable {
  /// The destination of the bytes after the stages.
  public var destination: Destination
  /// The transformers that the bytes pass through first, in order; usually decoders.
  public var stages: [any BodyTransformer]

  /// Creates a sink.
  public init(_ destination: Destination, stages: [any BodyTransformer] = []) {
    self.destination = destination
    self.stages = stages
  }

  /// The destination of a body's bytes.
  public enum Destination: Sendable, Hashable {
    /// Drops the bytes.
    ///
    /// Over `limit` bytes the exchange ends and its connection is closed.
    case discard(limit: Int64)
    /// Collects the bytes in memory.
    ///
    /// Over `limit` bytes the exchange fails.
    case collect(limit: Int64)
    /// Passes the bytes to a consumer as they arrive.
    ///
    /// The transport pauses while `window` bytes wait.
    case stream(window: Int)
    /// Writes the bytes to a file from `offset` on.
    ///
    /// Over `limit` bytes the exchange fails. The opener keeps ownership of the descriptor, which is copied.
    case file(descriptor: Int32, offset: Int64, limit: Int64?)
  }

  /// Whether the bytes pass through stages or go to a file.
  var needsProcessing: Bool { if case .file = destination { true } else { !stages.isEmpty } }

  /// Whether the bytes are dropped.
  var isDiscarding: Bool { if case .discard = destination { true } else { false } }

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
