public import FoundationEssentials

/// The consumer's side of a response's body; `IncomingBodyWriter` is the transport's.
public struct IncomingBody: Sendable {
  let channel: BodyChannel

  /// The next bytes of a body that is streamed, or `nil` at its end.
  ///
  /// One consumer at a time.
  ///
  /// - Throws: `LupineError` when the exchange failed; what came before it has been handed over.
  public func next() async throws(LupineError) -> [UInt8]? {
    try await channel.next().get()
  }

  /// Waits for the end of the body.
  ///
  /// Returns at once where the body has ended. A body that is streamed ends when its last byte has been taken.
  ///
  /// - Throws: `LupineError`, with the metrics of the exchange, when it failed.
  public func end() async throws(LupineError) -> BodyEnd {
    try await channel.end().get()
  }

  /// What the exchange cost, where the body has ended.
  var metricsAtEnd: TransferMetrics? {
    switch channel.ended {
    case .success(let end): end.metrics
    case .failure(let error): error.metrics
    case nil: nil
    }
  }

  /// Calls the observer when the body ends, well or not, on the thread where that happens; at once where it has ended.
  package func onEnd(_ observer: @escaping @Sendable (Result<BodyEnd, LupineError>) -> Void) {
    channel.onEnd(observer)
  }

  /// Drops a body that is streamed: nobody will take the rest of it, and its end does not wait for that.
  public func abandon() { channel.abandon() }

  /// A body that is complete, for transports and interceptors that have it in hand.
  public static func complete(_ data: Data, metrics: TransferMetrics = TransferMetrics()) -> IncomingBody {
    let channel = BodyChannel(sink: .collect(limit: .max), activity: nil, resume: {})
    // There is no limit that it could exceed.
    _ = try? channel.write(data)
    channel.finish(metrics: metrics)
    return IncomingBody(channel: channel)
  }
}
