import LupineCore
import LupineSupport
import Synchronization

/// An HTTP/1.1 server on this machine that answers each request with a script, for tests over real sockets.
///
/// ```swift
/// let server = try ScriptedServer { request in
///   .respond(fields: ["Content-Type": "text/plain"], body: .text("You asked for \(request.path)."))
/// }
/// ```
///
/// The server uses its own threads, one for each connection, and never Swift's cooperative pool. Connections are
/// persistent as HTTP defines, and requests may be pipelined. The server stops with `stop()` or with the release of
/// this value.
public final class ScriptedServer: Sendable {
  let state: ServerState
  private let address: Address
  private let acceptThread: Mutex<SystemThread?>

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - readsBody: whether the server reads each request's body before it calls the handler. Otherwise the handler
  ///     receives the head only, and ``ScriptedReply/Step/readBody(upTo:)`` reads the body.
  ///   - answersContinue: whether the server sends `100 Continue` to a waiting client before it reads the body.
  ///   - keptBodyLength: the maximum number of stored bytes of each body; further bytes are only counted.
  ///   - handler: answers a request. The server calls it on the connection's thread, possibly for several connections
  ///     at once. It must not block: a script can wait instead.
  /// - Throws: ``SocketFailure`` if the server cannot be started.
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

  /// Starts a server that sends the same bytes after the first bytes of every connection.
  convenience init(greeting: [UInt8]) throws {
    try self.init(
      .ipv4,
      ServerConfiguration(
        readsBody: false, answersContinue: false, keptBodyLength: 0, handler: { _ in .closeBeforeHead },
        greeting: greeting))
  }

  /// Starts a server of HTTP/2 without TLS.
  ///
  /// It answers the first request of each connection with the same frames, and ends the connection.
  convenience init(frames: [UInt8]) throws {
    try self.init(
      .ipv4,
      ServerConfiguration(
        readsBody: false, answersContinue: false, keptBodyLength: 0, handler: { _ in .closeBeforeHead },
        frames: frames))
  }

  /// Starts a server with the same reply to every request.
  ///
  /// - Throws: ``SocketFailure`` if the server cannot be started.
  public convenience init(always reply: ScriptedReply) throws {
    try self.init { _ in reply }
  }

  /// Starts a server with one reply for each request in sequence, and then with status 500.
  ///
  /// - Throws: ``SocketFailure`` if the server cannot be started.
  public convenience init(sequence replies: [ScriptedReply]) throws {
    try self.init { request in
      guard request.number < replies.count else {
        return .respond(status: 500, body: .text("The script has \(replies.count) replies and no more."))
      }
      return replies[request.number]
    }
  }

  deinit { stop() }

  /// The port number; 0 for a Unix domain socket.
  public var port: Int { state.port }

  /// The URL of the root without a trailing slash; for a Unix domain socket `http://localhost`.
  public var url: String {
    switch address {
    case .ipv4: "http://127.0.0.1:\(port)"
    case .ipv6: "http://[::1]:\(port)"
    case .unix: "http://localhost"
    }
  }

  /// All requests so far, in the order of their numbers.
  public var requests: [ReceivedHTTPRequest] { state.record.value.requests }

  /// All problems so far.
  public var problems: [Problem] { state.record.value.problems }

  /// The number of connections accepted so far.
  public var connectionCount: Int { state.record.value.accepted }

  /// The number of open connections.
  public var openConnectionCount: Int { state.record.value.open }

  /// Ends all connections and threads, and releases the port; returns afterwards.
  ///
  /// A second call waits for the first one and does nothing. A handler must not call it.
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

extension ScriptedServer {
  /// The address of a server on this machine.
  public enum Address: Sendable, Hashable {
    /// A free port of 127.0.0.1.
    case ipv4
    /// A free port of `::1`.
    case ipv6
    /// A Unix domain socket at a path of at most 107 bytes.
    ///
    /// The path must not exist yet. The file is removed when the server stops.
    case unix(path: String)
  }
}

extension ScriptedServer.Address {
  /// The address for the server's socket.
  var local: LoopbackSocket.Address {
    switch self {
    case .ipv4: .ipv4
    case .ipv6: .ipv6()
    case .unix(let path): .unix(path: path)
    }
  }
}

extension ScriptedServer {
  /// Received bytes that are not a complete HTTP/1.1 request.
  ///
  /// The server answers a malformed request with 400 and closes the connection.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    /// The number of the connection, from 0.
    public let connection: Int
    /// The number of the request on the connection, from 0.
    public let index: Int
    /// The problem, as a sentence.
    public let reason: String

    /// The connection, the request and the problem in one line.
    public var description: String { "Connection \(connection), request \(index): \(reason)" }
  }
}

/// Functions that wait for events of the server.
///
/// Each of them throws `CancellationError` if the task is cancelled, and ``ScriptedServer/Stopped`` if the server stops
/// before the event.
extension ScriptedServer {
  /// The error of a wait whose event did not happen before the server stopped.
  public struct Stopped: Error, Sendable, Equatable {}

  /// Waits until at least `count` requests have arrived since the start; returns all of them.
  @discardableResult
  public func waitForRequest(count: Int = 1) async throws -> [ReceivedHTTPRequest] {
    try await wait { $0.requests.count >= count }.requests
  }

  /// Waits until at least `count` connections have been accepted since the start.
  public func waitForConnection(count: Int = 1) async throws {
    _ = try await wait { $0.accepted >= count }
  }

  /// Waits until exactly `count` connections are open.
  public func waitForOpenConnections(_ count: Int) async throws {
    _ = try await wait { $0.open == count }
  }

  /// Waits until at least `count` problems have occurred since the start; returns all of them.
  @discardableResult
  public func waitForProblem(count: Int = 1) async throws -> [Problem] {
    try await wait { $0.problems.count >= count }.problems
  }

  private func wait(until isMet: @escaping @Sendable (ServerRecord) -> Bool) async throws -> ServerRecord {
    try await state.record.wait { isMet($0) || $0.isStopped }
    let record = state.record.value
    guard isMet(record) || !record.isStopped else { throw Stopped() }
    return record
  }
}
