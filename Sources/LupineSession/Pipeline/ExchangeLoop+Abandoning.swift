import LupineCore
import Synchronization

/// What becomes of an exchange that an interceptor or a scheme gives up.
extension ExchangeLoop {
  /// Ends the exchange that interceptors have broken off, without waiting for its transport; what it cost counts as far as
  /// it is known on this side.
  func breakOffExchange() {
    let (control, body) = task.state.withLock { ($0.control, $0.exchange.body) }
    guard let control, let body, control.carries(body) else { return abandonExchange() }
    control.cancel(Self.unwanted)
    close(control, status: nil, metrics: body.metricsAtEnd ?? body.exchange.cost)
  }

  /// Ends the exchange whose response nobody waits for; what it cost counts where its body has ended by itself.
  ///
  /// - Parameters:
  ///   - body: its body; `nil` means that which interceptors were given.
  ///   - own: the body that an interceptor made in its place, with what it cost, too, where the interceptor passed that on.
  func abandonExchange(_ body: ResponseBody? = nil, for own: ResponseBody? = nil) {
    guard let control = task.state.withLock({ $0.control }) else { return }
    let metrics = (body ?? task.state.withLock { $0.exchange.body }).flatMap {
      control.carries($0) ? $0.metricsAtEnd : nil
    }
    control.cancel(Self.unwanted)
    close(control, status: nil, metrics: metrics == own?.metricsAtEnd ? nil : metrics)
  }

  private static let unwanted = LupineError(.cancelled, "The response was not wanted any more.")
}
