/// An event that a simulation injects into one exchange, in addition to the stub's reply.
public struct InjectedFault: Sendable, Hashable {
  /// The number of the exchange with a mock, from 1 in the order of beginning.
  public let exchange: Int
  /// The injected event.
  public let action: Action

  /// Creates an event for an exchange.
  public init(exchange: Int, _ action: Action) {
    self.exchange = exchange
    self.action = action
  }

  /// An event that can be injected into an exchange.
  public enum Action: Sendable, Hashable {
    /// A network fault, in place of the stub's own fault.
    case fault(NetworkFault)
    /// The reply is delayed by this duration.
    case delay(Duration)
    /// The request is cancelled this long after the exchange began, unless it has ended.
    case cancel(after: Duration)
  }
}

extension InjectedFault: CustomStringConvertible {
  /// The fault in Swift syntax.
  public var description: String { ".init(exchange: \(exchange), \(action))" }
}

extension InjectedFault.Action: CustomStringConvertible {
  /// The action in Swift syntax.
  public var description: String {
    switch self {
    case .fault(let fault): ".fault(\(fault))"
    case .delay(let duration): ".delay(\(duration.literal))"
    case .cancel(let duration): ".cancel(after: \(duration.literal))"
    }
  }
}
