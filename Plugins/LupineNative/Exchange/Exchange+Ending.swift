import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFraming

extension Exchange {
  /// Ends the exchange with the reason of its control.
  func cancel() {
    fail(context.control.reason ?? LupineError(.cancelled, "The request was cancelled."))
  }

  /// Ends the exchange after its complete response, which the consumer does not hold back.
  ///
  /// The connection is available to the next exchange before the consumer hears of the end. If the request is not
  /// completely sent, the rest stays unsent (RFC 9112 section 9.3, RFC 9113 section 8.1): the server may have stopped
  /// reading the request.
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
    if error.kind == .connectionLost, endWithoutRest() { return }
    let now = MonotonicClock.now
    let metrics = metrics(at: now)
    recordLoss(error)
    // A request of which no byte was sent has not been processed.
    let isUnsent = phase == .active && error.kind == .connectionLost && !outgoing.hasBegun
    let error = (isUnsent ? error.unprocessed() : error).measured(metrics)
    release(nil, hasTimedOut: error.isTimeout, at: now)
    if let writer = incoming.writer.take() {
      writer.fail(error, metrics: metrics)
    } else {
      setFailure(error)
    }
  }

  /// Closes the connections of the route that are probably lost too, if a reused one was lost before the response.
  private func recordLoss(_ error: LupineError) {
    guard phase == .active, isReused, error.kind == .connectionLost, times.firstByte == nil, let connection,
      carrier?.isConnectionLost == true
    else { return }
    loop.connections.recordLoss(of: connection, usedSince: times.connectionTaken)
  }

  /// Releases everything that belongs to the exchange.
  private func release(_ end: ResponseEnd?, hasTimedOut: Bool = false, at now: UInt64) {
    phase = .ended
    endSetup()
    continueTimer?.cancel()
    continueTimer = nil
    outgoing.abandon()
    carrier.take()?.release(end, hasTimedOut: hasTimedOut, at: now)
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

extension LupineError {
  /// Whether a timeout ended the exchange.
  fileprivate var isTimeout: Bool { if case .timedOut = kind { true } else { false } }
}
