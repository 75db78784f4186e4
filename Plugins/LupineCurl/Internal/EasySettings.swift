import CLibcurl
import LupineCore

/// The options that all easy handles of one multi share.
struct EasySettings {
  private let version: Int
  /// What connections must be like.
  let identity: ConnectionKey
  /// What their servers are judged by.
  let rootFiles: RootFiles
  private let configuration: CurlTransport.Configuration

  init(_ route: Route, _ configuration: CurlTransport.Configuration) {
    self.configuration = configuration
    identity = route.identity
    rootFiles = RootFiles(identity, configuration)
    version = Int(Self.version(route.version))
  }

  /// Sets what stays the same for the life of a handle.
  func apply(to easy: borrowing EasyHandle) {
    limitToHTTP(easy)
    easy.set(CURLOPT_NOSIGNAL, 1)
    easy.set(CURLOPT_QUICK_EXIT, 1)
    easy.set(CURLOPT_PATH_AS_IS, 1)
    // libcurl resends a request by itself when a reused connection ends before the response, and such a resend cannot
    // be told from a refused stream. It skips the resend for RTSP receive, and reads this option for HTTP in no other
    // place.
    easy.set(CURLOPT_RTSP_REQUEST, Int(CURL_RTSPREQ_RECEIVE))
    easy.set(CURLOPT_BUFFERSIZE, min(max(configuration.receiveBufferSize, 1 << 10), 512 << 10))
    easy.set(CURLOPT_TCP_KEEPALIVE, 1)
    apply(ConnectionOptions(), to: easy)
    route(easy)
    secure(easy)
    prove(easy)
  }

  /// Sets what proves connections, which libcurl does by itself.
  private func prove(_ easy: borrowing EasyHandle) {
    guard let given = identity.connectionCredential else { return }
    easy.set(CURLOPT_HTTPAUTH, Self.scheme(given))
    // An empty name stands for whoever the system's tickets are for.
    easy.set(CURLOPT_USERNAME, given.credential?.username ?? "")
    easy.set(CURLOPT_PASSWORD, given.credential?.password ?? "")
  }

  /// Sets how connections are used.
  func apply(_ options: ConnectionOptions, to easy: borrowing EasyHandle) {
    easy.set(CURLOPT_FRESH_CONNECT, options.isKeptAlive ? 0 : 1)
    easy.set(CURLOPT_MAXAGE_CONN, Self.seconds(options.idleLifetime ?? configuration.idleConnectionLifetime))
    easy.set(CURLOPT_MAXLIFETIME_CONN, Self.seconds(options.lifetime ?? configuration.connectionLifetime))
    let interval = Self.seconds(options.probeInterval ?? .seconds(60))
    easy.set(CURLOPT_TCP_KEEPIDLE, interval)
    easy.set(CURLOPT_TCP_KEEPINTVL, interval)
  }

  /// Sets the way to servers; what is left open here libcurl would look for in the environment.
  private func route(_ easy: borrowing EasyHandle) {
    easy.set(CURLOPT_NOPROXY, "")
    easy.set(CURLOPT_UNIX_SOCKET_PATH, identity.unixSocket)
    if let address = identity.localAddress { easy.set(CURLOPT_INTERFACE, "host!\(address)") }
    guard let proxy = identity.proxy else {
      easy.set(CURLOPT_PROXY, "")
      return
    }
    // Where names are resolved here, `CONNECT_TO` names the address.
    easy.set(
      CURLOPT_PROXY, proxy.address.replacing("socks5://", with: "socks5h://", maxReplacements: 1))
    easy.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    if proxy.kind == .socks5 {
      easy.set(CURLOPT_SOCKS5_AUTH, Int(lupine_auth_basic))
      easy.set(CURLOPT_PROXYUSERNAME, proxy.credential?.username)
      easy.set(CURLOPT_PROXYPASSWORD, proxy.credential?.password)
    } else if let given = proxy.connectionCredential {
      easy.set(CURLOPT_PROXYAUTH, Self.scheme(given))
      easy.set(CURLOPT_PROXYUSERNAME, given.credential?.username ?? "")
      easy.set(CURLOPT_PROXYPASSWORD, given.credential?.password ?? "")
    }
  }

  private static func scheme(_ given: ConnectionCredential) -> Int {
    Int(given.scheme == .ntlm ? lupine_auth_ntlm : lupine_auth_negotiate)
  }

  private func secure(_ easy: borrowing EasyHandle) {
    easy.set(CURLOPT_SSLVERSION, Self.versions(identity))
    easy.set(CURLOPT_SSL_VERIFYPEER, 1)
    easy.set(CURLOPT_SSL_VERIFYHOST, 2)
    easy.set(CURLOPT_PROXY_SSLVERSION, Self.versions(ConnectionKey()))
    trust(easy)
    // A resumed session would not be judged again.
    if identity.trustPolicy != nil || identity.additionalCertificateAuthorities != nil {
      easy.set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    }
    guard let certificate = identity.clientCertificate else { return }
    easy.set(CURLOPT_SSLCERT, certificate.path)
    easy.set(CURLOPT_SSLCERTTYPE, certificate.format == .pem ? "PEM" : "P12")
    easy.set(CURLOPT_SSLKEY, certificate.keyPath)
    easy.set(CURLOPT_KEYPASSWD, certificate.passphrase)
  }

  /// Leaves libcurl without roots where each handshake is judged here.
  ///
  /// With another library than OpenSSL it judges by itself, and keeps what it has read for as long as the multi lives.
  private func trust(_ easy: borrowing EasyHandle) {
    let bundle = LibraryFacts.isSecuredByOpenSSL ? nil : rootFiles.bundle
    for option in [CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO] { easy.set(option, bundle) }
    for option in [CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH] { easy.set(option, nil as String?) }
  }

  private func limitToHTTP(_ easy: borrowing EasyHandle) {
    easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
    easy.set(CURLOPT_HTTP_VERSION, version)
    easy.set(CURLOPT_HTTP09_ALLOWED, 0)
    // Chunks are read here: libcurl's parser takes what RFC 9112 does not allow.
    easy.set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
    easy.set(CURLOPT_FOLLOWLOCATION, 0)
    easy.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
  }

  private static func versions(_ identity: ConnectionKey) -> Int {
    let oldest = Int(identity.minimumTLSVersion == .tls1_3 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2)
    switch identity.maximumTLSVersion {
    case .tls1_2: return oldest | Int(CURL_SSLVERSION_MAX_TLSv1_2)
    case .tls1_3: return oldest | Int(CURL_SSLVERSION_MAX_TLSv1_3)
    case nil: return oldest
    }
  }

  private static func version(_ version: ProtocolVersion) -> Int {
    switch version {
    case .http1_0: CURL_HTTP_VERSION_1_0
    case .http2: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
    case .http1_1, .http3: CURL_HTTP_VERSION_1_1
    }
  }

  /// libcurl reads 0 as "no limit", so at least one second.
  private static func seconds(_ duration: Duration) -> Int { Int(clamping: max(1, duration.components.seconds)) }
}
