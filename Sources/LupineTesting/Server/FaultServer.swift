public import LupineDoubles

/// Provides a URL whose requests meet a fault, over real sockets on this machine.
///
/// ```
/// let place = try FaultServer(.tlsRefused)
/// _ = await session.request(place.url).serializingData().response   // fails with tlsFailed
/// ```
///
/// The fault lasts for the lifetime of this value. No data leaves the machine, except that the fault `hostNotFound`
/// makes the system's resolver look up a name that never exists (RFC 6761 section 6.4).
public final class FaultServer: Sendable {
  /// The URL to request; its scheme is `https` only for TLS faults.
  public let url: String
  /// The server of the fault, if the fault needs one.
  let server: ScriptedServer?
  /// Owns the port of the fault.
  private let port: (any AnyObject & Sendable)?

  /// Creates the URL for a fault.
  ///
  /// The fault `goAway` requires a client that speaks HTTP/2 over `http` with prior knowledge.
  ///
  /// - Parameters:
  ///   - fault: the fault of every request.
  ///   - body: the complete content; a fault at a position beyond its end happens at its end.
  /// - Throws: ``SocketFailure`` if a socket cannot be created.
  public init(_ fault: NetworkFault, of body: ScriptedBody = .text("hello")) throws {
    var (server, port): (ScriptedServer?, (any AnyObject & Sendable)?)
    switch fault {
    // A reserved name that never resolves (RFC 6761 section 6.4).
    case .hostNotFound: url = "http://nowhere.invalid"
    // The broadcast address of the loopback network: the kernel fails every TCP connection to it immediately.
    case .networkUnreachable: url = "http://127.255.255.255:9"
    case .connectionRefused:
      let closed = try ClosedPort()
      (url, port) = (closed.url, closed)
    case .connectionStalled:
      let silent = try SilentPort(completesHandshake: false)
      (url, port) = (silent.url, silent)
    case .tlsRefused:
      let refusing = try ScriptedServer(greeting: Greeting.handshakeFailure)
      (url, server) = ("https://127.0.0.1:\(refusing.port)", refusing)
    case .goAway:
      let leaving = try ScriptedServer(greeting: Greeting.goAway)
      (url, server) = (leaving.url, leaving)
    default:
      // A fault in the body of a request happens while the server reads it.
      let readsBody = if case .resetInRequest = fault { false } else { true }
      let faulty = try ScriptedServer(readsBody: readsBody) { _ in ScriptedReply(fault, of: body) ?? .closeBeforeHead }
      (url, server) = (faulty.url, faulty)
    }
    self.server = server
    self.port = port
  }
}

/// The bytes that a server sends after the first bytes of a client.
private enum Greeting {
  /// A fatal TLS alert: `handshake_failure` (RFC 8446 section 6).
  static let handshakeFailure: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]
  /// SETTINGS and GOAWAY of HTTP/2: no stream was processed, and there was no error (RFC 9113 section 6.8).
  static let goAway: [UInt8] =
    [0, 0, 0, 4, 0, 0, 0, 0, 0] + [0, 0, 8, 7, 0, 0, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 0, 0]
}

/// A port of 127.0.0.1 that refuses every connection during the lifetime of this value.
///
/// The port is bound, so that no other program can use it, but it does not listen.
public final class ClosedPort: Sendable {
  private let socket: LoopbackSocket

  /// Binds a free port.
  ///
  /// - Throws: ``SocketFailure`` if there is none.
  public init() throws {
    socket = try LoopbackSocket(.ipv4)
  }

  /// The port number.
  public var port: Int { socket.port }

  /// The URL `http://127.0.0.1:` with the port.
  public var url: String { "http://127.0.0.1:\(port)" }
}

/// A port of 127.0.0.1 that never answers, for tests of timeouts.
///
/// By default the kernel completes the TCP handshake and sends nothing more: a client connects, sends and waits. With
/// `completesHandshake: false` the connection is not established, because the port's accept queue is full.
public final class SilentPort: Sendable {
  private let socket: LoopbackSocket
  private let filler: AcceptQueueFiller?

  /// Binds a free port.
  ///
  /// - Throws: ``SocketFailure`` if there is none.
  public init(completesHandshake: Bool = true) throws {
    socket = try LoopbackSocket(.ipv4)
    try socket.beginListening(backlog: completesHandshake ? 128 : 0)
    filler = completesHandshake ? nil : try AcceptQueueFiller(port: socket.port)
  }

  /// The port number.
  public var port: Int { socket.port }

  /// The URL `http://127.0.0.1:` with the port.
  public var url: String { "http://127.0.0.1:\(port)" }
}
