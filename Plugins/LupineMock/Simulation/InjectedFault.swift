/// Something that befalls one exchange of a simulation, besides what its stub says.
public struct InjectedFault: Sendable, Hashable {
  /// Which exchange with a mock it befalls, counted from 1 in the order they begin.
  public let exchange: Int
  /// What befalls it.
  public let action: Action

  /// Names an exchange and what befalls it.
  public init(exchange: Int, _ action: Action) {
    self.exchange = exchange
    self.action = action
  }

  /// What can befall an exchange.
  public enum Action: Sendable, Hashable {
    /// A fault of the network, in place of the stub's own.
    case fault(NetworkFault)
    /// The reply comes so much later.
    case delay(Duration)
    /// The request is cancelled so long after the exchange began, unless it has ended.
    case cancel(after: Duration)
  }
}

extension InjectedFault: CustomStringConvertible {
  /// The fault as it is written in a program.
  public var description: String { ".init(exchange: \(exchange), \(action))" }
}

extension InjectedFault.Action: CustomStringConvertible {
  /// The action as it is written in a program.
  public var description: String {
    switch self {
    case .fault(let fault): ".fault(\(fault))"
    case .delay(let duration): ".delay(\(duration.literal))"
    case .cancel(let duration): ".cancel(after: \(duration.literal))"
    }
  }
}
