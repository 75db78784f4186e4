public import LupineMock

/// A place on this machine where a fault of the common vocabulary befalls whoever connects, over real sockets.
///
/// ```swift
/// let place = try FaultServer(.tlsRefused)
/// _ = await session.request(place.url).serializingData().response   // fails with tlsFailed
/// ```
///
/// It is there for as long as this value lives. Nothing leaves the machine, but that the system's resolver is asked
/// for a name that nobody has (RFC 6761 section 6.4) where the fault is `hostNotFound`.
public final class FaultServer: Sendable {
  /// The URL to ask for; `https` for a fault of TLS alone.
  public let url: String
  /// What answers, where something does.
  let server: ScriptedServer?
  /// Holds a port for as long as this value lives.
  private let port: (any AnyObject & Sendable)?

  /// Makes the place.
  ///
  /// A `goAway` befalls clients that speak HTTP/2 from the first byte on, over `http`.
  ///
  /// - Parameters:
  ///   - fault: what befalls every request.
  ///   - body: what would have been the content; a fault beyond its end happens at its end.
  /// - Throws: ``SocketFailure`` where a socket cannot be made.
  public init(_ fault: NetworkFault, of body: ScriptedBody = .text("hello")) throws {
    var (server, port): (ScriptedServer?, (any AnyObject & Sendable)?)
    switch fault {
    // A name that is kept free for this (RFC 6761 section 6.4).
    case .hostNotFound: url = "http://nowhere.invalid"
    // The broadcast address of the loopback network: the kernel makes no TCP connection to it, and says so at once.
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
      let faulty = try ScriptedServer { _ in ScriptedReply(fault, of: body) ?? .closeBeforeHead }
      (url, server) = (faulty.url, faulty)
    }
    self.server = server
    self.port = port
  }
}

/// What a server says to the first bytes of a client, whatever they are.
private enum Greeting {
  /// A fatal alert of TLS: `handshake_failure` (RFC 8446 section 6).
  static let handshakeFailure: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]
  /// SETTINGS and GOAWAY of HTTP/2: no stream has been processed, and nothing was wrong (RFC 9113 section 6.8).
  static let goAway: [UInt8] =
    [0, 0, 0, 4, 0, 0, 0, 0, 0] + [0, 0, 8, 7, 0, 0, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 0, 0]
}
