import Synchronization

/// What becomes of an exchange that an interceptor or a scheme gives up.
extension ExchangeLoop {
  /// Ends the exchange whose response nobody waits for; what it cost counts where its body has ended by itself.
  ///
  /// - Parameters:
  ///   - body: its body; `nil` means that which interceptors were given.
  ///   - own: the body that an interceptor made in its place, with what it cost, too, where the interceptor passed that on.
  func abandonExchange(_ body: IncomingBody? = nil, for own: IncomingBody? = nil) {
    guard let control = task.state.withLock({ $0.control }) else { return }
    let metrics = (body ?? task.state.withLock { $0.exchange.body }).flatMap {
      control.carries($0) ? $0.metricsAtEnd : nil
    }
    control.cancel(LupineError(.cancelled, "The response was not wanted any more."))
    close(control, status: nil, metrics: metrics == own?.metricsAtEnd ? nil : metrics)
  }
}
