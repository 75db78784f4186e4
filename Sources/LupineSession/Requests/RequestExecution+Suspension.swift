public import LupineCore
import Synchronization

extension RequestExecution {
  func resume() {
    guard let next = state.withLock({ $0.resume() }) else { return }
    emit(.resumed)
    settleSuspension()
    for gate in next.gates { gate.resume() }
    if next.mustStart { launch() }
  }

  /// Sets whether the request waits for `resume()`; starts it if it is no longer held and handlers wait.
  func setHeld(_ isHeld: Bool) {
    let next = state.withLock { $0.setHeld(isHeld) }
    for gate in next.gates { gate.resume() }
    if next.mustStart { launch() }
  }

  func suspend() {
    guard state.withLock({ $0.suspend() }) else { return }
    emit(.suspended)
    settleSuspension()
  }

  /// Sets the suspension of the exchange; repeats until it matches the request's.
  func settleSuspension() {
    var applied: Bool?
    while true {
      let (control, isSuspended) = state.withLock { $0.suspension }
      if applied == isSuspended { return }
      control?.setSuspended(isSuspended)
      applied = isSuspended
    }
  }

  /// Whether the request is suspended and must await `waitWhileSuspended()`.
  var mustWait: Bool { state.withLock { $0.mustWait } }

  /// Waits while the request is held: suspended, or made by a session that does not start requests by itself.
  ///
  /// The reader of a stream calls this method before it waits for anything except bytes of the body, so that
  /// `suspend()` applies to that wait as well. Cancelling the caller's task cancels the request.
  ///
  /// - Throws: the reason of the cancellation, if the request was cancelled.
  public func waitWhileSuspended() async throws(LupineError) {
    let (isHeld, reason) = state.withLock { ($0.isHeld, $0.cancellation) }
    if let reason { throw reason }
    guard isHeld else { return }
    await withTaskCancellationHandler {
      await passGate()
    } onCancel: {
      cancel()
    }
    if let reason = cancellation { throw reason }
  }

  /// Waits while the request is suspended; a cancelled request continues at once.
  func passGate() async {
    await withUnsafeContinuation { gate in
      if state.withLock({ $0.pass(gate) }) { gate.resume() }
    }
  }
}
