import LupineCore
import LupineEventLoop

/// The state of the loop's descriptors, by their numbers; used on the loop's thread.
final class SocketTable {
  /// `nil` for a descriptor that libcurl does not use.
  private var sockets: [WatchedSocket?] = []

  /// The state of a descriptor; `nil` if libcurl does not use it.
  subscript(descriptor: Int32) -> WatchedSocket? {
    descriptor >= 0 && Int(descriptor) < sockets.count ? sockets[Int(descriptor)] : nil
  }

  /// Returns the state of a descriptor; a new descriptor is assigned to the multi.
  func findOrAdd(_ descriptor: Int32, for multi: Multi) -> WatchedSocket {
    if let socket = self[descriptor] { return socket }
    let socket = WatchedSocket(descriptor, multi)
    store(socket, at: descriptor)
    return socket
  }

  /// Stores the state of a descriptor.
  ///
  /// The list is moved out during the change, so that reading it needs no exclusivity check.
  func store(_ socket: WatchedSocket?, at descriptor: Int32) {
    var list = sockets
    sockets = []
    while list.count <= Int(descriptor) { list.append(nil) }
    list[Int(descriptor)] = socket
    sockets = list
  }

  func removeAll() { sockets = [] }

  /// The number of connections, including idle ones.
  var connectionCount: Int { sockets.count { $0?.isConnection == true } }

  /// The open connections of a multi, including idle ones.
  func connections(of multi: Multi) -> [WatchedSocket] {
    sockets.compactMap { $0 }.filter { $0.multi === multi && $0.isConnection }
  }

  /// Returns a multi's connection with these ports; nil if there is none.
  ///
  /// libcurl does not expose the descriptor of a connection that several exchanges share.
  func connection(_ ports: SocketPorts, of multi: Multi) -> WatchedSocket? {
    for case let socket? in sockets where socket.multi === multi && socket.ports == ports { return socket }
    let found = connections(of: multi).first { SocketPorts($0.descriptor) == ports }
    found?.ports = ports
    return found
  }

  /// Returns the descriptor of a TLS connection over a Unix-domain socket.
  func descriptor(ofTLS connection: OpaquePointer, of multi: Multi) -> Int32? {
    sockets.firstIndex { $0?.multi === multi && $0?.tlsConnection == connection }.map { Int32($0) }
  }

  /// The connections that libcurl waits for no event on, and that no exchange uses.
  ///
  /// The connection of a paused exchange is not idle, although libcurl waits for no event on it.
  ///
  /// - Parameters:
  ///   - used: the connections of the exchanges.
  ///   - matches: the connections to look for; asked first, because the ports of a connection cost two system calls.
  func idleConnections(
    except used: Set<SocketPorts>, where matches: (WatchedSocket) -> Bool = { _ in true }
  ) -> [WatchedSocket] {
    sockets.compactMap { $0 }.filter { socket in
      socket.isConnection && socket.requestedEvents == 0 && matches(socket)
        && !used.contains(SocketPorts(socket.descriptor))
    }
  }
}
