import CLibcurl
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineTLS

/// The connection of an exchange: which one it may use, and what is tried after a failure.
extension Exchange {
  /// Whether libcurl may connect to an address; if not, libcurl tries the next address of the host.
  func mayConnect(to address: IPAddress?) -> Bool {
    guard mayConnect() else { return false }
    if route.allows(address) { return true }
    connectionSetup().refusedAddress = address
    return false
  }

  /// Whether the network policy allows the address of a connection, including a reused one.
  private func mayUseConnection(to address: UnsafeMutablePointer<CChar>?) -> Bool {
    guard route.networkPolicy != nil, !route.hasProxy, route.unixSocket == nil else { return true }
    let remote = address.flatMap { IPAddress(String(String(cString: $0).prefix { $0 != "%" })) }
    if let remote, mayConnect(to: remote) { return true }
    record(failure: NetworkPolicy.refusal(of: remote, for: url))
    return false
  }

  /// Whether libcurl may send the request on its connection; called each time before libcurl sends the request.
  ///
  /// libcurl resends a request after REFUSED_STREAM. Some versions also resend a request, even a POST, if a reused
  /// connection ends before the response. The session makes this decision, so this function allows the request once.
  func maySendRequest(
    localPort: Int32, remotePort: Int32, address: UnsafeMutablePointer<CChar>?, _ easy: Easy
  ) -> Bool {
    loop.closeRace(of: id)
    if attempts.count > 1 { loop.removeClosedAttempts(of: self) }
    if let authentication,
      record(failureOf: { () throws(LupineError) in
        try authentication.beginRound(hasSurplus: easy.hasDecryptedBytes)
      })
    {
      easy.headReader.prepareForNextHead()
      connection.beginRound()
    }
    guard ports == nil else {
      if incoming.writer == nil { record(failure: resendError) } else { upload.isAbandoned = true }
      return false
    }
    guard let peer = multi.replacedPeers[localPort] else {
      return take(localPort: localPort, remotePort: remotePort, address: address, easy)
    }
    return "\(peer)".withCString {
      take(localPort: localPort, remotePort: remotePort, address: UnsafeMutablePointer(mutating: $0), easy)
    }
  }

  /// Takes the connection that libcurl has chosen; returns false if the exchange must not use it.
  private func take(
    localPort: Int32, remotePort: Int32, address: UnsafeMutablePointer<CChar>?, _ easy: Easy
  ) -> Bool {
    let isReused = easy.number(CURLINFO_NUM_CONNECTS) == 0
    guard isTrusted(isReused: isReused), mayUseConnection(to: address) else { return false }
    easy.setRemoteAddress(address, port: remotePort)
    let ports =
      route.unixSocket == nil
      ? SocketPorts(local: localPort, remote: remotePort, easy.remoteIP)
      : SocketPorts(unixSocket: loop.unixDescriptor(of: self, easy, isReused: isReused))
    connection.begin(ports, isReused: isReused)
    if submission.version == .http2 { connection.shared = loop.sockets.connection(ports, of: multi) }
    if submission.isSecured { connection.tls = loop.details(of: easy) }
    clock.isReused = isReused
    emitConnectionEvents(easy, isReused)
    return true
  }

  /// Whether the connection's server has been verified; a reused connection was verified when it was made.
  private func isTrusted(isReused: Bool) -> Bool {
    guard !isReused, submission.isSecured, context.evaluator != nil, setup?.handshake?.isTrusted != true else {
      return true
    }
    record(failure: LupineError(.certificateRejected, "The server's certificate was not verified."))
    return false
  }

  /// The remote address of the exchange's connection; nil if there is no connection yet.
  func remoteAddress(_ easy: Easy) -> String? {
    guard ports != nil else { return nil }
    if let path = route.unixSocket { return "unix:\(path)" }
    return easy.remoteAddress
  }

  /// Emits the events of the connection, and `sent` for a request without a body.
  private func emitConnectionEvents(_ easy: Easy, _ isReused: Bool) {
    if upload.isEmpty { clock.recordSent(at: MonotonicClock.now) }
    guard context.isObserved else { return }
    if !isReused { emitNameResolved(easy) }
    context.emit(.connected(address: remoteAddress(easy) ?? "", isReused: isReused))
    if !isReused, let tls = connection.tls { context.emit(.secured(tls)) }
    if upload.isEmpty { context.emit(.sent(bytes: 0)) }
  }

  func emitNameResolved(_ easy: Easy) {
    let clock = clock
    guard let time = clock.nameLookup(easy.handle) else { return }
    context.emit(.nameResolved(host: route.proxy?.host ?? url.host, after: time))
  }

  /// Stores the descriptor that libcurl uses for the exchange.
  func setSocket(_ descriptor: Int32) {
    connection.setSocket(descriptor, loop.sockets[descriptor], isUnix: route.unixSocket != nil)
  }
}
