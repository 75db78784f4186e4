import Glibc
import Synchronization

/// Passes bytes on between clients of one port of loopback and a server whose port may change.
///
/// A test can so restart a server at an address that stays the same.
package final class PortRelay: Sendable {
  private struct State {
    var target: UInt16?
    /// The sockets of the open connections, of clients and of the server.
    var open: Set<Int32> = []
  }

  private let listener: LoopbackListener
  private let state = Mutex(State())

  package var port: UInt16 { listener.port }

  package init() throws {
    listener = try LoopbackListener()
    listener.start { [self] in serve($0) }
  }

  package func stop() {
    redirect(to: nil)
    listener.stop()
  }

  /// Ends all connections, and passes later ones on to another port; without one, they end at once.
  package func redirect(to target: UInt16?) {
    state.withLock { state in
      state.target = target
      for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Returns when either side ends the connection; the listener closes the client's socket afterwards.
  private func serve(_ client: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(server) }
    let isConnected = state.withLock { state in
      guard let target = state.target, Self.connect(server, to: target) else { return false }
      state.open.formUnion([client, server])
      return true
    }
    guard isConnected else { return }
    // Before the sockets are closed, because another connection may get their numbers.
    defer { state.withLock { $0.open.subtract([client, server]) } }
    var isOn: Int32 = 1
    setsockopt(server, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    Self.pass(client, server)
  }

  private static func pass(_ client: Int32, _ server: Int32) {
    var sockets = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    while poll(&sockets, 2, -1) > 0 {
      for (socket, other) in zip(sockets, [server, client]) where socket.revents != 0 {
        let count = recv(socket.fd, &bytes, bytes.count, 0)
        guard count > 0, send(other, bytes, count, Int32(MSG_NOSIGNAL)) == count else {
          shutdown(other, Int32(SHUT_RDWR))
          return
        }
      }
    }
  }

  /// Connects to a port of loopback, which takes no time: the listener is on the same machine.
  private static func connect(_ descriptor: Int32, to port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) == 0 }
    }
  }
}
