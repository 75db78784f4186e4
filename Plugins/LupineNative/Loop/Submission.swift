import LupineCore
import LupineEventLoop

/// An exchange that is passed to the loop.
final class Submission: Sendable {
  typealias Outcome = Result<TransportResponse, LupineError>
  typealias Continuation = UnsafeContinuation<Outcome, Never>

  let ticket: Ticket
  let request: OutgoingRequest
  let context: TransferContext
  /// The reader of a body in memory; `nil` if the request has none.
  let reader: (any BodyReader)?
  let continuation: Continuation

  init(
    _ ticket: Ticket, _ request: OutgoingRequest, _ context: TransferContext, _ reader: (any BodyReader)?,
    _ continuation: Continuation
  ) {
    self.ticket = ticket
    self.request = request
    self.context = context
    self.reader = reader
    self.continuation = continuation
  }

  /// Ends an exchange that the loop does not begin.
  func refuse(_ error: LupineError) {
    reader?.cancel()
    continuation.resume(returning: .failure(error.measured(TransferMetrics())))
  }
}

/// Identifies an exchange, and sends commands for it to the loop from other threads.
final class Ticket: Sendable {
  let id: UInt64
  private let thread: LoopThread<Command>

  init(_ thread: LoopThread<Command>) {
    id = thread.makeID()
    self.thread = thread
  }

  func post(_ news: Command.News) { thread.post(.exchange(id, news)) }
}

/// A command from another thread to the loop.
enum Command: LoopCommand {
  case start(Submission)
  /// Passes news to an exchange; no effect if the exchange has ended.
  case exchange(UInt64, News)
  case countConnections(UnsafeContinuation<ConnectionPoolSnapshot, Never>)
  case stop
  case stopWhenIdle

  /// What happens to an exchange on another thread.
  enum News: Sendable {
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
    /// The server has sent no 100 for a while.
    case continueTimedOut
  }

  func refuse(_ error: LupineError) {
    switch self {
    case .start(let submission): submission.refuse(error)
    case .exchange(_, .opened(.success(let reader))): reader.cancel()
    case .countConnections(let continuation): continuation.resume(returning: ConnectionPoolSnapshot())
    default: break
    }
  }
}
