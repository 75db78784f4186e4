import LupineCore

/// A transport that a builder sets for some URLs.
struct TransportRoute: Sendable {
  enum Target: Sendable, Hashable {
    /// The hosts that a pattern matches; see `HostPattern`.
    case host(String)
    case scheme(HTTPURL.Scheme)
  }

  let target: Target
  var transport: any Transport
  /// The pattern of hosts; `nil` for a scheme, and for text that is no pattern.
  let pattern: HostPattern?

  init(_ transport: any Transport, for target: Target) {
    self.target = target
    self.transport = transport
    pattern = if case .host(let text) = target { HostPattern(text) } else { nil }
  }

  /// Whether both are for the same URLs, however their patterns are spelled.
  func hasSameTarget(as other: TransportRoute) -> Bool {
    target == other.target || (pattern != nil && pattern == other.pattern)
  }

  /// The words that name the transport in an issue of `build()`.
  var name: String {
    switch target {
    case .host(let text): "the transport for \(text)"
    case .scheme(let scheme): "the transport for \(scheme.rawValue) URLs"
    }
  }

  /// The order in which a URL is compared: hosts before schemes.
  var precedence: Int { pattern?.precedence ?? -1 }

  /// Whether the transport carries requests with the URL.
  func matches(_ url: HTTPURL) -> Bool {
    if case .scheme(let scheme) = target { return url.scheme == scheme }
    return pattern?.matches(HostPattern.host(of: url), port: url.effectivePort) == true
  }

  /// Returns the capabilities among the given ones that the transport lacks.
  ///
  /// One for http URLs needs none of TLS, unless a proxy for these URLs is reached with TLS.
  func missing(of needed: TransportCapabilities, hasSecureProxy: Bool) -> TransportCapabilities {
    let tls: TransportCapabilities = [.tls, .tlsVersions, .trustEvaluation, .clientCertificates]
    let needsTLS = target != .scheme(.http) || hasSecureProxy
    return transport.capabilities.missing(of: needsTLS ? needed : needed.subtracting(tls))
  }
}

/// Carries each exchange with the transport of its host or of its scheme.
struct TransportRoutes: Transport {
  /// The transport of the URLs that no other one is for.
  private let standard: any Transport
  private let routes: [TransportRoute]

  init(_ standard: any Transport, _ routes: [TransportRoute]) {
    self.standard = standard
    self.routes = routes.sorted { $0.precedence > $1.precedence }
  }

  /// The different transports, the standard one first; of several wrappers around one transport, the first.
  var all: [any Transport] {
    var known: Set<ObjectIdentifier> = []
    return ([standard] + routes.map(\.transport)).filter { transport in
      let innermost = Self.innermost(transport)
      guard type(of: innermost) is AnyClass else { return true }
      return known.insert(ObjectIdentifier(innermost as AnyObject)).inserted
    }
  }

  /// The transport within all wrappers, such as those of an override, which makes one for each transport of a builder.
  private static func innermost(_ transport: any Transport) -> any Transport {
    var innermost = transport
    while let wrapper = innermost as? any WrappingTransport { innermost = wrapper.base }
    return innermost
  }

  /// Returns the transport that is set for the URL; `nil` if the standard one carries it.
  func route(for url: HTTPURL) -> TransportRoute? { routes.first { $0.matches(url) } }

  /// The capabilities that all of the transports have, and `.tls`: `send` refuses an https URL whose transport lacks it.
  var capabilities: TransportCapabilities {
    var capabilities = all.dropFirst().reduce(standard.capabilities) { $0.intersection($1.capabilities) }
    capabilities.insert(.tls)
    return capabilities
  }

  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse {
    let transport = route(for: request.url)?.transport ?? standard
    if !transport.capabilities.missing(of: .tls).isEmpty { try RequestRules.refuseHTTPS(request) }
    return try await transport.send(request, in: context)
  }

  func shutdown() async { for transport in all { await transport.shutdown() } }

  /// Returns the sum of the transports' counts; `nil` if none has a connection pool.
  func connectionPool() async -> ConnectionPoolSnapshot? {
    var sum: ConnectionPoolSnapshot?
    for transport in all {
      guard let pool = await transport.connectionPool() else { continue }
      sum = ConnectionPoolSnapshot(
        open: (sum?.open ?? 0) + pool.open, idle: (sum?.idle ?? 0) + pool.idle,
        waiting: (sum?.waiting ?? 0) + pool.waiting)
    }
    return sum
  }
}
