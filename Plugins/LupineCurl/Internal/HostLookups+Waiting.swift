import LupineCore

extension HostLookups {
  /// The name's addresses, for an exchange that is not yet with the loop and waits no longer than its connect timeout.
  ///
  /// - Throws: `LupineError` of kind `hostNotFound`, `timedOut`, `limitExceeded`, `sessionShutDown`, or what the exchange
  ///   was cancelled for.
  func addresses(
    of host: String, in context: TransferContext, on time: SessionClock
  ) async throws(LupineError) -> [IPAddress] {
    var timer: ScheduledTimer?
    // `nil` tells of a cancellation.
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
      // The last step, so that nothing is missing when the answer comes.
      launch()
    }
    timer?.cancel()
    if let reason = context.control.reason { throw reason }
    guard let outcome else { throw LupineError(.cancelled, "The request was cancelled.") }
    return try outcome.get()
  }
}
