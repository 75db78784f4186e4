public import HTTPTypes
public import LupineFoundation

/// The consumer's side of a response's body.
///
/// `ResponseBodyWriter` is the transport's side.
public struct ResponseBody: Sendable {
  /// The exchange of the body.
  ///
  /// A body that was complete when it was made has its own exchange.
  let exchange: ExchangeControl

  init(exchange: ExchangeControl) { self.exchange = exchange }

  /// The time when the response's head arrived, on the clock of its exchange.
  // For the session, which measures the progress of a download from then on.
  package var begun: Duration { exchange.headArrived }

  /// Returns the next bytes of a streamed body, or `nil` at its end.
  ///
  /// A body has one consumer at a time.
  ///
  /// - Throws: `LupineError` if the exchange failed, after the bytes before the failure have been returned.
  public func next() async throws(LupineError) -> [UInt8]? {
    exchange.touch()
    return try await exchange.channel.next(in: exchange).get()
  }

  /// Sets the destination of the body, including the bytes that have arrived.
  ///
  /// Only the first call has an effect. The session calls it for the response that a transport returns. A layer
  /// calls it for a response that it does not return, for example with `.discard(limit:)`. Until then the transport pauses
  /// once 256 KiB have arrived.
  public func open(_ sink: BodySink) {
    if let fault = exchange.channel.open(sink) { exchange.cancel(fault) }
  }

  /// Passes a copy of every byte of the body to an observer, and then the end.
  ///
  /// The observer sees the bytes before the stages of the sink: those of the transport, or of a layer below. It cannot
  /// change them, and its failure does not harm the transfer. The bytes are not buffered for it.
  ///
  /// A layer calls this method before it returns the response. After the body has been opened, as for an interceptor,
  /// it is too late: the observer then receives no bytes, and an error of kind `other` as the end. A body may have
  /// several observers; each byte reaches them in the order in which they were added.
  public func tee(into observer: any BodyObserver) {
    exchange.channel.add(BodyTee(observer) { [weak exchange] in exchange?.cause })
  }

  /// Passes the body through a transformer before the stages of its sink, for example to check its bytes.
  ///
  /// An error of the transformer ends the body with this error. Unlike an observer, the transformer can change the
  /// bytes. It runs where the stages of `BodySink` do. A body that is discarded does not pass through it.
  ///
  /// A layer calls this method before it returns the response; after the body has been opened it has no effect. Of
  /// several transformers, the first one added receives the bytes first.
  public func process(through transformer: any BodyTransformer) { exchange.channel.add(transformer) }

  /// Whether a reader takes the bytes as they arrive, or the destination is not known yet.
  ///
  /// `end()` then waits until the reader has taken the last byte.
  public var isStreamed: Bool { exchange.channel.isStreamed }

  /// Waits for the end of the body.
  ///
  /// Returns at once if the body has ended. A streamed body ends when its reader has taken the last byte. The reader
  /// starts after the interceptors have returned the response. An interceptor that awaits the end of a streamed body
  /// therefore waits until the request is cancelled or times out; it must check `isStreamed` first.
  ///
  /// - Throws: `LupineError` with the metrics of the exchange if the exchange failed.
  public func end() async throws(LupineError) -> BodyEnd {
    try await exchange.channel.end(in: exchange).get()
  }

  // The members up to `flush()` are `package` for the session: they are not part of a contract.

  /// The end of the body if it ended without an error and its observers have received the end.
  package var goodEnd: BodyEnd? { exchange.channel.goodEnd }

  /// Waits for the end of a body that is not needed if it exceeds a size limit: such a body counts as empty.
  ///
  /// - Parameter limit: the number of bytes to keep of such a body, for the error of a refused response.
  package func end(excerptingExcess limit: Int64) async throws(LupineError) -> BodyEnd {
    do throws(LupineError) {
      return try await end()
    } catch {
      guard error.isTooLong else { throw error }
      let metrics = error.metrics ?? TransferMetrics()
      var end = BodyEnd(byteCount: metrics.bytesReceived, metrics: metrics)
      end.excerpt = exchange.channel.gathered(limit: limit)
      return end
    }
  }

  /// The metrics of the exchange if the body has ended.
  package var metricsAtEnd: TransferMetrics? {
    switch exchange.channel.finalEnd {
    case .success(let end): end.metrics
    case .failure(let error): error.metrics
    case nil: nil
    }
  }

  /// The metrics of the exchange; if the body has not ended, those that are known without the transport.
  package var metricsSoFar: TransferMetrics { metricsAtEnd ?? exchange.metrics }

  /// Waits until the bytes that have arrived are in the body's file, if it has one; does not wait for more.
  package func flush() async { await exchange.channel.flush(in: exchange) }

  /// Calls the observer when the body ends, with or without an error, on the thread where it ends.
  ///
  /// That may be the transport's thread, so the observer must not block. No lock is held.
  /// If the body has ended, it calls the observer at once.
  public func onEnd(_ observer: @escaping @Sendable (Result<BodyEnd, LupineError>) -> Void) {
    exchange.channel.onEnd(observer)
  }

  /// Drops a streamed body: no consumer takes the rest, and the end does not wait for it.
  public func abandon() { exchange.channel.abandon() }

  /// A complete body, for an interceptor that has the data.
  ///
  /// The body goes to the destination of the response's body: to a data request, to a stream's reader, or into a
  /// download's file. It is not decoded, whatever `Content-Encoding` the head contains.
  public static func complete(_ data: Data, metrics: TransferMetrics = TransferMetrics()) -> ResponseBody {
    let body = ResponseBody(exchange: ExchangeControl().beginBody(BodyEnd(data: data, metrics: metrics)))
    body.open(.collect(limit: .max))
    return body
  }
}

/// The transport's side of a response's body.
///
/// The calls must not overlap; they may come from any thread. After `finish` or `fail` only `deliver()` may
/// follow; the first of the two counts.
public struct ResponseBodyWriter: Sendable {
  let exchange: ExchangeControl
  /// Receives the size of each piece; see `TransferContext.observingArrivals(_:)`.
  var arrivals: (@Sendable (Int) -> Void)?

  /// Takes the next bytes as received from the connection.
  ///
  /// All bytes are always accepted. After `pause` the transport must not write more until the body's `resume` closure
  /// is called.
  ///
  /// - Parameters:
  ///   - bytes: the bytes, which are copied.
  ///   - hasMore: whether the transport has more bytes at hand. A waiting consumer then wakes once for all of them, with
  ///     the next write, with `deliver()` or at the end. Default: `false`.
  /// - Throws: `LupineError` if the body ends here, for example over a limit or on a full disk. The transport then ends
  ///   the exchange, closes the connection and calls `fail` with the error.
  public func write(_ bytes: UnsafeRawBufferPointer, hasMore: Bool = false) throws(LupineError) -> Flow {
    exchange.didReceive(bytes.count)
    if let arrivals, !bytes.isEmpty { arrivals(bytes.count) }
    return try exchange.channel.write(bytes, hasMore: hasMore)
  }

  /// Takes the next bytes from data in memory.
  ///
  /// A body that is complete is made with its content instead (`TransferContext.makeBody(for:from:content:…)`).
  ///
  /// - Throws: the error of `write` for a pointer.
  public func write(_ data: Data) throws(LupineError) -> Flow {
    let flow = data.withUnsafeBytes { bytes in Result { () throws(LupineError) in try write(bytes) } }
    return try flow.get()
  }

  /// Wakes a consumer that waits for the bytes that have been written.
  ///
  /// After the end of the body it does nothing.
  public func deliver() { exchange.channel.deliver() }

  /// Ends the body after all of it has been written.
  public func finish(trailers: HTTPFields? = nil, metrics: TransferMetrics) {
    exchange.channel.finish(trailers: trailers, metrics: metrics)
    exchange.bodyEnded()
  }

  /// Ends the body with an error.
  public func fail(_ error: LupineError, metrics: TransferMetrics) {
    exchange.channel.fail(error.measured(metrics))
    exchange.bodyEnded()
  }

  /// Whether the transport may continue.
  public enum Flow: Sendable, Hashable {
    /// The transport may write more.
    case proceed
    /// The transport must not write until `resume` is called.
    case pause
  }
}
