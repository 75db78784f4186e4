public import FoundationEssentials
public import HTTPTypes

/// The transport's side of a response's body.
///
/// Its calls come one after the other, from whatever thread the transport works on. After `finish` or `fail` no other
/// may come; the first of the two counts.
public struct ResponseBodyWriter: Sendable {
  let exchange: ExchangeControl

  /// Takes the next bytes, as they came off the wire.
  ///
  /// The bytes are always taken. On `pause` the transport hands over no more until `resume` is called, which was given
  /// when the body was made.
  ///
  /// - Throws: `LupineError` where the body ends here, as over a limit or with a full disk; the transport then ends the
  ///   exchange, closes the connection and calls `fail` with it.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> Flow {
    exchange.didReceive(bytes.count)
    return try exchange.channel.write(bytes)
  }

  /// Takes the next bytes, which stand in memory as they are; a body that is collected as it is needs no copy of them.
  public func write(_ data: Data) throws(LupineError) -> Flow {
    exchange.didReceive(data.count)
    return try exchange.channel.write(data)
  }

  /// Takes bytes as `write` does, and lets a consumer who waits for them sleep on until `deliver`.
  ///
  /// For a transport that has several pieces in hand: its consumer then wakes up once for all of them.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> Flow {
    exchange.didReceive(bytes.count)
    return try exchange.channel.append(bytes)
  }

  /// Hands a consumer who waits what `append` has taken; after the end of the body nothing happens.
  public func deliver() { exchange.channel.deliver() }

  /// Ends the body: all of it has been written.
  public func finish(trailers: HTTPFields? = nil, metrics: TransferMetrics) {
    exchange.channel.finish(trailers: trailers, metrics: metrics)
    exchange.bodyEnded()
  }

  /// Ends the body before its time.
  public func fail(_ error: LupineError, metrics: TransferMetrics) {
    exchange.channel.fail(error.measured(metrics))
    exchange.bodyEnded()
  }

  /// Whether a transport goes on.
  public enum Flow: Sendable, Hashable {
    /// More may come.
    case proceed
    /// Nothing more until `resume` is called.
    case pause
  }
}
