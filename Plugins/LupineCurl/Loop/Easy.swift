import CLibcurl
import COpenSSL
import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineSupport
import LupineTLS

/// An easy handle that serves one exchange after another and caches its options.
final class Easy {
  /// The exchange that the handle serves, without a reference.
  ///
  /// The loop's table holds a reference until the exchange is over. The handle is detached from the exchange before
  /// that.
  private(set) var exchangeReference: Unmanaged<Exchange>?
  let multi: Multi
  let watchdog: Watchdog
  /// Without dynamic checks of exclusive access, which each line of a head would pay for.
  ///
  /// Only the loop's thread uses the reader, and its methods call no other code of this module.
  @exclusivity(unchecked) var headReader: HeadReader
  let handle: EasyHandle
  let target: URLHandle
  var fieldList = StringList()
  var fields: SentFields?
  var shape: RequestShape?
  var method: String?
  var verbatimTarget: String?
  /// The connect timeout that is set on the handle; `.some(nil)` if the handle has none, `nil` if it was never set.
  var connectTimeout: Duration??
  /// The number of the interface of a link-local address; 0 for any other host.
  var addressScope = 0
  var isReuseForbidden = false
  var isVerbose = false
  var waitsForMultiplexing = false
  var negotiatesVersion = false
  var uploadBuffer = 0
  var verifiesHostName = true
  var prunesNameCache = true
  /// Whether `bodyArrived` receives each line of a head before libcurl stores it; see `refuses(headLine:)`.
  private var checksHeadLines = false
  private var lastAddress: RemoteAddress?
  /// The settings of the last exchange's session.
  var settings: ExchangeSettings?
  var connections = ConnectionOptions()
  /// Whether libcurl makes a connection for the exchange and uses no other one.
  var makesConnection = false
  var addresses = StringList()
  /// Whether `addresses` were resolved for the current exchange.
  var hasAddresses = false
  var connectTo = StringList()
  var hasConnectTo = false
  var proxyAuthorization: String?
  var proxyFields = StringList()

  init(_ multi: Multi) throws(LupineError) {
    self.multi = multi
    watchdog = multi.loop.watchdog
    headReader = HeadReader(Limits(), multi.loop.headCache)
    handle = try EasyHandle()
    target = try URLHandle()
    multi.settings.apply(to: handle)
    lupine_easy_set_url(handle.pointer, target.pointer)
    Callbacks.install(self, of: multi, on: handle.pointer)
  }

  /// The exchange that the handle serves, with a reference.
  var exchange: Exchange? { exchangeReference?.takeUnretainedValue() }

  func attach(to exchange: Exchange) { exchangeReference = Unmanaged.passUnretained(exchange) }

  /// Detaches the handle from its exchange.
  func detach() {
    exchangeReference = nil
    set(isVerbose: false)
  }

  /// Prepares the `SSL_CTX` of a new connection of the exchange; false if the connection must not be made.
  func prepareTLS(_ context: OpaquePointer) -> Bool {
    let isNested = hasSecureProxy && !isBeforeTunnel
    guard let handshake = beginHandshake(),
      HandshakeCallbacks.install(handshake, on: context, isNested: isNested)
    else { return false }
    do throws(LupineError) { try OfferedAlgorithms.apply(multi.settings.algorithms, to: context) } catch {
      exchange?.record(failure: error)
      return false
    }
    return true
  }

  private var hasSecureProxy: Bool { multi.route.proxy?.kind == .https }

  /// Whether the proxy has not answered CONNECT.
  ///
  /// After the response to CONNECT, libcurl has its status code.
  private var isBeforeTunnel: Bool { number(CURLINFO_HTTP_CONNECTCODE) == 0 }

  /// Creates the handshake state for a new connection of the exchange: for its proxy first, then for its server.
  ///
  /// Returns nil if the connection must not be made.
  private func beginHandshake() -> Handshake? {
    guard let exchange, multi.isReadyForTLS, let roots = roots(for: exchange) else { return nil }
    let (context, connectionKey, watchdog) = (exchange.context, multi.route.connectionKey, watchdog)
    let excludingTime: Handshake.Wrapper = { watchdog.excludingTime($0) }
    if let proxy = multi.route.proxy, hasSecureProxy, isBeforeTunnel {
      return Handshake(
        for: exchange, with: .proxy(proxy, in: context), roots, connectionKey, excludingTime: excludingTime)
    }
    let handshake = Handshake(
      for: exchange, with: .server(exchange.url, in: context), roots, connectionKey, excludingTime: excludingTime)
    exchange.connectionSetup().handshake = handshake
    return handshake
  }

  private func roots(for exchange: Exchange) -> TrustedRoots? {
    do throws(LupineError) { return try multi.roots() } catch {
      exchange.record(failure: error)
      return nil
    }
  }

  /// Processes a line of a head or of trailers; false ends the exchange.
  func receive(line: UnsafeRawBufferPointer) -> Bool {
    if checksHeadLines {
      // `bodyArrived` has received the line.
      if exchangeReference?._withUnsafeGuaranteedRef({ $0.awaitsTunnel }) == true { return true }
      if line.isField { set(checksHeadLines: false) }
    }
    return watchdog.excludingTime {
      headReader.matchesCachedHead(line)
        || exchangeReference?._withUnsafeGuaranteedRef { $0.receive(line: line, self) } == true
    }
  }

  /// Processes a piece of the body, or a line of a head that libcurl has not stored yet; returns its size or an error.
  func receive(piece: UnsafeRawBufferPointer, _ exchange: Exchange) -> Int {
    guard checksHeadLines else { return exchange.receive(piece: piece, self) }
    if exchange.awaitsTunnel {
      let isAccepted = exchange.record(failureOf: { () throws(LupineError) in
        try exchange.setup?.receive(changeableTunnelLine: UnsafeMutableRawBufferPointer(mutating: piece), of: exchange)
        return true
      })
      return isAccepted ? piece.count : Int(CURL_WRITEFUNC_ERROR)
    }
    return refuses(headLine: piece, exchange) ? Int(CURL_WRITEFUNC_ERROR) : piece.count
  }

  /// Ends the exchange if a line of a head begins with white space and no field precedes the line.
  ///
  /// libcurl before 8.1 appends such a line to the last field of the handle's previous transfer, whose memory it has
  /// freed. With `CURLOPT_HEADER`, libcurl passes each line to `bodyArrived` before it stores the line. So the option
  /// is on until the handle has stored a field of the current transfer.
  ///
  /// - Returns: whether the exchange ends.
  private func refuses(headLine line: UnsafeRawBufferPointer, _ exchange: Exchange) -> Bool {
    guard line.isContinuation else { return false }
    _ = exchange.receive(line: line, self)
    return true
  }

  /// Sets whether libcurl passes lines of heads to `bodyArrived` first; no effect from libcurl 8.1 on.
  func set(checksHeadLines checks: Bool) {
    guard checks != checksHeadLines, LibcurlInfo.keepsLastField else { return }
    handle.set(CURLOPT_HEADER, checks ? 1 : 0)
    checksHeadLines = checks
  }

  /// Processes libcurl's debug output.
  ///
  /// The relevant parts are the lines that `VerboseText` parses, and the content of a challenge that libcurl answers
  /// itself.
  func receive(debug bytes: UnsafeRawBufferPointer, _ kind: curl_infotype) {
    switch kind {
    case CURLINFO_TEXT:
      guard let text = VerboseText(bytes) else { return }
      if text == .surplus { forbidReuse() }
      exchange?.process(text)
    case CURLINFO_DATA_IN: watchdog.excludingTime { exchange?.authentication?.challenge?.content?.process(bytes) }
    default: break
    }
  }

  /// Whether libcurl may resolve the host itself; false stops the transfer, and the exchange starts the lookup.
  func mayResolve(for exchange: Exchange) -> Bool {
    let host = multi.route.endpoint(for: exchange.url).host.lowercased()
    // libcurl also calls back for the local address, after the host's name.
    if size(CURLINFO_NAMELOOKUP_TIME_T) > 0 || NameLookup.isLeftToLibcurl(host) { return true }
    exchange.connectionSetup().requireLookup()
    return false
  }

  /// Opens a socket for an address; returns -1 if the network policy does not allow the address or the socket cannot be
  /// created.
  func openSocket(for address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
    guard exchange?.mayConnect(to: IPAddress(address)) != false else { return socketFailed() }
    do throws(SystemError) {
      let descriptor = try Socket.open(for: address)
      exchange?.setup?.socketError = nil
      multi.loop.recordOpened(descriptor, for: multi, exchange)
      exchange?.setSocket(descriptor)
      if let exchange, let target = IPAddress(address) {
        multi.loop.recordAttempt(descriptor, to: target, of: exchange)
      }
      return descriptor
    } catch {
      exchange?.connectionSetup().record(error)
      return socketFailed()
    }
  }

  /// Records that a connection to an address has failed, and returns libcurl's value for a missing socket.
  private func socketFailed() -> Int32 {
    if let exchange { multi.recordFailedConnect(of: exchange) }
    return CURL_SOCKET_BAD
  }

  var pointer: UnsafeMutableRawPointer { handle.pointer }

  /// libcurl's message for its last failure; empty if there is none.
  var errorText: String { handle.errorText }

  func number(_ info: CURLINFO) -> Int { handle.number(info) }

  func size(_ info: CURLINFO) -> Int64 { handle.size(info) }

  /// The `SSL` object of the current exchange's connection; `nil` without TLS.
  var connection: OpaquePointer? { lupine_easy_tls(pointer).map { OpaquePointer($0) } }

  private var isSecured: Bool {
    exchangeReference?._withUnsafeGuaranteedRef { $0.submission.isSecured } == true
  }

  /// Whether the connection may have HTTP/2; with TLS, whether the server has selected it (RFC 9113 section 3.2).
  ///
  /// libcurl accepts a status line with HTTP/2 over a connection of HTTP/1.1 too. The content would then have no framing,
  /// and a part of it would count as the whole.
  var mayHaveStreams: Bool {
    guard isSecured, let connection else { return true }
    var (name, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
    SSL_get0_alpn_selected(connection, &name, &count)
    return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
  }

  /// Whether OpenSSL has decrypted bytes that libcurl has not read.
  ///
  /// The poller does not report such bytes.
  var hasDecryptedBytes: Bool {
    guard multi.route.hasSecuredProxy || isSecured, let connection else { return false }
    return SSL_pending(connection) > 0
  }

  /// The TLS details of a connection that other exchanges may share.
  var sharedDetails: TLSDetails? { connection.map { multi.details(of: $0) } }

  /// The descriptor of the current exchange's connection; -1 if there is none.
  var descriptor: Int32 { lupine_easy_descriptor(pointer) }

  /// The text of the address that the handle last connected to.
  var remoteAddress: String? { lastAddress?.text }

  /// The IP address that the handle last connected to; `nil` if it has none.
  var remoteIP: IPAddress? { lastAddress?.address }

  /// Stores the address of the current connection; an unchanged address keeps its text.
  func setRemoteAddress(_ address: UnsafePointer<CChar>?, port: Int32) {
    if lastAddress?.matches(address, port) != true { lastAddress = RemoteAddress(address, port) }
  }

  /// Makes libcurl close the connection after this exchange.
  func forbidReuse() {
    handle.set(CURLOPT_FORBID_REUSE, 1)
    isReuseForbidden = true
  }

  /// Turns libcurl's verbose text on or off; `VerboseText` parses it.
  func set(isVerbose verbose: Bool) {
    guard verbose != isVerbose else { return }
    handle.set(CURLOPT_VERBOSE, verbose ? 1 : 0)
    isVerbose = verbose
  }

}

/// The remote address of a connection, in libcurl's form and as text.
struct RemoteAddress {
  let text: String
  /// `nil` if the connection has no IP address.
  let address: IPAddress?
  private let host: [CChar]
  private let port: Int32

  init(_ address: UnsafePointer<CChar>?, _ port: Int32) {
    let host = address.map { String(cString: $0) } ?? ""
    self.host = Array(host.utf8CString)
    self.port = port
    self.address = IPAddress(String(host.prefix { $0 != "%" }))
    text = host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  func matches(_ address: UnsafePointer<CChar>?, _ port: Int32) -> Bool {
    guard let address, port == self.port else { return false }
    return Memory.isEqual(address, host)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether a line of a head begins with white space.
  fileprivate var isContinuation: Bool { first == 0x20 || first == 0x09 }

  /// Whether a line of a head is neither a status line nor the end of the head.
  fileprivate var isField: Bool { !starts(with: "HTTP/".utf8) && first != 0x0D && first != 0x0A }
}
