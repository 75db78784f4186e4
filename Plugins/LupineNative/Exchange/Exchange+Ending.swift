import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFraming

extension Exchange {
  /// Ends the exchange with the reason of its control.
  func cancel() {
    fail(context.control.reason ?? LupineError(.cancelled, "The request was cancelled."))
  }

  /// Ends the exchange after its complete response.
  ///
  /// The connection is available to the next exchange before the consumer hears of the end. If the request is not
  /// completely sent, the rest stays unsent.
  func finish(_ end: ResponseEnd) {
    guard phase != .ended else { return }
    let now = MonotonicClock.now
    let metrics = metrics(at: now)
    release(end, at: now)
    incoming.writer.take()?.finish(trailers: end.trailers, metrics: metrics)
  }

  /// Ends the exchange with an error, in any phase.
  func fail(_ error: LupineError) {
    guard phase != .ended else { return }
    let now = MonotonicClock.now
    let metrics = metrics(at: now)
    // A request of which no byte was sent has not been processed.
    let isUnsent = phase == .active && error.kind == .connectionLost && !outgoing.hasBegun
    let error = (isUnsent ? error.unprocessed() : error).measured(metrics)
    release(nil, at: now)
    if let writer = incoming.writer.take() {
      writer.fail(error, metrics: metrics)
    } else {
      setFailure(error)
    }
  }

  /// Releases everything that belongs to the exchange.
  private func release(_ end: ResponseEnd?, at now: UInt64) {
    phase = .ended
    endSetup()
    continueTimer?.cancel()
    continueTimer = nil
    outgoing.abandon()
    carrier.take()?.release(end, at: now)
    connection = nil
    loop.remove(self)
  }

  private func metrics(at now: UInt64) -> TransferMetrics {
    var metrics = times.metrics(at: now)
    metrics.bytesSent = outgoing.byteCount
    metrics.bytesReceived = incoming.byteCount
    metrics.remoteAddress = connection?.address
    metrics.tls = connection?.tls
    metrics.version = incoming.version
    metrics.isConnectionReused = isReused
    return metrics
  }
}
