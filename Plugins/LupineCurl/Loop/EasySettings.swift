import CLibcurl
import LupineCore
import LupineSupport
import LupineTLS

/// The options that all easy handles of one multi share.
struct EasySettings {
  private let version: Int
  /// The key of the connections.
  let connectionKey: ConnectionKey
  /// The files of root certificates that verify the servers.
  let rootFiles: RootFiles
  private let configuration: CurlTransport.Configuration

  /// The algorithms that TLS offers.
  var algorithms: TLSAlgorithms { configuration.network.tlsAlgorithms }

  init(_ route: Route, _ configuration: CurlTransport.Configuration) {
    self.configuration = configuration
    connectionKey = route.connectionKey
    rootFiles = RootFiles(connectionKey, fallback: configuration.network.certificateAuthorities)
    version = Int(Self.version(route.version))
  }

  /// Sets the options that stay the same for the life of a handle.
  func apply(to easy: borrowing EasyHandle) {
    limitToHTTP(easy)
    easy.set(CURLOPT_NOSIGNAL, 1)
    easy.set(CURLOPT_QUICK_EXIT, 1)
    easy.set(CURLOPT_PATH_AS_IS, 1)
    // libcurl resends a request by itself if a reused connection ends before the response, and this resend looks like a
    // resend after a refused stream. libcurl does not resend an RTSP receive request, and uses this option for HTTP in
    // no other place.
    easy.set(CURLOPT_RTSP_REQUEST, Int(CURL_RTSPREQ_RECEIVE))
    easy.set(CURLOPT_BUFFERSIZE, min(max(configuration.receiveBufferSize, 1 << 10), 512 << 10))
    easy.set(CURLOPT_TCP_KEEPALIVE, 1)
    apply(ConnectionOptions(), to: easy)
    route(easy)
    secure(easy)
    authenticate(easy)
  }

  /// Sets the credential with which libcurl authenticates connections (NTLM or Negotiate).
  private func authenticate(_ easy: borrowing EasyHandle) {
    guard let authentication = connectionKey.connectionCredential else { return }
    easy.set(CURLOPT_HTTPAUTH, Self.scheme(authentication))
    // An empty name selects the identity of the system's tickets.
    easy.set(CURLOPT_USERNAME, authentication.credential?.username ?? "")
    easy.set(CURLOPT_PASSWORD, authentication.credential?.password ?? "")
  }

  /// Sets the connection options.
  func apply(_ options: ConnectionOptions, to easy: borrowing EasyHandle) {
    easy.set(CURLOPT_MAXAGE_CONN, Self.seconds(options.idleLifetime ?? configuration.network.idleConnectionLifetime))
    easy.set(CURLOPT_MAXLIFETIME_CONN, Self.seconds(options.lifetime ?? configuration.network.connectionLifetime))
    let interval = Self.seconds(options.probeInterval ?? .seconds(60))
    easy.set(CURLOPT_TCP_KEEPIDLE, interval)
    easy.set(CURLOPT_TCP_KEEPINTVL, interval)
  }

  /// Sets the proxy, the local address and the Unix-domain socket.
  ///
  /// If one of these options is not set, libcurl reads the environment.
  private func route(_ easy: borrowing EasyHandle) {
    easy.set(CURLOPT_NOPROXY, "")
    easy.set(CURLOPT_UNIX_SOCKET_PATH, connectionKey.unixSocket)
    if let address = connectionKey.localAddress { easy.set(CURLOPT_INTERFACE, "host!\(address)") }
    guard let proxy = connectionKey.proxy else {
      easy.set(CURLOPT_PROXY, "")
      return
    }
    // If the client resolves the names, `CURLOPT_CONNECT_TO` sets the address.
    easy.set(
      CURLOPT_PROXY, proxy.address.replacing("socks5://", with: "socks5h://", maxReplacements: 1))
    easy.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    if proxy.kind == .socks5 {
      easy.set(CURLOPT_SOCKS5_AUTH, Int(lupine_auth_basic))
      easy.set(CURLOPT_PROXYUSERNAME, proxy.credential?.username)
      easy.set(CURLOPT_PROXYPASSWORD, proxy.credential?.password)
    } else if let authentication = proxy.connectionCredential {
      easy.set(CURLOPT_PROXYAUTH, Self.scheme(authentication))
      easy.set(CURLOPT_PROXYUSERNAME, authentication.credential?.username ?? "")
      easy.set(CURLOPT_PROXYPASSWORD, authentication.credential?.password ?? "")
    }
  }

  private static func scheme(_ authentication: ConnectionCredential) -> Int {
    Int(authentication.scheme == .ntlm ? lupine_auth_ntlm : lupine_auth_negotiate)
  }

  private func secure(_ easy: borrowing EasyHandle) {
    easy.set(CURLOPT_SSLVERSION, Self.versions(connectionKey))
    easy.set(CURLOPT_SSL_VERIFYPEER, 1)
    easy.set(CURLOPT_SSL_VERIFYHOST, 2)
    easy.set(CURLOPT_PROXY_SSLVERSION, Self.versions(ConnectionKey()))
    setRootCertificates(easy)
    // A resumed session skips the verification.
    if connectionKey.trustPolicy != nil || connectionKey.additionalCertificateAuthorities != nil {
      easy.set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    }
    guard let certificate = connectionKey.clientCertificate else { return }
    easy.set(CURLOPT_SSLCERT, certificate.path)
    easy.set(CURLOPT_SSLCERTTYPE, certificate.format == .pem ? "PEM" : "P12")
    easy.set(CURLOPT_SSLKEY, certificate.keyPath)
    easy.set(CURLOPT_KEYPASSWD, certificate.passphrase)
  }

  /// Sets libcurl's root certificates.
  ///
  /// With OpenSSL, libcurl gets none, because `Handshake` verifies each handshake. Any other TLS library verifies by
  /// itself, and keeps the certificates that it has read for as long as the multi exists.
  private func setRootCertificates(_ easy: borrowing EasyHandle) {
    let isUsed = !LibcurlInfo.isSecuredByOpenSSL
    let folders = isUsed && !rootFiles.folders.isEmpty ? rootFiles.folders.joined(separator: ":") : nil
    for option in [CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO] { easy.set(option, isUsed ? rootFiles.file : nil) }
    for option in [CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH] { easy.set(option, folders) }
  }

  private func limitToHTTP(_ easy: borrowing EasyHandle) {
    easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
    easy.set(CURLOPT_HTTP_VERSION, version)
    easy.set(CURLOPT_HTTP09_ALLOWED, 0)
    // `ChunkReader` decodes chunks: libcurl's parser accepts chunks that RFC 9112 does not allow.
    easy.set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
    easy.set(CURLOPT_FOLLOWLOCATION, 0)
    easy.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
  }

  private static func versions(_ connectionKey: ConnectionKey) -> Int {
    let oldest = Int(connectionKey.minimumTLSVersion == .tls1_3 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2)
    switch connectionKey.maximumTLSVersion {
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

  /// Returns whole seconds from 1 to `Int32.max`.
  ///
  /// libcurl reads 0 as "no limit", and keeps some of its durations in 32 bits.
  private static func seconds(_ duration: Duration) -> Int { min(max(1, Int(duration.boundedSeconds)), Int(Int32.max)) }
}
