import CLibcurl
import LupineCore

extension Exchange {
  /// Whether the exchange uses a proxy's tunnel to the server.
  var isTunnelled: Bool { route.isTunnelled(url.scheme) }

  /// Whether libcurl may connect to an address; if not, libcurl tries the next address of the host.
  ///
  /// The network policy decides. The policy does not apply to a proxy's own address; the addresses that the proxy
  /// connects to have been checked before.
  func mayDial(_ address: IPAddress?) -> Bool {
    // The request must not be resent, so libcurl must not open a connection for it.
    guard !isResent else {
      failure = failure ?? resendRefusal
      return false
    }
    guard let policy = route.networkPolicy, !route.hasProxy, let address, !policy.allows(address) else {
      return true
    }
    rareState().refusedAddress = address
    return false
  }

  /// Whether the network policy allows the address of a connection, including a reused one.
  func mayUse(_ address: UnsafeMutablePointer<CChar>?) -> Bool {
    guard route.networkPolicy != nil, !route.hasProxy, route.unixSocket == nil else { return true }
    let dialled = address.flatMap { IPAddress(String(String(cString: $0).prefix { $0 != "%" })) }
    if let dialled, mayDial(dialled) { return true }
    failure = failure ?? NetworkPolicyRefusal.error(dialled, url)
    return false
  }

  /// Makes the proxy try the host's next address after an unreachable one, as libcurl does without a proxy.
  ///
  /// Returns false if there is no other address, or if the failure has another cause.
  func triesNextTarget(after code: CURLcode, _ easy: Easy) -> Bool {
    guard code == CURLE_PROXY, failure == nil, ports == nil,
      (rare?.unreachedTargets ?? 0) + 1 < submission.target.addresses.count,
      Self.isAboutTarget(CURLproxycode(UInt32(clamping: easy.number(CURLINFO_PROXY_ERROR))))
    else { return false }
    let rare = rareState()
    do throws(LupineError) {
      return try beginAnew(easy) { (easy) throws(LupineError) in
        rare.unreachedTargets += 1
        try easy.set(target: submission.target.addresses[rare.unreachedTargets], url)
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
  func beginAnew(
    _ easy: Easy, replacesIdle: Bool = false, _ prepare: (Easy) throws(LupineError) -> Void = { _ in }
  ) throws(LupineError) -> Bool {
    let (clock, now) = (self.clock, Moment.now)
    let timeout = submission.connectTimeout.map { clock.rest(of: $0, at: now) }
    // libcurl counts milliseconds, and reads 0 as no limit.
    if let timeout, timeout < .milliseconds(1) { return false }
    easy.prepareAgain(connectTimeout: timeout)
    try prepare(easy)
    self.clock.startAgain(at: now)
    if replacesIdle { try multi.addAgainInPlaceOfIdle(easy) } else { try multi.addAgain(easy) }
    return true
  }

  /// Whether a SOCKS proxy rejected the target address, and not the client.
  private static func isAboutTarget(_ code: CURLproxycode) -> Bool {
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
    if code == CURLE_COULDNT_CONNECT, let refusedAddress = rare?.refusedAddress {
      return NetworkPolicyRefusal.error(refusedAddress, url)
    }
    let words = easy.errorText.isEmpty ? String(cString: curl_easy_strerror(code)) : easy.errorText
    let tail = "(libcurl \(code.rawValue): \(words))"
    if code == CURLE_INTERFACE_FAILED, let address = route.identity.localAddress {
      return LupineError(.connectionFailed, "No connection can be made from \(address), the local address. \(tail)")
    }
    if code == CURLE_COULDNT_CONNECT, let path = route.unixSocket {
      return LupineError(
        .connectionFailed, "No connection can be made to the socket \(path); is its server running? \(tail)")
    }
    guard let proxy = route.proxy else { return nil }
    switch code {
    case CURLE_PROXY:
      return LupineError(.proxyFailed, "\(refusal(by: proxy, easy)) \(tail)")
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
      return LupineError(.proxyFailed, "The proxy \(proxy) made no connection. \(tail)")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_OK, CURLE_WEIRD_SERVER_REPLY:
      return LupineError(.proxyFailed, "The proxy \(proxy) broke off before there was a connection. \(tail)")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR:
      guard proxy.kind == .https, easy.number(CURLINFO_HTTP_CONNECTCODE) == 0 else { return nil }
      let kind: LupineError.Kind = code == CURLE_SSL_CONNECT_ERROR ? .tlsFailed : .certificateRejected
      return LupineError(kind, "The proxy \(proxy) could not be spoken to over TLS. \(tail)")
    default: return nil
    }
  }

  /// The reason for which a SOCKS proxy rejected the request (RFC 1928 section 6, RFC 1929 section 2).
  private func refusal(by proxy: Proxy, _ easy: Easy) -> String {
    switch CURLproxycode(UInt32(clamping: easy.number(CURLINFO_PROXY_ERROR))) {
    case CURLPX_USER_REJECTED: "The proxy \(proxy) does not accept the name and password that it was given."
    case CURLPX_NO_AUTH where proxy.credential == nil:
      "The proxy \(proxy) wants to know who asks; give it a name and a password."
    case CURLPX_NO_AUTH: "The proxy \(proxy) takes no name and password, and nobody without another proof."
    case CURLPX_REPLY_NOT_ALLOWED: "The rules of the proxy \(proxy) forbid the connection."
    default: "The proxy \(proxy) made no connection."
    }
  }
}

extension Exchange {
  /// Records that the system has no descriptor for the exchange's connection (EMFILE or ENFILE).
  func hasNoSocket(_ error: SystemError) {
    if error.isDescriptorShortage { rareState().socketError = error }
  }

  /// Restarts the transfer once, if no descriptor was available and an idle connection can be closed.
  func beginsAnewWithRoom() -> Bool {
    guard let rare, rare.socketError != nil, failure == nil, ports == nil, let easy else { return false }
    guard !rare.hasMadeRoom, loop.makeRoom(in: multi) else { return false }
    rare.hasMadeRoom = true
    let error = rare.socketError
    rare.socketError = nil
    do throws(LupineError) {
      if try beginAnew(easy, replacesIdle: true) { return true }
      rare.socketError = error
      return false
    } catch {
      failure = error
      return false
    }
  }

  /// The error for a missing descriptor; nil if there was no such failure.
  var descriptorError: LupineError? {
    guard ports == nil, let error = rare?.socketError else { return nil }
    return error.failure("A socket cannot be made")
  }
}

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
