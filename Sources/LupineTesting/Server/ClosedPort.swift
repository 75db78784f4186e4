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
