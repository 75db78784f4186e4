import LupineCore

extension Exchange {
  /// Whether an ended connection belongs to this exchange.
  ///
  /// Before the request has a connection, the comparison uses the socket that libcurl last reported for the exchange.
  func uses(_ cut: OpenConnections.Cut) -> Bool {
    if let ports { return ports == cut.ports }
    return socketID == cut.id
  }

  /// Stores the descriptor that libcurl uses for the exchange.
  func take(socket descriptor: Int32) {
    let known = loop.known(descriptor)
    socket = descriptor
    socketID = known?.id ?? 0
    if route.unixSocket != nil, ports != nil, known?.isConnection == true {
      ports = SocketPorts(unixSocket: descriptor)
    }
  }

  /// The descriptor of the exchange's connection over a Unix-domain socket; -1 if libcurl has not reported it yet.
  func unixDescriptor(_ easy: Easy, isReused: Bool) -> Int32 {
    let secured = submission.isSecured ? easy.connection : nil
    if isReused { return secured.flatMap { loop.descriptor(securedBy: $0, of: multi) } ?? -1 }
    loop.known(socket)?.secured = secured
    return socket
  }

  /// Ends the exchange because its connection received many bytes that are not part of a response.
  func endFlooded() {
    let sender = if ports == nil, let proxy = route.proxy { "The proxy \(proxy)" } else { "The server" }
    end(
      failure
        ?? LupineError(
          .malformedResponse,
          "\(sender) keeps sending what is no part of a response, such as empty frames; its connection is closed."))
  }
}
