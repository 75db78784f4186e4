public import FoundationEssentials

/// The consumer's side of a response's body; `IncomingBodyWriter` is the transport's.
public struct IncomingBody: Sendable {
  /// The exchange that it belongs to; one of its own where it was complete when it was made.
  let exchange: TransferControl

  /// The next bytes of a body that is streamed, or `nil` at its end.
  ///
  /// One consumer at a time.
  ///
  /// - Throws: `LupineError` when the exchange failed; what came before it has been handed over.
  public func next() async throws(LupineError) -> [UInt8]? {
    exchange.touch()
    return try await exchange.channel.next().get()
  }

  /// Waits for the end of the body.
  ///
  /// Returns at once where the body has ended. A body that is streamed ends when its last byte has been taken.
  ///
  /// - Throws: `LupineError`, with the metrics of the exchange, when it failed.
  public func end() async throws(LupineError) -> BodyEnd {
    try await exchange.channel.end().get()
  }

  /// The end, where it has come, its observers have heard of it, and it is a good one.
  var goodEnd: BodyEnd? { exchange.channel.goodEnd }

  /// What the exchange cost, where the body has ended.
  var metricsAtEnd: TransferMetrics? {
    switch exchange.channel.ended {
    case .success(let end): end.metrics
    case .failure(let error): error.metrics
    case nil: nil
    }
  }

  /// Calls the observer when the body ends, well or not, on the thread where that happens; at once where it has ended.
  package func onEnd(_ observer: @escaping @Sendable (Result<BodyEnd, LupineError>) -> Void) {
    exchange.channel.onEnd(observer)
  }

  /// Drops a body that is streamed: nobody will take the rest of it, and its end does not wait for that.
  public func abandon() { exchange.channel.abandon() }

  /// A body that is complete, for transports and interceptors that have it in hand.
  public static func complete(_ data: Data, metrics: TransferMetrics = TransferMetrics()) -> IncomingBody {
    let exchange = TransferControl().beginBody(.collect(limit: .max), resume: {})
    // There is no limit that it could exceed.
    _ = try? exchange.channel.write(data)
    exchange.channel.finish(metrics: metrics)
    return IncomingBody(exchange: exchange)
  }
}
