import LupineCore
import LupineSupport
import Synchronization

/// A real HTTP/1.1 server on this machine that answers each request by a script, for tests of what goes over the wire.
///
/// ```swift
/// let server = try ScriptedServer { request in
///   .respond(fields: ["Content-Type": "text/plain"], body: .text("You asked for \(request.path)."))
/// }
/// ```
///
/// It runs on threads of its own, one for each connection, and never on Swift's cooperative pool. Connections stay open as
/// HTTP says, and requests may be pipelined. It stops when it is stopped or let go of.
public final class ScriptedServer: Sendable {
  let state: ServerState
  private let address: Address
  private let acceptThread: Mutex<SystemThread?>

  /// Starts a server; throws ``SocketFailure`` when it cannot.
  ///
  /// - Parameters:
  ///   - readsBody: Whether a request is read whole before the handler sees it. Without that, the handler decides on the
  ///     head alone, and the body is read by ``ScriptedReply/Step/readBody(upTo:)`` or not at all.
  ///   - answersContinue: Whether a client that waits for it is sent `100 Continue` before its body is read.
  ///   - keptBodyLength: How many bytes of each body are kept; the rest is only counted.
  ///   - handler: Answers a request. It is called on the connection's thread, for several connections at once, and must
  ///     not block: a script waits by itself.
  public convenience init(
    _ address: Address = .ipv4, readsBody: Bool = true, answersContinue: Bool = true, keptBodyLength: Int = .max,
    handler: @escaping @Sendable (ReceivedHTTPRequest) -> ScriptedReply
  ) throws {
    let configuration = ServerConfiguration(
      readsBody: readsBody, answersContinue: answersContinue, keptBodyLength: keptBodyLength, handler: handler)
    try self.init(address, configuration)
  }

  private init(_ address: Address, _ configuration: ServerConfiguration) throws {
    self.address = address
    state = try ServerState(configuration, address: address)
    acceptThread = Mutex(try state.startAccepting())
  }

  /// Starts a server that says the same to the first bytes of every connection, whatever they are.
  convenience init(greeting: [UInt8]) throws {
    try self.init(
      .ipv4,
      ServerConfiguration(
        readsBody: false, answersContinue: false, keptBodyLength: 0, handler: { _ in .closeBeforeHead },
        greeting: greeting))
  }

  /// Starts a server of HTTP/2 without TLS that answers the first request of each connection with the same frames, and
  /// ends the connection.
  convenience init(frames: [UInt8]) throws {
    try self.init(
      .ipv4,
      ServerConfiguration(
        readsBody: false, answersContinue: false, keptBodyLength: 0, handler: { _ in .closeBeforeHead },
        frames: frames))
  }

  /// Starts a server that gives every request the same reply.
  public convenience init(always reply: ScriptedReply) throws {
    try self.init { _ in reply }
  }

  /// Starts a server that gives the replies in turn; a request for which there is none left is answered with 500.
  public convenience init(sequence replies: [ScriptedReply]) throws {
    try self.init { request in
      guard request.number < replies.count else {
        return .respond(status: 500, body: .text("The script has \(replies.count) replies and no more."))
      }
      return replies[request.number]
    }
  }

  deinit { stop() }

  /// The port; 0 for a Unix socket.
  public var port: Int { state.port }

  /// The URL of the root without a final slash; for a Unix socket `http://localhost`.
  public var url: String {
    switch address {
    case .ipv4: "http://127.0.0.1:\(port)"
    case .ipv6: "http://[::1]:\(port)"
    case .unix: "http://localhost"
    }
  }

  /// Every request so far, in the order of their numbers.
  public var requests: [ReceivedHTTPRequest] { state.record.value.requests }

  /// What arrived and was no whole request.
  public var problems: [Problem] { state.record.value.problems }

  /// How many connections have been accepted so far.
  public var connectionCount: Int { state.record.value.accepted }

  /// How many connections are open now.
  public var openConnectionCount: Int { state.record.value.open }

  /// Ends every connection and every thread, and frees the port; returns when that is done.
  ///
  /// A second call does nothing. A handler must not call it.
  public func stop() {
    acceptThread.withLock { thread in
      guard let accepting = thread else { return }
      thread = nil
      state.stopAccepting()
      accepting.join()
      state.endConnections()
    }
  }
}
