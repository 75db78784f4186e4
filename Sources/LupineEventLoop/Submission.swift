public import LupineCore

/// An exchange that is passed to a loop.
public final class Submission: Sendable {
  /// The result for the caller of the transport's `send`.
  public typealias Outcome = Result<TransportResponse, LupineError>

  /// Sends commands for the exchange to the loop.
  public let ticket: Ticket
  /// The request.
  public let request: OutgoingRequest
  /// The context of the exchange.
  public let context: TransferContext
  /// The addresses of the host, if the client resolved them before the exchange entered the loop.
  public let target: ResolvedTarget
  /// The reader of a body in memory; `nil` if the request has none.
  public let reader: (any BodyReader)?
  private let continuation: UnsafeContinuation<Outcome, Never>

  init(
    _ ticket: Ticket, _ request: OutgoingRequest, _ context: TransferContext, _ target: ResolvedTarget,
    _ reader: (any BodyReader)?, _ continuation: UnsafeContinuation<Outcome, Never>
  ) {
    self.ticket = ticket
    self.request = request
    self.context = context
    self.target = target
    self.reader = reader
    self.continuation = continuation
  }

  /// Resumes the caller of `send`; the loop calls it once for each exchange.
  public func finish(_ outcome: Outcome) { continuation.resume(returning: outcome) }

  /// Ends an exchange that the loop does not begin.
  public func refuse(_ error: LupineError) {
    reader?.cancel()
    continuation.resume(returning: .failure(error.measured(TransferMetrics())))
  }

  /// Opens the request's body in a task, because a disk or the program's code may take long; then posts `opened`.
  ///
  /// - Parameter mayStayUnread: whether the body may never be read, as behind a proxy that may refuse the tunnel. A body
  ///   that can be sent only once is then opened at its first read.
  public func openBody(mayStayUnread: Bool) {
    let (body, context, ticket) = (request.body, context, ticket)
    Task(executorPreference: context.executor) {
      let opened: Result<any BodyReader, LupineError>
      do throws(LupineError) {
        opened = .success(
          try await context.makeReader(for: body, mayStayUnread: mayStayUnread) { ticket.post(.hasBytes) })
      } catch {
        opened = .failure(error)
      }
      ticket.post(.opened(opened))
    }
  }
}

/// Identifies an exchange, and sends commands for it to the loop from other threads.
public struct Ticket: Sendable {
  /// The number of the exchange, which no other exchange of the process has.
  public let id: UInt64
  private let thread: LoopThread

  init(_ thread: LoopThread) {
    id = LoopThread.makeID()
    self.thread = thread
  }

  /// Passes news to the exchange; no effect if the exchange has ended.
  public func post(_ news: LoopCommand.News) { thread.post(.exchange(id, news)) }
}

/// The addresses of a host that were determined before the exchange entered the loop.
public struct ResolvedTarget: Sendable {
  /// The times of a name lookup that ran before the exchange entered the loop.
  public struct Lookup: Sendable {
    /// When the lookup, and with it the exchange, began, in nanoseconds of the monotonic clock.
    public let began: UInt64
    /// When the lookup ended.
    public let ended: UInt64
    /// The connect timeout that remains after the lookup; `nil` for no limit.
    public let connectTimeout: Duration?

    /// Creates the times of a lookup.
    public init(began: UInt64, ended: UInt64, connectTimeout: Duration?) {
      self.began = began
      self.ended = ended
      self.connectTimeout = connectTimeout
    }

    /// The duration of the lookup.
    public var time: Duration { .nanoseconds(Int64(ended - began)) }
  }

  /// The addresses to try in order; empty if a proxy or the loop resolves the name.
  public var addresses: [IPAddress]
  /// The lookup of the name; `nil` if none was necessary.
  public var lookup: Lookup?

  /// Creates a target.
  public init(addresses: [IPAddress] = [], lookup: Lookup? = nil) {
    self.addresses = addresses
    self.lookup = lookup
  }
}
