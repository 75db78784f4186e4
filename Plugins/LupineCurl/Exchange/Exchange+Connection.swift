import CLibcurl
import LupineCore
import LupineEventLoop

extension Exchange {
  /// Whether the exchange uses a proxy's tunnel to the server.
  var isTunnelled: Bool { route.isTunnelled(url.scheme) }

  /// Whether libcurl may connect to an address; if not, libcurl tries the next address of the host.
  ///
  /// The network policy decides. The policy does not apply to a proxy's own address; the addresses that the proxy
  /// connects to have been checked before.
  func mayConnect(to address: IPAddress?) -> Bool {
    // The request must not be resent, so libcurl must not open a connection for it.
    guard !isResent else {
      failure = failure ?? resendError
      return false
    }
    guard let policy = route.networkPolicy, !route.hasProxy, let address, !policy.allows(address) else {
      return true
    }
    connectionSetup().refusedAddress = address
    return false
  }

  /// Whether the network policy allows the address of a connection, including a reused one.
  func mayUseConnection(to address: UnsafeMutablePointer<CChar>?) -> Bool {
    guard route.networkPolicy != nil, !route.hasProxy, route.unixSocket == nil else { return true }
    let remote = address.flatMap { IPAddress(String(String(cString: $0).prefix { $0 != "%" })) }
    if let remote, mayConnect(to: remote) { return true }
    failure = failure ?? NetworkPolicy.refusal(of: remote, for: url)
    return false
  }

  /// Makes the proxy try the host's next address after an unreachable one, as libcurl does without a proxy.
  ///
  /// Returns false if there is no other address, or if the failure has another cause.
  func tryNextTarget(after code: CURLcode, _ easy: Easy) -> Bool {
    guard code == CURLE_PROXY, failure == nil, ports == nil,
      (setup?.unreachableTargetCount ?? 0) + 1 < submission.target.addresses.count,
      Self.concernsTarget(CURLproxycode(UInt32(clamping: easy.number(CURLINFO_PROXY_ERROR))))
    else { return false }
    let setup = connectionSetup()
    do throws(LupineError) {
      return try restart(easy) { (easy) throws(LupineError) in
        setup.unreachableTargetCount += 1
        try easy.set(target: submission.target.addresses[setup.unreachableTargetCount], url)
      }
    } catch {
      failure = error
      return false
    }
  }

  /// Restarts the transfer with the remaining connect timeout; returns false if no time remains.
  ///
  /// - Parameters:
  ///   - replacesIdle: whether the oldest idle connection is closed first, to free its descriptor.
  ///   - prepare: sets the options that differ from the first attempt.
  func restart(
    _ easy: Easy, replacesIdle: Bool = false, _ prepare: (Easy) throws(LupineError) -> Void = { _ in }
  ) throws(LupineError) -> Bool {
    let (clock, now) = (self.clock, MonotonicClock.now)
    let timeout = submission.connectTimeout.map { clock.remaining(of: $0, at: now) }
    // libcurl counts milliseconds, and reads 0 as no limit.
    if let timeout, timeout < .milliseconds(1) { return false }
    loop.endRace(id)
    easy.prepareRestart(connectTimeout: timeout)
    try prepare(easy)
    self.clock.restart(at: now)
    if replacesIdle { try multi.restartReplacingIdle(easy) } else { try multi.restart(easy) }
    return true
  }

  /// Whether a SOCKS proxy rejected the target address, and not the client.
  private static func concernsTarget(_ code: CURLproxycode) -> Bool {
    switch code {
    case CURLPX_REPLY_CONNECTION_REFUSED, CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE,
      CURLPX_REPLY_TTL_EXPIRED, CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED, CURLPX_REPLY_NOT_ALLOWED,
      CURLPX_REPLY_GENERAL_SERVER_FAILURE:
      true
    default: false
    }
  }

  /// Translates libcurl's code for a failure of the route to the server; nil for other failures.
  func routeError(_ code: CURLcode, _ easy: Easy) -> LupineError? {
    guard ports == nil else { return nil }
    if code == CURLE_COULDNT_CONNECT, let refusedAddress = setup?.refusedAddress {
      return NetworkPolicy.refusal(of: refusedAddress, for: url)
    }
    let text = easy.errorText.isEmpty ? String(cString: curl_easy_strerror(code)) : easy.errorText
    let detail = "(libcurl \(code.rawValue): \(text))"
    if code == CURLE_INTERFACE_FAILED, let address = route.connectionKey.localAddress {
      return LupineError(.connectionFailed, "No connection can be made from \(address), the local address. \(detail)")
    }
    if code == CURLE_COULDNT_CONNECT, let path = route.unixSocket {
      return LupineError(
        .connectionFailed, "No connection can be made to the socket \(path); is its server running? \(detail)")
    }
    guard let proxy = route.proxy else { return nil }
    if let interim = setup?.tunnel?.interimCode {
      return LupineError(
        .proxyFailed,
        "The proxy \(proxy) sent an interim response (\(interim)) to CONNECT, after which libcurl opens no tunnel. "
          + "Use the native transport, which opens the tunnel. \(detail)")
    }
    switch code {
    case CURLE_PROXY:
      return LupineError(.proxyFailed, "\(rejection(by: proxy, easy)) \(detail)")
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
      return LupineError(.proxyFailed, "The proxy \(proxy) made no connection. \(detail)")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_OK, CURLE_WEIRD_SERVER_REPLY:
      return LupineError(.proxyFailed, "The proxy \(proxy) ended the connection before the request was sent. \(detail)")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR:
      guard proxy.kind == .https, easy.number(CURLINFO_HTTP_CONNECTCODE) == 0 else { return nil }
      let kind: LupineError.Kind = code == CURLE_SSL_CONNECT_ERROR ? .tlsFailed : .certificateRejected
      return LupineError(kind, "The TLS connection to the proxy \(proxy) could not be made. \(detail)")
    default: return nil
    }
  }

  /// The reason for which a SOCKS proxy rejected the request (RFC 1928 section 6, RFC 1929 section 2).
  private func rejection(by proxy: Proxy, _ easy: Easy) -> String {
    switch CURLproxycode(UInt32(clamping: easy.number(CURLINFO_PROXY_ERROR))) {
    case CURLPX_USER_REJECTED: "The proxy \(proxy) does not accept the name and password that it was given."
    case CURLPX_NO_AUTH where proxy.credential == nil:
      "The proxy \(proxy) requires authentication; give it a name and a password."
    case CURLPX_NO_AUTH: "The proxy \(proxy) does not support names and passwords, and requires another method."
    case CURLPX_REPLY_NOT_ALLOWED: "The rules of the proxy \(proxy) forbid the connection."
    default: "The proxy \(proxy) made no connection."
    }
  }
}

extension Exchange {
  /// Records that the system has no descriptor for the exchange's connection (EMFILE or ENFILE).
  func recordSocketFailure(_ error: SystemError) {
    if error.isDescriptorShortage { connectionSetup().socketError = error }
  }

  /// Restarts the transfer once, if no descriptor was available and an idle connection can be closed.
  func restartWithFreedDescriptor() -> Bool {
    guard let setup, setup.socketError != nil, failure == nil, ports == nil, let easy else { return false }
    guard !setup.hasFreedDescriptor, loop.freeDescriptor(in: multi) else { return false }
    setup.hasFreedDescriptor = true
    let error = setup.socketError
    setup.socketError = nil
    do throws(LupineError) {
      if try restart(easy, replacesIdle: true) { return true }
      setup.socketError = error
      return false
    } catch {
      failure = error
      return false
    }
  }

  /// The error for a missing descriptor; nil if there was no such failure.
  var descriptorError: LupineError? {
    guard ports == nil, let error = setup?.socketError else { return nil }
    return error.failure("A socket cannot be created")
  }
}

extension Exchange {
  /// Whether an ended connection belongs to this exchange.
  ///
  /// Before the request has a connection, the comparison uses the socket that libcurl last reported for the exchange.
  func uses(_ ended: OpenConnections.EndedConnection) -> Bool {
    if let ports { return ports == ended.ports }
    return connectionID == ended.id
  }

  /// Stores the descriptor that libcurl uses for the exchange.
  func setSocket(_ descriptor: Int32) {
    let watched = loop.watchedSocket(descriptor)
    socket = descriptor
    connectionID = watched?.id ?? 0
    if route.unixSocket != nil, ports != nil, watched?.isConnection == true {
      ports = SocketPorts(unixSocket: descriptor)
    }
  }

  /// The descriptor of the exchange's connection over a Unix-domain socket; -1 if libcurl has not reported it yet.
  func unixDescriptor(_ easy: Easy, isReused: Bool) -> Int32 {
    let secured = submission.isSecured ? easy.connection : nil
    if isReused { return secured.flatMap { loop.descriptor(ofTLS: $0, of: multi) } ?? -1 }
    loop.watchedSocket(socket)?.tlsConnection = secured
    return socket
  }

  /// Ends the exchange because its connection received many bytes that are not part of a response.
  func failFlooded() {
    let sender = if ports == nil, let proxy = route.proxy { "The proxy \(proxy)" } else { "The server" }
    fail(
      failure
        ?? LupineError(
          .malformedResponse,
          "\(sender) keeps sending bytes that are not part of a response, such as empty frames; its connection is closed."
        ))
  }
}
