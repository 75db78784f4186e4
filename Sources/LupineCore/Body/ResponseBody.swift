public import FoundationEssentials
public import HTTPTypes

/// The consumer's side of a response's body; `ResponseBodyWriter` is the transport's.
public struct ResponseBody: Sendable {
  /// The exchange that it belongs to; one of its own where it was complete when it was made.
  package let exchange: ExchangeControl

  package init(exchange: ExchangeControl) { self.exchange = exchange }

  /// The next bytes of a body that is streamed, or `nil` at its end.
  ///
  /// One consumer at a time.
  ///
  /// - Throws: `LupineError` when the exchange failed; what came before it has been handed over.
  public func next() async throws(LupineError) -> [UInt8]? {
    exchange.touch()
    return try await exchange.channel.next().get()
  }

  /// Whether it is handed to a reader as it comes: `end()` then waits until the last byte has been taken.
  public var isStreamed: Bool { exchange.channel.isStreamed }

  /// Waits for the end of the body.
  ///
  /// Returns at once where the body has ended. A body that is streamed ends when its last byte has been taken, which its
  /// reader does once interceptors have returned the response: one that awaits the end before that waits until the request
  /// is cancelled or its time is over. `isStreamed` tells.
  ///
  /// - Throws: `LupineError`, with the metrics of the exchange, when it failed.
  public func end() async throws(LupineError) -> BodyEnd {
    try await exchange.channel.end().get()
  }

  /// The end, where it has come, its observers have heard of it, and it is a good one.
  package var goodEnd: BodyEnd? { exchange.channel.goodEnd }

  /// The first bytes of a body that is gathered in memory, also of one that has failed.
  package func gathered(limit: Int64) -> Data { exchange.channel.gathered(limit: limit) }

  /// What the exchange cost, where the body has ended.
  package var metricsAtEnd: TransferMetrics? {
    switch exchange.channel.ended {
    case .success(let end): end.metrics
    case .failure(let error): error.metrics
    case nil: nil
    }
  }

  /// Calls the observer when the body ends, well or not, on the thread where that happens; at once where it has ended.
  public func onEnd(_ observer: @escaping @Sendable (Result<BodyEnd, LupineError>) -> Void) {
    exchange.channel.onEnd(observer)
  }

  /// Drops a body that is streamed: nobody will take the rest of it, and its end does not wait for that.
  public func abandon() { exchange.channel.abandon() }

  /// A body that is complete, for interceptors that have it in hand.
  ///
  /// It goes where the response's body would have gone: to a data request, to a stream's reader, or into a download's file.
  /// It is taken as it stands: whatever `Content-Encoding` the head names, nothing is decoded.
  public static func complete(_ data: Data, metrics: TransferMetrics = TransferMetrics()) -> ResponseBody {
    let exchange = ExchangeControl().beginBody(.collect(limit: .max), resume: {})
    // There is no limit that it could exceed.
    _ = try? exchange.channel.write(data)
    exchange.channel.finish(metrics: metrics)
    return ResponseBody(exchange: exchange)
  }
}

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

/// How a response's body ended well.
public struct BodyEnd: Sendable {
  /// What a `collect` sink gathered; empty for the others.
  public var data: Data
  /// Bytes that reached the sink's destination, after decoding.
  public var byteCount: Int64
  /// The trailers, where there were any.
  public var trailers: HTTPFields?
  /// What the exchange cost.
  public var metrics: TransferMetrics

  /// Joins the parts.
  ///
  /// Default: no data, as many bytes as the data have, no trailers, empty metrics.
  public init(
    data: Data = Data(), byteCount: Int64? = nil, trailers: HTTPFields? = nil,
    metrics: TransferMetrics = TransferMetrics()
  ) {
    self.data = data
    self.byteCount = byteCount ?? Int64(data.count)
    self.trailers = trailers
    self.metrics = metrics
  }
}
