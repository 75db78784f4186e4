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
  public func resolve(_ host: String, to addresses: String...) -> Self {
    changed { $0.route.overrides.append((host: host, addresses: addresses)) }
  }

  /// Sets the local address of connections.
  public func localAddress(_ address: String) -> Self { changed { $0.route.localAddress = address } }

  /// Sets the addresses that connections may be made to.
  ///
  /// Default: all.
  public func networkPolicy(_ policy: NetworkPolicy) -> Self { changed { $0.route.networkPolicy = policy } }

  /// Sets the version of HTTP for requests that do not name one; `.http2` without TLS uses prior knowledge.
  ///
  /// Default: the transport chooses. With libcurl that is HTTP/1.1, because libcurl does not report the end of an
  /// HTTP/2 body.
  public func httpVersion(_ version: ProtocolVersion) -> Self { changed { $0.configuration.version = version } }

  /// Sets the limits of connections, such as their number and lifetime.
  public func connections(_ options: ConnectionOptions) -> Self { changed { $0.configuration.connections = options } }
}
