import LupineCore
import LupineSupport

extension Session.Builder {
  /// Checks the proxies, addresses and connection options, and stores them in the configuration.
  func checkRoute(_ configuration: inout SessionConfiguration, _ issues: inout [ConfigurationIssue]) {
    let (proxies, problems) = checkedProxies(&configuration.warnings)
    configuration.proxies = proxies
    issues += problems
    configuration.connectionKey.unixSocket = route.unixSocket
    configuration.connectionKey.networkPolicy = route.networkPolicy
    configuration.connectionKey.resolverOverrides = checkedOverrides(&issues)
    if let text = route.localAddress {
      configuration.connectionKey.localAddress = IPAddress(text)
      require(.localAddresses, "localAddress", &issues)
      if IPAddress(text) == nil {
        issues.append(ConfigurationIssue(part: "localAddress", reason: "\"\(text)\" is not an address"))
      }
    }
    require(requiredCapabilities, "requiring", &issues)
    checkUnixSocket(proxies, &issues)
    checkPolicy(proxies, &issues)
    checkVersion(configuration.version, &issues)
    checkConnections(configuration.connections, &issues)
  }

  /// Adds an issue if the transport lacks a capability that the part needs.
  func require(_ needed: TransportCapabilities, _ part: String, _ issues: inout [ConfigurationIssue]) {
    guard let missing = transport?.capabilities.missing(of: needed), !missing.isEmpty else { return }
    let remedy = transport?.remedy(for: missing).map { "; \($0)" } ?? ""
    issues.append(
      ConfigurationIssue(part: part, reason: "the transport does not support it (it lacks \(missing))\(remedy)"))
  }

  private func checkedProxies(_ warnings: inout [ConfigurationIssue]) -> (ProxyRules, [ConfigurationIssue]) {
    var rules = ProxyRules()
    var issues: [ConfigurationIssue] = []
    if route.usesEnvironment {
      do throws(LupineError) {
        rules = try ProxyRules.environment { SystemEnvironment.variable($0) }
      } catch {
        issues.append(ConfigurationIssue(part: "environmentProxies", reason: error.message))
      }
      warnings += rules.exceptions.problems.map {
        ConfigurationIssue(part: "environmentProxies", reason: "no_proxy: \($0)")
      }
    }
    for choice in route.proxies {
      switch choice.proxy {
      case .success(let proxy):
        issues += proxy.issues.map { ConfigurationIssue(part: "proxy", reason: $0) }
        if choice.schemes.contains(.http) { rules.http = proxy }
        if choice.schemes.contains(.https) { rules.https = proxy }
      case .failure(let error): issues.append(ConfigurationIssue(part: "proxy", reason: error.message))
      }
    }
    if !route.proxies.isEmpty {
      let own = ProxyExceptions(route.exceptions)
      issues += own.problems.map { ConfigurationIssue(part: "proxy", reason: "except: \($0)") }
      rules.exceptions.add(own)
    }
    let isSecured = rules.all.contains { $0.kind == .https }
    if !rules.isEmpty { require(isSecured ? [.proxies, .tls] : .proxies, "proxy", &issues) }
    if rules.all.contains(where: { $0.connectionCredential != nil }) {
      require(.connectionAuthentication, "proxy", &issues)
    }
    return (rules, issues)
  }

  private func checkedOverrides(_ issues: inout [ConfigurationIssue]) -> ResolverOverrides {
    var overrides = ResolverOverrides()
    for (host, texts) in route.overrides {
      let addresses = texts.compactMap { IPAddress($0) }
      if addresses.isEmpty || addresses.count < texts.count {
        issues.append(
          ConfigurationIssue(part: "resolve", reason: "the addresses of \(host) must have a form such as 192.0.2.1"))
      }
      guard let url = try? HTTPURL("https://\(host)/"), url.hostKind == .name, url.port == nil else {
        issues.append(ConfigurationIssue(part: "resolve", reason: "\"\(host)\" is not the name of a host"))
        continue
      }
      overrides.set(addresses, of: url.host)
    }
    if !overrides.isEmpty { require(.resolverOverrides, "resolve", &issues) }
    return overrides
  }

  private func checkUnixSocket(_ proxies: ProxyRules, _ issues: inout [ConfigurationIssue]) {
    guard let path = route.unixSocket else { return }
    require(.unixSockets, "unixSocket", &issues)
    if path.isEmpty || path.utf8.count > 107 || path.utf8.contains(0) {
      issues.append(
        ConfigurationIssue(part: "unixSocket", reason: "its path must have 1 to 107 bytes, none of them zero"))
    }
    let others = [
      ("a proxy", !proxies.isEmpty), ("a local address", route.localAddress != nil),
      ("a network policy", route.networkPolicy != nil), ("addresses of hosts", !route.overrides.isEmpty),
    ]
    for (name, isThere) in others where isThere {
      issues.append(
        ConfigurationIssue(part: "unixSocket", reason: "it cannot be combined with \(name); remove one of them"))
    }
  }

  private func checkPolicy(_ proxies: ProxyRules, _ issues: inout [ConfigurationIssue]) {
    let blind = proxies.all.filter { !$0.resolvesNamesHere }
    if let proxy = blind.first, !route.overrides.isEmpty {
      issues.append(
        ConfigurationIssue(
          part: "resolve", reason: "\(proxy) resolves names itself; only a socks5 proxy receives addresses"))
    }
    guard let policy = route.networkPolicy else { return }
    require(.networkPolicy, "networkPolicy", &issues)
    issues += policy.issues.map { ConfigurationIssue(part: "networkPolicy", reason: $0) }
    if let proxy = blind.first {
      issues.append(
        ConfigurationIssue(
          part: "networkPolicy",
          reason: "the addresses that \(proxy) connects to are unknown; only a socks5 proxy receives addresses"))
    }
  }

  private func checkVersion(_ version: ProtocolVersion?, _ issues: inout [ConfigurationIssue]) {
    switch version {
    case .http2: require(.http2, "httpVersion", &issues)
    case .http3: require(.http3, "httpVersion", &issues)
    default: break
    }
  }

  private func checkConnections(_ options: ConnectionOptions, _ issues: inout [ConfigurationIssue]) {
    guard options != ConnectionOptions() else { return }
    let isAboutReuse = options.idleLifetime != nil || options.lifetime != nil
    require(isAboutReuse ? [.connectionOptions, .connectionReuse] : .connectionOptions, "connections", &issues)
    for (name, count) in [("perHost", options.perHost), ("total", options.total)] {
      if let count, count < 1 {
        issues.append(ConfigurationIssue(part: "connections", reason: "\(name) is \(count); it must be at least 1"))
      }
    }
    let durations = [
      ("idleLifetime", options.idleLifetime), ("lifetime", options.lifetime), ("probeInterval", options.probeInterval),
    ]
    for (name, duration) in durations {
      if let duration, duration < .seconds(1) {
        issues.append(
          ConfigurationIssue(part: "connections", reason: "\(name) is \(duration); it must be at least a second"))
      }
    }
  }
}
