import CLibcurl
import Glibc
import HTTPTypes
import LupineCore
import LupineSupport

/// An easy handle that is used for one exchange after the other, and remembers what it is set to.
final class Easy {
  /// The exchange it serves: without a count of references, since the loop's table holds one until the exchange is over,
  /// which it leaves the handle before.
  private(set) var served: Unmanaged<Exchange>?
  /// The handle behind it among those of its multi that are not in use.
  var nextIdle: Easy?
  private let multi: Multi
  let watch: LibraryWatch
  let headReader: HeadReader
  private let handle: EasyHandle
  private let target: TargetURL
  private var list = FieldList()
  private var fields: RequestFields?
  private var shape: RequestShape?
  private var method: String?
  private var verbatimTarget: String?
  /// Nothing yet, or what is set, which may be that there is none.
  private var connectTimeout: Duration??
  private var isReuseForbidden = false
  private var hearsText = false
  private var waitsForMultiplexing = false
  private var uploadBuffer = 0
  private var checksName = true
  private var forgetsNames = true
  private var lastAddress: RemoteAddress?
  /// What the last exchange's session tells of all its exchanges.
  private var settings: ExchangeSettings?
  private var connections = ConnectionOptions()
  private var addresses = FieldList()
  /// Whether the addresses were found for the exchange under way.
  private var hasAddresses = false
  private var detour = FieldList()
  private var isDetoured = false
  private var proxyAuthorization: String?
  private var proxyFields = FieldList()

  init(_ multi: Multi) throws(LupineError) {
    self.multi = multi
    watch = multi.loop.watch
    headReader = HeadReader(Limits(), multi.loop.lines, mayBeMultiplexed: false)
    handle = try EasyHandle()
    target = try TargetURL()
    multi.settings.apply(to: handle)
    lupine_easy_set_url(handle.pointer, target.pointer)
    Callbacks.install(self, of: multi, on: handle.pointer)
    TrustCallbacks.install(self, on: handle.pointer)
  }

  /// The exchange it serves, for as long as the caller likes.
  var exchange: Exchange? { served?.takeUnretainedValue() }

  func serve(_ exchange: Exchange) { served = Unmanaged.passUnretained(exchange) }

  /// Leaves its exchange.
  func leave() {
    served = nil
    set(hearsText: false)
  }

  /// Makes what judges the server, or first the proxy, of a connection that libcurl begins for the exchange; nil where it
  /// must not.
  func beginHandshake() -> Handshake? {
    guard let exchange, multi.isReadyForTLS, let roots = roots(for: exchange) else { return nil }
    // Within the tunnel libcurl knows the proxy's answer to CONNECT.
    if let proxy = multi.route.proxy, proxy.kind == .https, number(CURLINFO_HTTP_CONNECTCODE) == 0 {
      return Handshake(exchange, with: .proxy(proxy, of: exchange), roots)
    }
    let handshake = Handshake(exchange, with: .server(of: exchange), roots)
    exchange.rareState().handshake = handshake
    return handshake
  }

  private func roots(for exchange: Exchange) -> TrustedRoots? {
    do throws(LupineError) { return try multi.roots() } catch {
      exchange.failure = exchange.failure ?? error
      return nil
    }
  }

  /// Takes a line of a head or of trailers; false ends the exchange.
  func receive(line: UnsafeRawBufferPointer) -> Bool {
    watch.aside {
      headReader.passes(line) || served?._withUnsafeGuaranteedRef { $0.receive(line: line, headReader) } == true
    }
  }

  /// Opens a socket for an address that the exchange may connect to; -1 where it may not.
  func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
    let isAllowed = exchange?.mayDial(IPAddress(address)) != false
    let descriptor = isAllowed ? lupine_open_socket(address) : -1
    if isAllowed, descriptor < 0 { exchange?.hasNoSocket(errno) }
    if descriptor >= 0 {
      exchange?.rare?.lacksDescriptor = nil
      multi.loop.opened(descriptor, for: multi)
      exchange?.take(socket: descriptor)
    } else {
      multi.hasFailedDial = true
    }
    return descriptor
  }

  var pointer: UnsafeMutableRawPointer { handle.pointer }

  /// What libcurl says about its last failure; empty without one.
  var errorText: String { handle.errorText }

  func number(_ info: CURLINFO) -> Int { handle.number(info) }

  func size(_ info: CURLINFO) -> Int64 { handle.size(info) }

  /// OpenSSL's connection of the exchange under way; `nil` without TLS.
  var connection: OpaquePointer? { lupine_easy_tls(pointer).map { OpaquePointer($0) } }

  /// How the connection of the exchange under way is secured, where others may share it.
  var sharedDetails: TLSDetails? { connection.map { multi.details(of: $0) } }

  /// The descriptor of the exchange under way; -1 without one.
  var descriptor: Int32 { lupine_easy_descriptor(pointer) }

  /// Sets what differs from the last exchange.
  func prepare(_ submission: Submission, _ shape: RequestShape) throws(LupineError) {
    let (version, isSecured) = (submission.version, submission.isSecured)
    headReader.begin(mayBeMultiplexed: version == .http2)
    set(hearsText: version == .http2)
    handle.clearError()
    set(forgetsNames: true)
    if try target.set(submission.url) {
      set(verbatimTarget: submission.url.verbatimTarget(by: multi.route.proxy))
      if fields?.suit(submission.url) == false { fields = nil }
    }
    set(waitsForMultiplexing: version == .http2 && (isSecured || !multi.route.breaksPlainConnections))
    set(shape, method: submission.method.rawValue)
    try setFields(submission.request, shape)
    if isSecured { set(checksName: submission.context.evaluator?.replacesVerification != true) }
    set(connectTimeout: submission.connectTimeout)
    if isReuseForbidden { handle.set(CURLOPT_FORBID_REUSE, 0) }
    isReuseForbidden = false
    take(submission.settings, isSecured: isSecured)
    if hasAddresses { forgetAddresses() }
    if multi.route.overridesResolver { try setAddresses(submission.identity, submission.url) }
    guard multi.route.hasProxy else { return }
    try set(proxyAuthorization: submission.context.proxyAuthorization)
    try set(target: submission.target.addresses.first, submission.url)
  }

  /// Takes what the exchange's session tells of all its exchanges, where it is not what the last one was told.
  private func take(_ settings: ExchangeSettings, isSecured: Bool) {
    if settings !== self.settings || multi.route.breaksPlainConnections {
      self.settings = settings
      headReader.keep(to: settings.limits)
      multi.keep(settings.connections.idleLifetime)
      set(settings.connections, mayBeShared: isSecured || !multi.route.breaksPlainConnections)
    }
    if !connections.isKeptAlive, !isConnectionDiscarded { forbidReuse() }
  }

  /// Whether the connection is closed by the loop after the exchange, because it must not be used again.
  ///
  /// Over HTTP/2 the transport does not ask libcurl to close a connection. So if libcurl closes one, the connection has
  /// failed.
  var isConnectionDiscarded: Bool { !connections.isKeptAlive && multi.route.version == .http2 }

  /// Has the transfer begin anew within the time that is left.
  func prepareAgain(connectTimeout timeout: Duration?) {
    handle.clearError()
    set(connectTimeout: timeout)
  }

  /// Names the addresses of the host that the transfer connects to.
  ///
  /// libcurl keeps them for as long as it keeps those that it looks up itself.
  func set(_ found: [IPAddress], of dialled: (host: String, port: Int)) throws(LupineError) {
    var list = FieldList()
    let texts = found.map { $0.family == .ipv6 ? "[\($0)]" : "\($0)" }
    try list.append(raw: "+\(dialled.host):\(dialled.port):\(texts.joined(separator: ","))")
    lupine_easy_set_list(pointer, CURLOPT_RESOLVE, list.pointer)
    addresses = list
    hasAddresses = true
  }

  /// Clears the addresses, so that the next exchange does not renew them in libcurl's cache.
  private func forgetAddresses() {
    lupine_easy_set_list(pointer, CURLOPT_RESOLVE, nil)
    addresses = FieldList()
    hasAddresses = false
  }

  private func set(connectTimeout timeout: Duration?) {
    guard connectTimeout != .some(timeout) else { return }
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(timeout))
    connectTimeout = .some(timeout)
  }

  /// Names the field that the proxy alone is sent: libcurl keeps it from servers.
  private func set(proxyAuthorization value: String?) throws(LupineError) {
    guard value != proxyAuthorization else { return }
    var list = FieldList()
    if let value { try list.append(HTTPField(name: .proxyAuthorization, value: value)) }
    lupine_easy_set_list(pointer, CURLOPT_PROXYHEADER, list.pointer)
    proxyFields = list
    proxyAuthorization = value
  }

  /// Sets how connections are used; one that libcurl would break is neither kept nor shared.
  private func set(_ options: ConnectionOptions, mayBeShared: Bool) {
    var options = options
    if !mayBeShared { options.isKeptAlive = false }
    guard options != connections else { return }
    connections = options
    multi.settings.apply(options, to: handle)
  }

  /// Names the addresses of hosts; they stay in the multi, whose exchanges all have the same.
  private func setAddresses(_ identity: ConnectionKey, _ url: HTTPURL) throws(LupineError) {
    var list = FieldList()
    for (host, port) in [(url.host, url.effectivePort)] + (identity.proxy.map { [($0.host, $0.port)] } ?? []) {
      guard let addresses = identity.resolverOverrides.addresses(of: host) else { continue }
      let texts = addresses.map { $0.family == .ipv6 ? "[\($0)]" : "\($0)" }
      try list.append(raw: "\(host):\(port):\(texts.joined(separator: ","))")
    }
    lupine_easy_set_list(pointer, CURLOPT_RESOLVE, list.pointer)
    addresses = list
  }

  /// Has the proxy connect to an address in the place of the URL's host; nil leaves it the host.
  func set(target: IPAddress?, _ url: HTTPURL) throws(LupineError) {
    guard target != nil || isDetoured else { return }
    var list = FieldList()
    if let target { try list.append(raw: "::\(target.family == .ipv6 ? "[\(target)]" : "\(target)"):") }
    lupine_easy_set_list(pointer, CURLOPT_CONNECT_TO, list.pointer)
    detour = list
    isDetoured = target != nil
  }

  /// The address that it was last connected to, as people read it.
  var remoteAddress: String? { lastAddress?.text }

  /// The address that it was last connected to; `nil` where it is none of IP.
  var remoteIP: IPAddress? { lastAddress?.address }

  /// Notes the address that it is connected to, whose text is made once for as long as that stays the same.
  func isConnected(to address: UnsafePointer<CChar>?, port: Int32) {
    if lastAddress?.isSame(address, port) != true { lastAddress = RemoteAddress(address, port) }
  }

  /// Has the connection closed after this exchange.
  func forbidReuse() {
    handle.set(CURLOPT_FORBID_REUSE, 1)
    isReuseForbidden = true
  }

  /// Turns libcurl's verbose text on or off; `VerboseText` reads it.
  func set(hearsText hears: Bool) {
    guard hears != hearsText else { return }
    handle.set(CURLOPT_VERBOSE, hears ? 1 : 0)
    hearsText = hears
  }

  /// Whether to wait for a connection that is being made, rather than make another, until its version is known.
  ///
  /// Without TLS libcurl would learn the version from the first response only, and wait for that.
  private func set(waitsForMultiplexing waits: Bool) {
    guard waits != waitsForMultiplexing else { return }
    handle.set(CURLOPT_PIPEWAIT, waits ? 1 : 0)
    waitsForMultiplexing = waits
  }

  /// An evaluator that replaces the verification looks at the name itself, or means not to.
  private func set(checksName checks: Bool) {
    guard checks != checksName else { return }
    handle.set(CURLOPT_SSL_VERIFYHOST, checks ? 2 : 0)
    checksName = checks
  }

  private func set(verbatimTarget target: String?) {
    guard target != verbatimTarget else { return }
    handle.set(CURLOPT_REQUEST_TARGET, target)
    verbatimTarget = target
  }

  /// Whether libcurl looks at the end of the exchange for names that it has known for too long.
  ///
  /// It goes through its whole table, which is worth while for an exchange that makes a connection, since no other brings
  /// names. The same option says how old a name may be that an exchange needs, so that it is set back for the next.
  func set(forgetsNames forgets: Bool) {
    guard forgets != forgetsNames else { return }
    handle.set(CURLOPT_DNS_CACHE_TIMEOUT, forgets ? Self.nameLifetime : -1)
    forgetsNames = forgets
  }

  /// libcurl's own, in seconds.
  private static let nameLifetime = 60

  private func set(_ shape: RequestShape, method: String) {
    if shape != self.shape {
      handle.set(CURLOPT_HTTPGET, 1)
      switch shape {
      case .bare: break
      case .head: handle.set(CURLOPT_NOBODY, 1)
      case .body(let length):
        handle.set(CURLOPT_UPLOAD, 1)
        handle.setSize(CURLOPT_INFILESIZE_LARGE, length)
        set(uploadBuffer: (0...Self.shortBody).contains(length) ? 64 << 10 : 256 << 10)
      }
      self.shape = shape
    }
    guard method != self.method else { return }
    // libcurl treats a HEAD that it does not know as one like a GET, whose body it would wait for.
    handle.set(CURLOPT_CUSTOMREQUEST, method == "HEAD" ? nil : method)
    self.method = method
  }

  /// A long body goes out in fewer turns of the loop through a larger buffer, which costs a sixth less; one that does
  /// not fit into the processor's cache costs more again.
  private func set(uploadBuffer size: Int) {
    guard size != uploadBuffer else { return }
    handle.set(CURLOPT_UPLOAD_BUFFERSIZE, size)
    uploadBuffer = size
  }

  /// A body up to so many bytes is sent as fast through libcurl's usual buffer.
  private static let shortBody: Int64 = 1 << 20

  private func setFields(_ request: OutgoingRequest, _ shape: RequestShape) throws(LupineError) {
    if fields?.belong(to: request, shape) == true { return }
    self.fields = nil
    let fields = RequestFields(request, shape)
    let list = try fields.list()
    lupine_easy_set_fields(pointer, list.pointer)
    self.list = list
    self.fields = fields
  }

  /// libcurl reads 0 as its own default of five minutes, so no bound at all is a number that nobody waits for.
  private static func milliseconds(_ timeout: Duration?) -> Int {
    guard let timeout else { return Int(Int32.max) }
    return Int(clamping: max(1, min(timeout.nanoseconds / 1_000_000, Int64(Int32.max))))
  }
}
