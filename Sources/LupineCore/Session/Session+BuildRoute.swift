import Glibc

extension Session.Builder {
  /// Checks what was said about the way to servers and puts it into the configuration.
  func checkRoute(_ configuration: inout SessionConfiguration, _ mismatches: inout [Mismatch]) {
    let (proxies, problems) = checkedProxies(&configuration.warnings)
    configuration.proxies = proxies
    mismatches += problems
    configuration.identity.unixSocket = route.unixSocket
    configuration.identity.networkPolicy = route.networkPolicy
    configuration.identity.resolverOverrides = checkedOverrides(&mismatches)
    if let text = route.localAddress {
      configuration.identity.localAddress = IPAddress(text)
      require(.localAddresses, "localAddress", &mismatches)
      if IPAddress(text) == nil {
        mismatches.append(Mismatch(part: "localAddress", reason: "\"\(text)\" is no address"))
      }
    }
    if let transport {
      let missing = requiredCapabilities.subtracting(transport.capabilities)
      if !missing.isEmpty { require(missing, "requiring", &mismatches) }
    }
    checkUnixSocket(proxies, &mismatches)
    checkPolicy(proxies, &mismatches)
    checkVersion(configuration.version, &mismatches)
    checkConnections(configuration.connections, &mismatches)
  }

  /// Refuses a part that the transport cannot honour.
  func require(_ capability: TransportCapabilities, _ part: String, _ mismatches: inout [Mismatch]) {
    guard let transport, !transport.capabilities.contains(capability) else { return }
    mismatches.append(Mismatch(part: part, reason: "the transport cannot do it (it lacks \(capability))"))
  }

  private func checkedProxies(_ warnings: inout [Mismatch]) -> (ProxyRules, [Mismatch]) {
    var rules = ProxyRules()
    var mismatches: [Mismatch] = []
    if route.usesEnvironment {
      do throws(LupineError) {
        rules = try ProxyRules.environment { getenv($0).map { String(cString: $0) } }
      } catch {
        mismatches.append(Mismatch(part: "environmentProxies", reason: error.message))
      }
      warnings += rules.exceptions.problems.map { Mismatch(part: "environmentProxies", reason: "no_proxy: \($0)") }
    }
    for choice in route.proxies {
      switch choice.proxy {
      case .success(let proxy):
        if let problem = proxy.problem { mismatches.append(Mismatch(part: "proxy", reason: problem)) }
        if choice.schemes.contains(.http) { rules.http = proxy }
        if choice.schemes.contains(.https) { rules.https = proxy }
      case .failure(let error): mismatches.append(Mismatch(part: "proxy", reason: error.message))
      }
    }
    if !route.proxies.isEmpty {
      let own = ProxyExceptions(route.exceptions)
      mismatches += own.problems.map { Mismatch(part: "proxy", reason: "except: \($0)") }
      rules.exceptions.add(own)
    }
    if !rules.isEmpty { require(.proxies, "proxy", &mismatches) }
    if rules.all.contains(where: { $0.connectionCredential != nil }) {
      require(.connectionAuthentication, "proxy", &mismatches)
    }
    return (rules, mismatches)
  }

  private func checkedOverrides(_ mismatches: inout [Mismatch]) -> ResolverOverrides {
    var overrides = ResolverOverrides()
    for (host, texts) in route.overrides {
      let addresses = texts.compactMap { IPAddress($0) }
      if addresses.isEmpty || addresses.count < texts.count {
        mismatches.append(
          Mismatch(part: "resolve", reason: "\(host) needs addresses such as 192.0.2.1, and has others"))
      }
      guard let url = try? HTTPURL("https://\(host)/"), url.hostKind == .name, url.port == nil else {
        mismatches.append(Mismatch(part: "resolve", reason: "\"\(host)\" is not the name of a host"))
        continue
      }
      overrides.set(url.host, addresses)
    }
    if !overrides.isEmpty { require(.resolverOverrides, "resolve", &mismatches) }
    return overrides
  }

  private func checkUnixSocket(_ proxies: ProxyRules, _ mismatches: inout [Mismatch]) {
    guard let path = route.unixSocket else { return }
    require(.unixSockets, "unixSocket", &mismatches)
    if path.isEmpty || path.utf8.count > 107 || path.utf8.contains(0) {
      mismatches.append(Mismatch(part: "unixSocket", reason: "its path has 1 to 107 bytes, none of them zero"))
    }
    let others = [
      ("a proxy", !proxies.isEmpty), ("a local address", route.localAddress != nil),
      ("a network policy", route.networkPolicy != nil), ("addresses of hosts", !route.overrides.isEmpty),
    ]
    for (name, isThere) in others where isThere {
      mismatches.append(Mismatch(part: "unixSocket", reason: "it leaves no use for \(name); take one of them away"))
    }
  }

  private func checkPolicy(_ proxies: ProxyRules, _ mismatches: inout [Mismatch]) {
    let blind = proxies.all.filter { !$0.resolvesNamesHere }
    if let proxy = blind.first, !route.overrides.isEmpty {
      mismatches.append(
        Mismatch(part: "resolve", reason: "\(proxy) resolves names by itself; only a socks5 proxy is given addresses"))
    }
    guard let policy = route.networkPolicy else { return }
    require(.networkPolicy, "networkPolicy", &mismatches)
    mismatches += policy.problems.map { Mismatch(part: "networkPolicy", reason: $0) }
    if let proxy = blind.first {
      mismatches.append(
        Mismatch(
          part: "networkPolicy",
          reason: "it cannot see which addresses \(proxy) connects to; only a socks5 proxy is given addresses"))
    }
  }

  private func checkVersion(_ version: ProtocolVersion?, _ mismatches: inout [Mismatch]) {
    switch version {
    case .http2: require(.http2, "httpVersion", &mismatches)
    case .http3: require(.http3, "httpVersion", &mismatches)
    default: break
    }
  }

  private func checkConnections(_ options: ConnectionOptions, _ mismatches: inout [Mismatch]) {
    guard options != ConnectionOptions() else { return }
    require(.connectionOptions, "connections", &mismatches)
    for (name, count) in [("perHost", options.perHost), ("total", options.total)] {
      if let count, count < 1 {
        mismatches.append(Mismatch(part: "connections", reason: "\(name) is \(count); nothing could be sent"))
      }
    }
    let durations = [
      ("idleLifetime", options.idleLifetime), ("lifetime", options.lifetime), ("probeInterval", options.probeInterval),
    ]
    for (name, duration) in durations {
      if let duration, duration < .seconds(1) {
        mismatches.append(Mismatch(part: "connections", reason: "\(name) is \(duration); it has a second or more"))
      }
    }
  }
}
