import Glibc

/// A port of 127.0.0.1 that never answers, for tests of timeouts.
///
/// By default the kernel completes the TCP handshake and sends nothing more: a client connects, sends and waits. With
/// `completesHandshake: false` the connection is not established, because the port's accept queue is full.
public final class SilentPort: Sendable {
  private let socket: LoopbackSocket
  private let fillers: [Int32]

  /// Binds a free port.
  ///
  /// - Throws: ``SocketFailure`` if there is none.
  public init(completesHandshake: Bool = true) throws {
    socket = try LoopbackSocket(.ipv4)
    try socket.listen(backlog: completesHandshake ? 128 : 0)
    fillers = completesHandshake ? [] : try fillQueue(port: socket.port)
  }

  deinit {
    for filler in fillers { _ = close(filler) }
  }

  /// The port number.
  public var port: Int { socket.port }

  /// The URL `http://127.0.0.1:` with the port.
  public var url: String { "http://127.0.0.1:\(port)" }
}

/// Opens connections until the accept queue is full.
///
/// A backlog of 0 has room for one connection. The first connect blocks until it succeeds; the others need not succeed.
private func fillQueue(port: Int) throws(SocketFailure) -> [Int32] {
  var fillers: [Int32] = []
  for kind in [0, Int32(SOCK_NONBLOCK.rawValue), Int32(SOCK_NONBLOCK.rawValue)] {
    let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | kind, 0)
    guard filler >= 0 else {
      let failure = SocketFailure("socket")
      for filler in fillers { _ = close(filler) }
      throw failure
    }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = in_port_t(UInt16(port)).bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    _ = withSocketAddress(&name) { connect(filler, $0, $1) }
    fillers.append(filler)
  }
  return fillers
}
