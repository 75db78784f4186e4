package import FoundationEssentials
public import HTTPTypes

/// The transport's side of a response's body.
///
/// Its calls come one after the other, from whatever thread the transport works on. After `finish` or `fail` no other
/// may come; the first of the two counts.
public struct IncomingBodyWriter: Sendable {
  let channel: BodyChannel

  /// Takes the next bytes, as they came off the wire.
  ///
  /// The bytes are always taken. On `pause` the transport hands over no more until `resume` is called, which was given
  /// when the body was made.
  ///
  /// - Throws: `LupineError` where the body ends here, as over a limit or with a full disk; the transport then ends the
  ///   exchange, closes the connection and calls `fail` with it.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> Flow {
    try channel.write(bytes)
  }

  /// Takes the next bytes, which stand in memory as they are; a body that is collected as it is needs no copy of them.
  package func write(_ data: Data) throws(LupineError) -> Flow {
    try channel.write(data)
  }

  /// Takes bytes as `write` does, and lets a consumer who waits for them sleep on until `deliver`.
  ///
  /// For a transport that has several pieces in hand: its consumer then wakes up once for all of them.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> Flow {
    try channel.append(bytes)
  }

  /// Hands a consumer who waits what `append` has taken; after the end of the body nothing happens.
  public func deliver() { channel.deliver() }

  /// Ends the body: all of it has been written.
  public func finish(trailers: HTTPFields? = nil, metrics: TransferMetrics) {
    channel.finish(trailers: trailers, metrics: metrics)
  }

  /// Ends the body before its time.
  public func fail(_ error: LupineError, metrics: TransferMetrics) {
    channel.fail(error.measured(metrics))
  }

  /// Whether a transport goes on.
  public enum Flow: Sendable, Hashable {
    /// More may come.
    case proceed
    /// Nothing more until `resume` is called.
    case pause
  }
}
