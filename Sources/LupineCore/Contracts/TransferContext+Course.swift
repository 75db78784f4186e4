// The course of an exchange: activity, cancellation, progress.
extension TransferContext {
  /// Records activity, so that the idle timeout starts again.
  public func touch() { control.touch() }

  /// Waits until a time of the clock, or until the exchange is cancelled.
  ///
  /// - Throws: the reason for the cancellation.
  public func pause(until time: Duration, on clock: SessionClock) async throws(LupineError) {
    let sleep = Task.immediate(executorPreference: executor) { try await clock.sleep(until: time) }
    onCancel { sleep.cancel() }
    let isOver = (try? await sleep.value) != nil
    if let reason = control.reason { throw reason }
    guard isOver else { throw LupineError(.cancelled, "The request was cancelled.") }
    touch()
  }

  /// Registers the handler that ends the exchange early.
  ///
  /// An exchange has one handler. The control calls it at most once, on any thread, and at once if the exchange is
  /// already cancelled. It must not block: its thread may be the one of all timers. The control keeps the handler until
  /// the session ends the exchange, so a handler that holds this context or its control keeps both.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) { control.onCancel(handler) }

  /// Reports bytes of the request's body that a transport has sent without a reader of this context.
  ///
  /// A transport that gives a file to the system, as with `sendfile(2)`, calls it after each part that has gone out.
  /// The bytes count as progress and as activity of the request. With the last byte it emits `sent`. A transport that
  /// reads the body with `makeReader(for:…)` does not call it, because the reader reports the bytes.
  ///
  /// - Parameters:
  ///   - count: the number of bytes since the last call. The calls of an exchange do not overlap.
  ///   - length: the length of the body; `nil` if it is not known, and the transport then emits `sent` itself.
  public func didSend(_ count: Int, of length: Int64?) {
    let before = control.activity.bytesSent
    if before == 0 { willSend(length) }
    didSend(.bytes(count), sum: before + Int64(count), of: length)
  }

  /// Reports what the server has of the upload that the request's body belongs to.
  ///
  /// From the first call on, the progress of the request's upload counts what the server has acknowledged, and no longer
  /// the bytes that were sent: those may be lost with the connection. It never decreases. A layer, or an interceptor with
  /// `ExchangeContextChange`, calls it if the server states an offset, as in a 104 response. Without a request, as in a
  /// test of a transport, it does nothing.
  ///
  /// - Parameters:
  ///   - count: the number of bytes from the beginning of the upload; a negative number means 0.
  ///   - total: the number of bytes of the whole upload; `nil` if it is not known. Default: `nil`.
  public func didAcknowledge(_ count: Int64, of total: Int64? = nil) {
    control.didAcknowledge(max(0, count), of: total)
  }
}
