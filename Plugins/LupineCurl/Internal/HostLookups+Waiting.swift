import LupineCore

extension HostLookups {
  /// Resolves a name for an exchange that has not entered the loop, and waits at most its connect timeout.
  ///
  /// - Throws: `LupineError` of kind `hostNotFound`, `timedOut`, `limitExceeded` or `sessionShutDown`, or the error
  ///   with which the exchange was cancelled.
  func addresses(
    of host: String, in context: TransferContext, on time: SessionClock
  ) async throws(LupineError) -> [IPAddress] {
    var timer: ScheduledTimer?
    // `nil` means that the exchange was cancelled.
    let outcome: Outcome? = await withUnsafeContinuation { (waiter: UnsafeContinuation<Outcome?, Never>) in
      let place: Place
      do throws(LupineError) { place = try enter(host) { waiter.resume(returning: $0) } } catch {
        return waiter.resume(returning: .failure(error))
      }
      if place.isQueued { context.emit(.queued(reason: reason)) }
      timer = context.connectTimeout.map { limit in
        time.schedule(limit) { [self] in if leave(place) { waiter.resume(returning: .failure(Self.late)) } }
      }
      context.onCancel { [self] in if leave(place) { waiter.resume(returning: nil) } }
      // Last, so that the timer and the cancellation handler exist before the result arrives.
      launch()
    }
    timer?.cancel()
    if let reason = context.control.reason { throw reason }
    guard let outcome else { throw LupineError(.cancelled, "The request was cancelled.") }
    return try outcome.get()
  }
}
