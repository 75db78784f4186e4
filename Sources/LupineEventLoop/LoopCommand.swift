public import LupineCore

/// A command from another thread to an event loop, which executes commands in order.
public enum LoopCommand: Sendable {
  /// Starts an exchange.
  case start(Submission)
  /// Passes news to an exchange; no effect if the exchange has ended.
  case exchange(UInt64, News)
  /// Counts the connections.
  case countConnections(UnsafeContinuation<ConnectionPoolSnapshot, Never>)
  /// Closes idle connections while the loops of the transport have too many connections in total.
  ///
  /// - Parameter others: the number of further loops to ask if this one has too few idle connections.
  case closeIdle(others: Int)
  /// Closes an idle connection for an exchange of another loop, for which no descriptor is left; then posts
  /// `mayRetrySocket`.
  ///
  /// - Parameter others: the number of further loops to ask if this one has no idle connection.
  case freeDescriptor(for: Ticket, others: Int)
  /// Ends all exchanges and the loop.
  case stop
  /// Ends the loop after the last exchange.
  case stopWhenIdle

  /// An event on another thread that concerns an exchange.
  public enum News: Sendable {
    /// The limits on connections, which several loops share, admit the waiting exchange.
    case admitted
    /// The exchange is cancelled.
    case cancelled
    /// The sink of the response has room again.
    case hasRoom
    /// The reader of the request's body has bytes again.
    case hasBytes
    /// The request's body is open, or cannot be opened.
    case opened(Result<any BodyReader, LupineError>)
    /// The lookup of the host's name has ended.
    case lookedUp(HostLookups.Outcome)
    /// The connect timeout has passed.
    case connectTimedOut
    /// The time to wait for 100 (Continue) has passed.
    case continueTimedOut
    /// Another loop has closed an idle connection to free its descriptor, or no loop has one.
    case mayRetrySocket
  }

  /// Ends the work of the command with an error, because the loop could not be created or has ended.
  func refuse(_ error: LupineError) {
    switch self {
    case .start(let submission): submission.refuse(error)
    case .exchange(_, .opened(.success(let reader))): reader.cancel()
    case .countConnections(let continuation): continuation.resume(returning: ConnectionPoolSnapshot())
    case .freeDescriptor(let ticket, _): ticket.post(.mayRetrySocket)
    default: break
    }
  }
}
