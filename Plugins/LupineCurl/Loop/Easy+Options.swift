import CLibcurl
import HTTPTypes
import LupineCore
import LupineEventLoop
import LupineFraming
import LupineSupport

/// Sets the options of a handle, and skips those that have not changed since its last exchange.
extension Easy {
  /// Sets the options that differ from the last exchange.
  func prepare(_ submission: Submission, _ shape: RequestShape) throws(LupineError) {
    let (version, isSecured) = (submission.version, submission.isSecured)
    headReader.begin(mayBeMultiplexed: version == .http2, tolerating: submission.context.tolerances)
    set(isVerbose: version == .http2)
    if version == .http2 { set(negotiatesVersion: isSecured) }
    handle.clearError()
    set(checksHeadLines: true)
    set(prunesNameCache: true)
    if try target.set(submission.url) {
      set(verbatimTarget: submission.url.verbatimTarget(for: multi.route.proxy))
      if fields?.isValid(for: submission.url) == false { fields = nil }
    }
    // Looked up for each exchange: an interface that was made again has another number. libcurl 7.88 loses the zone of a
    // URL when it copies the URL.
    set(addressScope: Socket.interfaceNumber(of: submission.url))
    set(waitsForMultiplexing: version == .http2 && (isSecured || !multi.route.cannotSharePlainConnections))
    set(shape, method: submission.method.rawValue)
    try setFields(submission.request, shape)
    if isSecured { set(verifiesHostName: submission.context.evaluator?.replacesVerification != true) }
    set(connectTimeout: submission.connectTimeout)
    if isReuseForbidden { handle.set(CURLOPT_FORBID_REUSE, 0) }
    isReuseForbidden = false
    apply(submission.settings, isSecured: isSecured)
    set(makesConnection: submission.context.needsNewConnection || !connections.isKeptAlive)
    if hasAddresses { clearAddresses() }
    if multi.route.overridesResolver { try setAddresses(submission.connectionKey, submission.url) }
    guard multi.route.hasProxy else { return }
    try set(proxyAuthorization: submission.context.proxyAuthorization)
    try set(target: submission.target.addresses.first, submission.url)
  }

  /// Applies the settings of the exchange's session if they differ from the last ones.
  private func apply(_ settings: ExchangeSettings, isSecured: Bool) {
    if settings !== self.settings || multi.route.cannotSharePlainConnections {
      self.settings = settings
      headReader.setLimits(settings.limits)
      multi.extendIdleLifetime(to: settings.connections.idleLifetime)
      set(settings.connections, mayBeShared: isSecured || !multi.route.cannotSharePlainConnections)
    }
    if !connections.isKeptAlive, !isConnectionDiscarded { forbidReuse() }
  }

  /// Whether the loop closes the connection after the exchange, because it must not be reused.
  ///
  /// Over HTTP/2 the transport does not ask libcurl to close a connection. So if libcurl closes one, the connection has
  /// failed.
  var isConnectionDiscarded: Bool { !connections.isKeptAlive && multi.route.version == .http2 }

  /// Prepares a restart of the transfer with the remaining connect timeout.
  func prepareRestart(connectTimeout timeout: Duration?) {
    handle.clearError()
    set(checksHeadLines: true)
    set(connectTimeout: timeout)
  }

  /// Sets the addresses of the host that the transfer connects to.
  ///
  /// libcurl caches them for as long as the addresses that it resolves itself.
  func set(_ found: [IPAddress], of endpoint: (host: String, port: Int)) throws(LupineError) {
    var list = StringList()
    let texts = found.map { $0.family == .ipv6 ? "[\($0)]" : "\($0)" }
    try list.append(raw: "+\(endpoint.host):\(endpoint.port):\(texts.joined(separator: ","))")
    lupine_easy_set_list(pointer, CURLOPT_RESOLVE, list.pointer)
    addresses = list
    hasAddresses = true
    multi.record(found, of: endpoint)
  }

  /// Clears the addresses, so that the next exchange does not renew them in libcurl's cache.
  private func clearAddresses() {
    lupine_easy_set_list(pointer, CURLOPT_RESOLVE, nil)
    addresses = StringList()
    hasAddresses = false
  }

  /// Sets whether TLS negotiates HTTP/2, so that a server that does not select it receives HTTP/1.1.
  ///
  /// With prior knowledge, libcurl would send HTTP/2 to a server that selects no protocol.
  private func set(negotiatesVersion negotiates: Bool) {
    guard negotiates != negotiatesVersion else { return }
    handle.set(
      CURLOPT_HTTP_VERSION, Int(negotiates ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
    negotiatesVersion = negotiates
  }

  private func set(addressScope number: Int) {
    guard addressScope != number else { return }
    handle.set(CURLOPT_ADDRESS_SCOPE, number)
    addressScope = number
  }

  private func set(connectTimeout timeout: Duration?) {
    guard connectTimeout != .some(timeout) else { return }
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(timeout))
    connectTimeout = .some(timeout)
  }

  /// Sets the `Proxy-Authorization` field, which libcurl sends to the proxy only.
  private func set(proxyAuthorization value: String?) throws(LupineError) {
    guard value != proxyAuthorization else { return }
    var list = StringList()
    if let value { try list.append(HTTPField(name: .proxyAuthorization, value: value)) }
    lupine_easy_set_list(pointer, CURLOPT_PROXYHEADER, list.pointer)
    proxyFields = list
    proxyAuthorization = value
  }

  /// Sets the connection options; a connection that must not be shared is not kept alive.
  private func set(_ options: ConnectionOptions, mayBeShared: Bool) {
    var options = options
    if !mayBeShared { options.isKeptAlive = false }
    guard options != connections else { return }
    connections = options
    multi.settings.apply(options, to: handle)
  }

  private func set(makesConnection makes: Bool) {
    guard makes != makesConnection else { return }
    handle.set(CURLOPT_FRESH_CONNECT, makes ? 1 : 0)
    makesConnection = makes
  }

  /// Sets the session's addresses of hosts.
  ///
  /// They stay in the multi's cache: all exchanges of the multi have the same overrides.
  private func setAddresses(_ connectionKey: ConnectionKey, _ url: HTTPURL) throws(LupineError) {
    var list = StringList()
    for (host, port) in [(url.host, url.effectivePort)] + (connectionKey.proxy.map { [($0.host, $0.port)] } ?? []) {
      guard let addresses = connectionKey.resolverOverrides.addresses(of: host) else { continue }
      multi.record(addresses, of: (host, port))
      let texts = addresses.map { $0.family == .ipv6 ? "[\($0)]" : "\($0)" }
      try list.append(raw: "\(host):\(port):\(texts.joined(separator: ","))")
    }
    lupine_easy_set_list(pointer, CURLOPT_RESOLVE, list.pointer)
    addresses = list
  }

  /// Makes the proxy connect to an address instead of the URL's host; `nil` restores the host.
  func set(target: IPAddress?, _ url: HTTPURL) throws(LupineError) {
    guard target != nil || hasConnectTo else { return }
    var list = StringList()
    if let target { try list.append(raw: "::\(target.family == .ipv6 ? "[\(target)]" : "\(target)"):") }
    lupine_easy_set_list(pointer, CURLOPT_CONNECT_TO, list.pointer)
    connectTo = list
    hasConnectTo = target != nil
  }

  /// Whether libcurl waits for a connection that is being established, and opens no other one, until its version is
  /// known.
  ///
  /// Without TLS, libcurl would get the version only from the first response, and would wait for that response.
  private func set(waitsForMultiplexing waits: Bool) {
    guard waits != waitsForMultiplexing else { return }
    handle.set(CURLOPT_PIPEWAIT, waits ? 1 : 0)
    waitsForMultiplexing = waits
  }

  /// Turns libcurl's host name check on or off.
  ///
  /// It is off for an evaluator that replaces the verification: that evaluator decides whether the host name counts.
  private func set(verifiesHostName verifies: Bool) {
    guard verifies != verifiesHostName else { return }
    handle.set(CURLOPT_SSL_VERIFYHOST, verifies ? 2 : 0)
    verifiesHostName = verifies
  }

  private func set(verbatimTarget target: String?) {
    guard target != verbatimTarget else { return }
    handle.set(CURLOPT_REQUEST_TARGET, target)
    verbatimTarget = target
  }

  /// Whether libcurl removes old names from its cache at the end of the exchange.
  ///
  /// libcurl then scans its whole cache, so the option is on only for exchanges that make a connection: only those add
  /// names. The option also limits the age of the names that an exchange may use, so `prepare` turns it on again.
  func set(prunesNameCache prunes: Bool) {
    guard prunes != prunesNameCache else { return }
    handle.set(CURLOPT_DNS_CACHE_TIMEOUT, prunes ? Self.nameLifetime : -1)
    prunesNameCache = prunes
  }

  /// The lifetime of a cached name in seconds: libcurl's default.
  private static let nameLifetime = 60

  private func set(_ shape: RequestShape, method: String) {
    if shape != self.shape {
      handle.set(CURLOPT_HTTPGET, 1)
      switch shape {
      case .noBody: break
      case .head: handle.set(CURLOPT_NOBODY, 1)
      case .body(let length):
        handle.set(CURLOPT_UPLOAD, 1)
        handle.setSize(CURLOPT_INFILESIZE_LARGE, length)
        set(uploadBuffer: (0...Self.shortBody).contains(length) ? 64 << 10 : 256 << 10)
      }
      self.shape = shape
    }
    guard method != self.method else { return }
    // After HEAD as a custom method, libcurl would wait for a body as after GET.
    handle.set(CURLOPT_CUSTOMREQUEST, method == "HEAD" ? nil : method)
    self.method = method
  }

  /// Sets the size of libcurl's upload buffer in bytes.
  ///
  /// A larger buffer sends a long body in fewer turns of the loop.
  private func set(uploadBuffer size: Int) {
    guard size != uploadBuffer else { return }
    handle.set(CURLOPT_UPLOAD_BUFFERSIZE, size)
    uploadBuffer = size
  }

  /// The maximum length in bytes of a body that is sent with the smaller upload buffer.
  private static let shortBody: Int64 = 1 << 20

  private func setFields(_ request: OutgoingRequest, _ shape: RequestShape) throws(LupineError) {
    if fields?.matches(request, shape) == true { return }
    self.fields = nil
    let fields = SentFields(request, shape)
    let list = try fields.list()
    lupine_easy_set_fields(pointer, list.pointer)
    fieldList = list
    self.fields = fields
  }

  /// Returns the timeout in milliseconds, at least 1; the maximum for `nil`.
  ///
  /// libcurl reads 0 as its default of five minutes.
  private static func milliseconds(_ timeout: Duration?) -> Int {
    guard let timeout else { return Int(Int32.max) }
    return Int(clamping: max(1, min(timeout.nanoseconds / 1_000_000, Int64(Int32.max))))
  }
}
