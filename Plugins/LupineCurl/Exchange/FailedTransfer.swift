import CLibcurl
import LupineCore
import LupineEventLoop

/// A transfer that has failed: decides which error its exchange ends with.
struct FailedTransfer {
  let code: CURLcode
  let url: HTTPURL
  let route: Route
  /// libcurl's own message; empty if there is none.
  var text = ""
  /// Whether the request had a connection when it failed.
  var hasConnection = false
  /// Whether the request had an HTTP/2 stream.
  var isMultiplexed = false
  /// The operating system's code for a connection that failed.
  var systemCode: Int32 = 0
  /// Whether the server has reported that it did not process the request.
  var isUnprocessed = false
  /// The system's error if no descriptor was available for a connection.
  var socketError: SystemError?
  /// The address that the network policy refused last.
  var refusedAddress: IPAddress?
  /// The status code of the proxy's last interim response to CONNECT.
  var interimCode: Int?
  /// The status code of the proxy's response to CONNECT; 0 without one.
  var connectCode = 0
  /// The reply of a SOCKS proxy.
  var proxyReply = CURLPX_OK

  var error: LupineError {
    if !hasConnection, let socketError { return socketError.failure("A socket cannot be created") }
    if isUnprocessed { return RequestStream.unprocessed }
    if !hasConnection, let error = routeError { return error }
    return CurlError.error(
      code, text: text, system: systemCode, hasConnection: hasConnection, isMultiplexed: isMultiplexed)
  }

  /// Whether a SOCKS proxy could not reach the target's address, so that another address may be reached.
  var concernsTarget: Bool {
    guard code == CURLE_PROXY, !hasConnection else { return false }
    switch proxyReply {
    case CURLPX_REPLY_CONNECTION_REFUSED, CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE,
      CURLPX_REPLY_TTL_EXPIRED, CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED, CURLPX_REPLY_NOT_ALLOWED,
      CURLPX_REPLY_GENERAL_SERVER_FAILURE:
      return true
    default: return false
    }
  }

  /// The error of the route to the server; nil for other failures.
  private var routeError: LupineError? {
    if code == CURLE_COULDNT_CONNECT, let refusedAddress {
      return NetworkPolicy.refusal(of: refusedAddress, for: url)
    }
    if code == CURLE_INTERFACE_FAILED, let address = route.connectionKey.localAddress {
      return LupineError(.connectionFailed, "No connection can be made from \(address), the local address. \(detail)")
    }
    if code == CURLE_COULDNT_CONNECT, let path = route.unixSocket {
      return LupineError(
        .connectionFailed, "No connection can be made to the socket \(path); is its server running? \(detail)")
    }
    return route.proxy.flatMap { error(of: $0) }
  }

  private var detail: String {
    "(libcurl \(code.rawValue): \(text.isEmpty ? String(cString: curl_easy_strerror(code)) : text))"
  }

  private func error(of proxy: Proxy) -> LupineError? {
    if let interimCode {
      return LupineError(
        .proxyFailed,
        "The proxy \(proxy) sent an interim response (\(interimCode)) to CONNECT, after which libcurl opens no tunnel. "
          + "Use the native transport, which opens the tunnel. \(detail)")
    }
    switch code {
    case CURLE_PROXY:
      return LupineError(.proxyFailed, "\(rejection(by: proxy)) \(detail)")
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
      return LupineError(.proxyFailed, "The proxy \(proxy) made no connection. \(detail)")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_OK, CURLE_WEIRD_SERVER_REPLY:
      return LupineError(.proxyFailed, "The proxy \(proxy) ended the connection before the request was sent. \(detail)")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR:
      guard proxy.kind == .https, connectCode == 0 else { return nil }
      let kind: LupineError.Kind = code == CURLE_SSL_CONNECT_ERROR ? .tlsFailed : .certificateRejected
      return LupineError(kind, "The TLS connection to the proxy \(proxy) could not be made. \(detail)")
    default: return nil
    }
  }

  /// The reason for which a SOCKS proxy rejected the request (RFC 1928 section 6, RFC 1929 section 2).
  private func rejection(by proxy: Proxy) -> String {
    switch proxyReply {
    case CURLPX_USER_REJECTED: "The proxy \(proxy) does not accept the name and password that it was given."
    case CURLPX_NO_AUTH where proxy.credential == nil:
      "The proxy \(proxy) requires authentication; give it a name and a password."
    case CURLPX_NO_AUTH: "The proxy \(proxy) does not support names and passwords, and requires another method."
    case CURLPX_REPLY_NOT_ALLOWED: "The rules of the proxy \(proxy) forbid the connection."
    default: "The proxy \(proxy) made no connection."
    }
  }
}

extension FailedTransfer {
  init(_ code: CURLcode, of exchange: Exchange, _ easy: Easy) {
    self.init(code: code, url: exchange.url, route: exchange.route, text: easy.errorText)
    hasConnection = exchange.ports != nil
    isMultiplexed = exchange.stream.number != nil
    systemCode = Int32(truncatingIfNeeded: easy.number(CURLINFO_OS_ERRNO))
    isUnprocessed = exchange.isUnprocessed
    socketError = exchange.setup?.socketError
    refusedAddress = exchange.setup?.refusedAddress
    interimCode = exchange.setup?.tunnel?.interimCode
    connectCode = easy.number(CURLINFO_HTTP_CONNECTCODE)
    proxyReply = CURLproxycode(UInt32(clamping: easy.number(CURLINFO_PROXY_ERROR)))
  }

  /// The error of an exchange whose request libcurl must not resend.
  static let connectionLost = LupineError(
    .connectionLost,
    "The connection ended before the response began; whether the server has acted on the request is not known.")

  static let needsHTTP1 = LupineError(
    .other, "The server requires HTTP/1.1 for this request (HTTP_1_1_REQUIRED); request that version.")

  /// The error of an exchange whose connection received many bytes that are not part of a response.
  ///
  /// - Parameter proxy: the proxy, if it has sent the bytes.
  static func flooded(by proxy: Proxy?) -> LupineError {
    LupineError(
      .malformedResponse,
      "\(proxy.map { "The proxy \($0)" } ?? "The server") keeps sending bytes that are not part of a response, such as "
        + "empty frames; its connection is closed.")
  }
}
