public import FoundationEssentials

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
