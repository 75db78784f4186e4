/// What a ``ScriptedServer`` does with one request: steps, then a decision about the connection.
///
/// An array literal of steps is a reply, too.
public struct ScriptedReply: Sendable {
  /// What becomes of the connection after the last step.
  public enum Connection: Sendable, Hashable {
    /// Stays open when HTTP says so: the client did not ask for the end, the response shows where it ends,
    /// and the request was read whole (RFC 9112, section 9.3).
    case automatic
    /// Stays open in any case: what comes next is read as a request.
    case keep
    /// Closes.
    case close
  }

  /// The steps, in order.
  public var steps: [Step]
  /// What becomes of the connection after them.
  public var connection: Connection

  /// Makes a reply out of steps.
  public init(_ steps: [Step], connection: Connection = .automatic) {
    self.steps = steps
    self.connection = connection
  }

  /// The same reply with more steps before it.
  public func preceded(by steps: Step...) -> Self {
    Self(steps + self.steps, connection: connection)
  }

  /// The same reply with more steps behind it.
  public func followed(by steps: Step...) -> Self {
    Self(self.steps + steps, connection: connection)
  }
}

extension ScriptedReply: ExpressibleByArrayLiteral {
  /// Makes a reply out of a literal of steps.
  public init(arrayLiteral elements: Step...) {
    self.init(elements)
  }
}
