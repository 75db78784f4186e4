import LupineCore

/// Connections of HTTP/2, whose exchanges are told of their end.
extension Loop {
  /// Notes the ports of a descriptor whose connection may carry several exchanges.
  ///
  /// libcurl tells the descriptor to the first of them; -1 for another changes nothing.
  func note(_ ports: SocketPorts, of descriptor: Int32) { known(descriptor)?.ports = ports }

  /// Notes for the exchanges of a connection that libcurl closes it.
  func noteClosed(_ descriptor: Int32) {
    guard let ports = known(descriptor)?.ports else { return }
    for exchange in exchanges.all where exchange.ports == ports { exchange.isConnectionClosed = true }
  }

  /// Closes a connection that must not be used again, unless other exchanges use it; libcurl finds it dead.
  func discard(_ ports: SocketPorts) {
    guard let index = sockets.firstIndex(where: { $0?.ports == ports }), let socket = sockets[index],
      !exchanges.all.contains(where: { $0.isUnderWay && $0.ports == ports })
    else { return }
    poller.forget(Int32(index))
    socket.watched = 0
    socket.ports = nil
    socket.isConnection = false
    deadSocket.replace(Int32(index))
  }
}
