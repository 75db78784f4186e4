import LupineCore

extension Exchange {
  /// Whether a connection that was ended is this exchange's.
  ///
  /// Before there is a request on it, the socket that libcurl last asked about tells.
  func uses(_ cut: OpenConnections.Cut) -> Bool {
    if let ports { return ports == cut.ports }
    return socketID == cut.id
  }

  /// Ends the exchange because its connection brought bytes without end, and nothing in them.
  func endFlooded() {
    let sender = if ports == nil, let proxy = route.proxy { "The proxy \(proxy)" } else { "The server" }
    end(
      failure
        ?? LupineError(
          .malformedResponse,
          "\(sender) keeps sending what is no part of a response, such as empty frames; its connection is closed."))
  }
}
