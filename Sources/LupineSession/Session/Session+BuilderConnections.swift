public import LupineCore

extension Session.Builder {
  /// Sends requests through a proxy, such as `http://user:password@proxy.example.com:3128`.
  ///
  /// The scheme is `http`, `https`, `socks5` (the client resolves names) or `socks5h` (the proxy resolves names).
  ///
  /// The credential is sent to this proxy only. Connections through different proxies, or as different users of one
  /// proxy, are never shared. The strongest of the session's schemes answers the proxy's challenges; see
  /// `Proxy.credential`. A proxy does not change the evaluation of server trust.
  ///
  /// - Parameters:
  ///   - credential: authenticates connections to the proxy, with NTLM or Negotiate; see
  ///     `Proxy.connectionCredential(_:)`. Default: none.
  ///   - hosts: the hosts that are connected to directly, in the syntax of `NO_PROXY`: `localhost`,
  ///     `.internal.example.com`, `10.0.0.0/8`, `db.example.com:8080`. Default: none.
  ///   - schemes: the schemes of the URLs that use the proxy; the last proxy for a scheme applies. Default: both.
  public func proxy(
    _ url: String, proving credential: ConnectionCredential? = nil, except hosts: [String] = [],
    for schemes: Set<HTTPURL.Scheme> = [.http, .https]
  ) -> Self {
    let proxy = Result { () throws(LupineError) in
      let proxy = try Proxy(url)
      return credential.map(proxy.connectionCredential) ?? proxy
    }
    return changed {
      $0.route.proxies.append(RouteDescription.ProxyChoice(proxy: proxy, schemes: schemes))
      $0.route.exceptions += hosts
    }
  }

  /// Sends requests through a proxy, as `proxy(_:proving:except:for:)` does with a URL.
  ///
  /// The `Proxy` value contains its own connection credential.
  public func proxy(
    _ proxy: Proxy, except hosts: [String] = [], for schemes: Set<HTTPURL.Scheme> = [.http, .https]
  ) -> Self {
    changed {
      $0.route.proxies.append(RouteDescription.ProxyChoice(proxy: .success(proxy), schemes: schemes))
      $0.route.exceptions += hosts
    }
  }

  /// Takes the proxies from `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, in lower or upper case.
  ///
  /// `build()` reads the environment. A proxy that the builder sets has precedence. Under CGI, `HTTP_PROXY` is ignored,
  /// because its value comes from the client. Without this call, no proxy variable is read.
  public func environmentProxies() -> Self { changed { $0.route.usesEnvironment = true } }

  /// Connects to a Unix-domain socket for every host, such as `/var/run/docker.sock`; at most 107 bytes.
  ///
  /// `Host` and the evaluation of certificates still use the URL's host.
  public func unixSocket(_ path: String) -> Self { changed { $0.route.unixSocket = path } }

  /// Sets the addresses of a host, in the order of the connection attempts, instead of those of the resolver.
  ///
  /// They apply to the name with and without a trailing dot.
  public func resolve(_ host: String, to addresses: String...) -> Self { resolve(host, to: addresses) }

  /// Sets the addresses of a host from a list; see `resolve(_:to:)`.
  public func resolve(_ host: String, to addresses: [String]) -> Self {
    changed { $0.route.overrides.append((host: host, addresses: addresses)) }
  }

  /// Sets the resolver that returns the addresses of hosts, in place of the system's.
  ///
  /// It receives names alone, and neither the hosts of `resolve(_:to:)` nor `localhost` and the names below it. The connect
  /// timeout includes the lookup. Its task is cancelled after that timeout, and when no request waits for it any more. The
  /// network policy checks its addresses like those of the system's resolver. An error, and an empty answer, end the
  /// request with kind `hostNotFound`.
  ///
  /// Requests that wait for one name at the same time share one lookup. The native transport uses an answer for 5
  /// seconds, libcurl for 60; at most `NetworkSettings.nameLookups` names are looked up at once. A proxy resolves the
  /// names of servers itself, except with the scheme `socks5`; the resolver then resolves the name of the proxy.
  ///
  /// A session on which the resolver sends requests must not have the resolver itself.
  public func resolver(_ resolver: HostResolver) -> Self {
    changed { $0.configuration.resolver = resolver.id == HostResolver.system.id ? nil : resolver }
  }

  /// Sets the function that returns the addresses of a host; see `resolver(_:)` and `HostResolver.init(_:)`.
  public func resolver(_ addresses: @escaping @Sendable (_ host: String) async throws -> [IPAddress]) -> Self {
    resolver(HostResolver(addresses))
  }

  /// Sets the local address of connections.
  public func localAddress(_ address: String) -> Self { changed { $0.route.localAddress = address } }

  /// Sets the addresses that connections may be made to.
  ///
  /// Default: all.
  public func networkPolicy(_ policy: NetworkPolicy) -> Self { changed { $0.route.networkPolicy = policy } }

  /// Sets the version of HTTP for requests that do not name one; `.http2` without TLS uses prior knowledge.
  ///
  /// Default: the transport chooses. The native transport uses HTTP/2 over TLS if the server selects it, and HTTP/1.1
  /// otherwise. The libcurl transport uses HTTP/1.1, because libcurl does not report the end of an HTTP/2 body.
  public func httpVersion(_ version: ProtocolVersion) -> Self { changed { $0.configuration.version = version } }

  /// Sets the limits of connections, such as their number and lifetime.
  public func connections(_ options: ConnectionOptions) -> Self { changed { $0.configuration.connections = options } }
}

extension Session.Builder {
  /// Sets the file of root certificates, in PEM, that replaces the system's.
  ///
  /// `build()` throws if the file cannot be read. The transport reads the file before its first TLS connection, and
  /// reads it again before a new connection if the file has changed. While the file is missing or unreadable, the last
  /// contents apply. A file without certificates is an error of kind `configuration`.
  /// Open connections are not affected.
  public func certificateAuthorities(_ path: String) -> Self {
    changed { $0.configuration.connectionKey.certificateAuthorities = path }
  }

  /// Sets a file of root certificates, in PEM, that is trusted in addition to the system's or their replacement.
  ///
  /// Changes of the file have the same effect as those of `certificateAuthorities(_:)`.
  public func additionalCertificateAuthorities(_ path: String) -> Self {
    changed { $0.configuration.connectionKey.additionalCertificateAuthorities = path }
  }

  /// Sets the client certificate, which is sent to servers that request one.
  public func clientCertificate(_ certificate: ClientCertificate) -> Self {
    changed { $0.configuration.connectionKey.clientCertificate = certificate }
  }

  /// Sets the minimum and maximum TLS version; a maximum of `nil` sets no upper bound.
  ///
  /// Default: 1.2 and newer.
  public func tlsVersions(minimum: TLSVersion = .tls1_2, maximum: TLSVersion? = nil) -> Self {
    changed {
      $0.configuration.connectionKey.minimumTLSVersion = minimum
      $0.configuration.connectionKey.maximumTLSVersion = maximum
    }
  }

  /// Sets the evaluators of server certificates by host pattern.
  ///
  /// A pattern is a host name, an address, or `*.` and a domain, which matches names one label below the domain; each
  /// may end in a colon and a port. Exact names come before wildcards; among exact names, and among wildcards, one with a
  /// port comes first. Calls add up. If a later call repeats a pattern, in any spelling, its evaluator replaces the
  /// earlier one. `build()` throws if one call contains two spellings of one pattern.
  ///
  /// - Parameters:
  ///   - evaluators: the patterns and the evaluators of the hosts that they match.
  ///   - fallback: the evaluator of all other hosts; `.refuse` trusts none. `nil` keeps the fallback of an earlier
  ///     call; without one, the transport's own trust applies.
  public func trust(_ evaluators: [String: any TrustEvaluator], otherwise fallback: (any TrustEvaluator)? = nil) -> Self
  {
    changed {
      let patterns = Set(evaluators.keys.compactMap { HostPattern($0) })
      $0.trustRules.removeAll { rule in
        evaluators[rule.pattern] != nil || HostPattern(rule.pattern).map { patterns.contains($0) } == true
      }
      $0.trustRules += evaluators.map { (pattern: $0.key, evaluator: $0.value) }.sorted { $0.pattern < $1.pattern }
      if let fallback { $0.trustFallback = fallback }
    }
  }

  /// Accepts some violations of HTTP/1.1 in the responses of one host, whose server cannot be corrected.
  ///
  /// The documentation of each tolerance says what it accepts, and which other clients accept the same. Responses of all
  /// other hosts are read strictly. The error of a refused response names the tolerance that would accept it.
  ///
  /// ```swift
  /// .tolerating([.bareLineFeeds, .missingCloseNotify], of: "legacy.example.com")
  /// ```
  ///
  /// The pattern has the form of those of `trust(_:otherwise:)`, and the most precise one applies alone. A later call with
  /// the same pattern replaces an earlier one. `build()` throws if the pattern is invalid or the transport has its own
  /// reader of responses and lacks the capability `responseTolerances`.
  public func tolerating(_ tolerances: ResponseTolerances, of host: String) -> Self {
    changed {
      let pattern = HostPattern(host)
      $0.toleranceRules.removeAll { $0.pattern == host || (pattern != nil && HostPattern($0.pattern) == pattern) }
      $0.toleranceRules.append((pattern: host, tolerances: tolerances))
    }
  }
}

extension Session.Builder {
  /// Sets the credential that authenticates connections to servers, with NTLM or Negotiate.
  ///
  /// A connection that is authenticated with it is used with this credential only. After a redirect to another origin,
  /// the request continues without it.
  ///
  /// - Parameter scope: the origins that the credential may be sent to. Default: the origin of the base URL.
  public func connectionCredential(
    _ credential: ConnectionCredential, to scope: CredentialScope = .baseURL
  ) -> Self {
    changed { $0.configuration.connectionCredential = ScopedConnectionCredential(credential: credential, scope: scope) }
  }
}
