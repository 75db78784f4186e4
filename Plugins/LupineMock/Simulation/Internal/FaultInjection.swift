/// The events that are injected into one exchange.
struct FaultInjection: Sendable {
  let exchange: Int
  var delay = Duration.zero
  var fault: NetworkFault?
  var cancellation: Duration?

  init(exchange: Int, actions: [InjectedFault.Action]) {
    self.exchange = exchange
    for action in actions {
      switch action {
      case .fault(let fault): self.fault = fault
      case .delay(let duration): delay += duration
      case .cancel(let duration): cancellation = duration
      }
    }
  }
}
