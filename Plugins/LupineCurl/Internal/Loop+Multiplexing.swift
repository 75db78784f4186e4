import LupineCore

/// Connections that carry several exchanges at the same time.
extension Loop {
  /// Returns a multi's connection with these ports; nil if there is none.
  ///
  /// libcurl does not expose the descriptor of a connection that several exchanges share.
  func connection(_ ports: SocketPorts, of multi: Multi) -> WatchedSocket? {
    for case let socket? in sockets where socket.multi === multi && socket.ports == ports { return socket }
    for index in sockets.indices {
      guard let socket = sockets[index], socket.multi === multi, socket.isConnection, SocketPorts(Int32(index)) == ports
      else { continue }
      socket.ports = ports
      return socket
    }
    return nil
  }

  /// Returns the descriptor of a TLS connection over a Unix-domain socket.
  func descriptor(securedBy connection: OpaquePointer, of multi: Multi) -> Int32? {
    sockets.firstIndex { $0?.multi === multi && $0?.secured == connection }.map { Int32($0) }
  }

  /// Closes a connection that must not be reused, unless another exchange uses it.
  ///
  /// libcurl then removes it from its pool.
  func discard(_ connection: WatchedSocket) {
    guard let index = sockets.firstIndex(where: { $0 === connection }),
      !exchanges.all.contains(where: { $0.isUnderWay && $0.ports == connection.ports })
    else { return }
    poller.forget(Int32(index))
    connection.watched = 0
    connection.ports = nil
    connection.isConnection = false
    watch.connections.end(Int32(index))
  }
}
