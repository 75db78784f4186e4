public import LupineCore

extension Session.Builder {
  /// Sends requests through a proxy: `http://user:password@proxy.example.com:3128`, or with the scheme `https`, `socks5`
  /// (names are resolved here) or `socks5h` (by the proxy).
  ///
  /// The credential goes to that proxy alone, and connections through two proxies, or as two users of one, are never
  /// shared. Its challenges are answered by the strongest of the session's schemes; see `Proxy.credential`. Trust in
  /// servers is judged as without a proxy.
  ///
  /// - Parameters:
  ///   - credential: what proves connections to the proxy, with NTLM or Negotiate; see `Proxy.connectionCredential(_:)`.
  ///     Default: nothing.
  ///   - hosts: what is reached directly, as `NO_PROXY` has it: `localhost`, `.internal.example.com`, `10.0.0.0/8`,
  ///     `db.example.com:8080`. Default: nothing.
  ///   - schemes: the schemes of the URLs that go through it; the last proxy given for a scheme counts. Default: both.
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

  /// Sends requests through a proxy, as `proxy(_:proving:except:for:)` does with a URL; a proxy names its own connection
  /// credential.
  public func proxy(
    _ proxy: Proxy, except hosts: [String] = [], for schemes: Set<HTTPURL.Scheme> = [.http, .https]
  ) -> Self {
    changed {
      $0.route.proxies.append(RouteDescription.ProxyChoice(proxy: .success(proxy), schemes: schemes))
      $0.route.exceptions += hosts
    }
  }

  /// Takes the proxies from the environment: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, each in capitals as
  /// well.
  ///
  /// The environment is read by `build()`. A proxy that the builder names counts before it.
  /// Under CGI, `HTTP_PROXY` is what a client has sent, and is not looked at. Not asked for, no variable is read.
  public func environmentProxies() -> Self { changed { $0.route.usesEnvironment = true } }

  /// Connects to a Unix-domain socket whatever the host, such as `/var/run/docker.sock`; at most 107 bytes.
  ///
  /// The URL's host still goes into `Host`, and is what certificates are judged for.
  public func unixSocket(_ path: String) -> Self { changed { $0.route.unixSocket = path } }

  /// Names the addresses of a host, in the order in which they are tried, in the place of what the resolver says.
  ///
  /// They hold for the name with a dot at its end and without.
  public func resolve(_ host: String, to addresses: String...) -> Self {
    changed { $0.route.overrides.append((host: host, addresses: addresses)) }
  }

  /// Makes connections from this address of the machine.
  public func localAddress(_ address: String) -> Self { changed { $0.route.localAddress = address } }

  /// Sets which addresses may be connected to.
  ///
  /// Default: all.
  public func networkPolicy(_ policy: NetworkPolicy) -> Self { changed { $0.route.networkPolicy = policy } }

  /// Sets the version of HTTP where a request names none; `.http2` without TLS is spoken without asking first.
  ///
  /// Default: the transport chooses; over libcurl that is HTTP/1.1, since libcurl does not show the end of an HTTP/2 body.
  public func httpVersion(_ version: ProtocolVersion) -> Self { changed { $0.configuration.version = version } }

  /// Sets how connections are used: how many at once, and for how long.
  public func connections(_ options: ConnectionOptions) -> Self { changed { $0.configuration.connections = options } }
}
