import LupineCore
import LupineSupport

extension SessionAssembly {
  /// Checks the addresses and connection options, and stores them in the configuration.
  mutating func checkRoute() {
    let proxies = configuration.proxies
    configuration.connectionKey.unixSocket = builder.route.unixSocket
    configuration.connectionKey.networkPolicy = builder.route.networkPolicy
    configuration.connectionKey.resolverOverrides = checkedOverrides()
    if let resolver = configuration.resolver {
      require(.hostResolvers, "resolver")
      configuration.connectionKey.resolver = resolver.id
    }
    if let text = builder.route.localAddress {
      configuration.connectionKey.localAddress = IPAddress(text)
      require(.localAddresses, "localAddress")
      if IPAddress(text) == nil {
        refuse("localAddress", "\"\(text)\" is not an address")
      }
    }
    require(builder.requiredCapabilities, "requiring")
    checkUnixSocket(proxies)
    checkPolicy(proxies)
    checkVersion(configuration.version)
    checkConnections(configuration.connections)
  }

  /// Adds an issue for each transport that lacks a capability that the part needs.
  ///
  /// - Parameter urls: the URLs that the part is for; `nil` stands for all URLs.
  mutating func require(_ needed: TransportCapabilities, _ part: String, for urls: [HTTPURL]? = nil) {
    guard let standard = builder.transport, let routes else { return }
    let routed = urls.map { $0.compactMap { routes.route(for: $0) } } ?? builder.transportRoutes
    if urls?.contains(where: { routes.route(for: $0) == nil }) ?? true {
      refuse(part, "the transport", standard, lacks: standard.capabilities.missing(of: needed))
    }
    for each in builder.transportRoutes where routed.contains(where: { $0.target == each.target }) {
      let missing = each.missing(of: needed, hasSecureProxy: configuration.proxies.http?.kind == .https)
      refuse(part, each.name, each.transport, lacks: missing)
    }
  }

  private mutating func refuse(
    _ part: String, _ name: String, _ transport: any Transport, lacks missing: TransportCapabilities
  ) {
    guard !missing.isEmpty else { return }
    let remedy = transport.remedy(for: missing).map { "; \($0)" } ?? ""
    refuse(part, "\(name) does not support it (it lacks \(missing))\(remedy)")
  }

  /// Adds an issue for each text that is not a pattern of hosts.
  mutating func checkPatterns() {
    for routed in builder.transportRoutes where routed.pattern == nil {
      if case .host(let text) = routed.target { refuse("transport", Self.notAPattern(text)) }
    }
  }

  /// Checks the proxies, and stores them in the configuration, from which `require` learns whether they need TLS.
  mutating func checkProxies() {
    var rules = ProxyRules()
    if builder.route.usesEnvironment {
      do throws(LupineError) {
        rules = try ProxyRules.environment { SystemEnvironment.variable($0) }
      } catch {
        refuse("environmentProxies", error.message)
      }
      configuration.warnings += rules.exceptions.problems.map {
        ConfigurationIssue(part: "environmentProxies", reason: "no_proxy: \($0)")
      }
    }
    for choice in builder.route.proxies {
      switch choice.proxy {
      case .success(let proxy):
        refuse("proxy", proxy.issues)
        if choice.schemes.contains(.http) { rules.http = proxy }
        if choice.schemes.contains(.https) { rules.https = proxy }
      case .failure(let error): refuse("proxy", error.message)
      }
    }
    if !builder.route.proxies.isEmpty {
      let own = ProxyExceptions(builder.route.exceptions)
      refuse("proxy", own.problems.map { "except: \($0)" })
      rules.exceptions.add(own)
    }
    configuration.proxies = rules
    let isSecured = rules.all.contains { $0.kind == .https }
    if !rules.isEmpty { require(isSecured ? [.proxies, .tls] : .proxies, "proxy") }
    if rules.all.contains(where: { $0.connectionCredential != nil }) {
      require(.connectionAuthentication, "proxy")
    }
  }

  private mutating func checkedOverrides() -> ResolverOverrides {
    var overrides = ResolverOverrides()
    for (host, texts) in builder.route.overrides {
      let addresses = texts.compactMap { IPAddress($0) }
      if addresses.isEmpty || addresses.count < texts.count {
        refuse("resolve", "the addresses of \(host) must have a form such as 192.0.2.1")
      }
      guard let url = try? HTTPURL("https://\(host)/"), url.hostKind == .name, url.port == nil else {
        refuse("resolve", "\"\(host)\" is not the name of a host")
        continue
      }
      overrides.set(addresses, of: url.host)
    }
    if !overrides.isEmpty { require(.resolverOverrides, "resolve") }
    return overrides
  }

  private mutating func checkUnixSocket(_ proxies: ProxyRules) {
    guard let path = builder.route.unixSocket else { return }
    require(.unixSockets, "unixSocket")
    if path.isEmpty || path.utf8.count > 107 || path.utf8.contains(0) {
      refuse("unixSocket", "its path must have 1 to 107 bytes, none of them zero")
    }
    let others = [
      ("a proxy", !proxies.isEmpty), ("a local address", builder.route.localAddress != nil),
      ("a network policy", builder.route.networkPolicy != nil),
      ("addresses of hosts", !builder.route.overrides.isEmpty), ("a resolver", configuration.resolver != nil),
    ]
    for (name, isThere) in others where isThere {
      refuse("unixSocket", "it cannot be combined with \(name); remove one of them")
    }
  }

  private mutating func checkPolicy(_ proxies: ProxyRules) {
    let blind = proxies.all.filter { !$0.resolvesNamesHere }
    if let proxy = blind.first, !builder.route.overrides.isEmpty {
      refuse("resolve", "\(proxy) resolves names itself; only a socks5 proxy receives addresses")
    }
    guard let policy = builder.route.networkPolicy else { return }
    require(.networkPolicy, "networkPolicy")
    refuse("networkPolicy", policy.issues)
    if let proxy = blind.first {
      refuse(
        "networkPolicy", "the addresses that \(proxy) connects to are unknown; only a socks5 proxy receives addresses")
    }
  }

  private mutating func checkVersion(_ version: ProtocolVersion?) {
    switch version {
    case .http2: require(.http2, "httpVersion")
    case .http3: require(.http3, "httpVersion")
    default: break
    }
  }

  private mutating func checkConnections(_ options: ConnectionOptions) {
    guard options != ConnectionOptions() else { return }
    let isAboutReuse = options.idleLifetime != nil || options.lifetime != nil
    require(isAboutReuse ? [.connectionOptions, .connectionReuse] : .connectionOptions, "connections")
    for (name, count) in [("perHost", options.perHost), ("total", options.total)] {
      if let count, count < 1 {
        refuse("connections", "\(name) is \(count); it must be at least 1")
      }
    }
    let durations = [
      ("idleLifetime", options.idleLifetime), ("lifetime", options.lifetime), ("probeInterval", options.probeInterval),
    ]
    for (name, duration) in durations {
      if let duration, duration < .seconds(1) {
        refuse("connections", "\(name) is \(duration); it must be at least a second")
      }
    }
  }
}
