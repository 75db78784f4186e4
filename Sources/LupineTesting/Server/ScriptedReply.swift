/// The reaction of a ``ScriptedServer`` to one request: steps, and what happens to the connection afterwards.
///
/// An array literal of steps is a reply, too.
public struct ScriptedReply: Sendable {
  /// What happens to the connection after the last step.
  public enum Connection: Sendable, Hashable {
    /// The connection stays open if HTTP allows it (RFC 9112 section 9.3).
    ///
    /// The client must not have asked for its end, the response must have a definite end, and the request must have
    /// been read completely.
    case automatic
    /// The connection stays open, and the next bytes are read as a request.
    case keep
    /// The connection is closed.
    case close
  }

  /// The steps, in order.
  public var steps: [Step]
  /// What happens to the connection after the steps.
  public var connection: Connection

  /// Creates a reply from steps.
  public init(_ steps: [Step], connection: Connection = .automatic) {
    self.steps = steps
    self.connection = connection
  }

  /// Returns the reply with more steps before it.
  public func preceded(by steps: Step...) -> Self {
    Self(steps + self.steps, connection: connection)
  }

  /// Returns the reply with more steps after it.
  public func followed(by steps: Step...) -> Self {
    Self(self.steps + steps, connection: connection)
  }
}

extension ScriptedReply: ExpressibleByArrayLiteral {
  /// Creates a reply from a literal of steps.
  public init(arrayLiteral elements: Step...) {
    self.init(elements)
  }
}
