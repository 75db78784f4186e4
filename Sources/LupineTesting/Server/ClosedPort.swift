/// A port of 127.0.0.1 at which every connection is refused, for as long as this value lives.
///
/// The port is bound, so that no other program takes it, but nobody listens.
public final class ClosedPort: Sendable {
  private let socket: LoopbackSocket

  /// Takes a free port; throws ``SocketFailure`` when there is none.
  public init() throws {
    socket = try LoopbackSocket(.ipv4)
  }

  /// The port's number.
  public var port: Int { socket.port }

  /// `http://127.0.0.1:` and the port.
  public var url: String { "http://127.0.0.1:\(port)" }
}
