#if Terminal
  import LupineAuthentication
  import LupineCache
  import LupineCompression
  import LupineCore
  import LupineFoundation
  import LupineNative
  import LupineOpenSSL
  import LupineSession
  import LupineSQLite

  extension ServerOptions {
    /// The size of the cache on the disk.
    private static let cacheSize = CacheSize.megabytes(512)

    /// Builds the session.
    ///
    /// - Parameters:
    ///   - follows: whether redirects are followed.
    ///   - wrap: wraps the transport, for example to show its exchanges.
    /// - Throws: `LupineError` of kind `configuration` if the transport lacks what an option needs.
    func makeSession(
      following follows: Bool, wrapping wrap: (any Transport) -> any Transport = { $0 }
    ) throws -> ProgramSession {
      let transport = wrap(try makeTransport())
      var builder = Session.Builder().transport(transport).install(.compression).install(.authentication)
        .redirector(follows ? .follow : .doNotFollow).timeouts(connect: wait, idle: idle, total: total)
      if retry > 0 { builder = builder.retrier(.backoff(limit: retry)) }
      if usesHTTP1 { builder = builder.httpVersion(.http1_1) }
      if usesHTTP2 { builder = builder.httpVersion(.http2) }
      builder = try trusting(try routing(builder))
      guard let cache else { return ProgramSession(session: try builder.build(), store: nil) }
      let store = SQLiteStore.sqlite(at: cache, Self.cacheSize)
      builder = builder.install(.cache(try HTTPCache(store: store)))
      return ProgramSession(session: try builder.build(), store: store)
    }

    private func makeTransport() throws -> any Transport {
      switch transport {
      case .native: .native
      case .curl: try CurlProgram.transport()
      }
    }

    private var wait: Duration { timeout.map { .seconds($0) } ?? .seconds(30) }
    private var idle: Duration { timeout.map { .seconds($0) } ?? .seconds(60) }
    private var total: Duration? { maxTime.map { .seconds($0) } }

    private func routing(_ builder: Session.Builder) throws -> Session.Builder {
      var builder = builder
      if let proxy {
        builder = builder.proxy(proxy)
      } else if unixSocket == nil {
        builder = builder.environmentProxies()
      }
      if let unixSocket { builder = builder.unixSocket(unixSocket) }
      for entry in try HostAddresses.read(resolve) { builder = builder.resolve(entry.host, to: entry.addresses) }
      return builder
    }

    /// Warns if the proxy's password stands in the arguments, which other users can read.
    func warnAboutProxy() {
      guard let proxy, (try? Proxy(proxy))?.credential != nil else { return }
      Message.warn(
        "other users of this machine can read the password of --proxy in the list of processes; "
          + "set the variable https_proxy or http_proxy.")
    }

    private func trusting(_ builder: Session.Builder) throws -> Session.Builder {
      var builder = builder
      if let cacert { builder = builder.certificateAuthorities(cacert) }
      if let cert { builder = builder.clientCertificate(try certificate(cert)) }
      if !pin.isEmpty { builder = builder.trust([:], otherwise: .publicKeys(PublicKeys(pin))) }
      return builder
    }

    private func certificate(_ path: String) throws -> ClientCertificate {
      let secret = try certPassphrase.map { try SecretText($0, option: "--cert-passphrase") }
      secret?.warn("--cert-passphrase")
      // A session over http would not read them.
      for (option, file) in [("--cert", path), ("--cert-key", certKey ?? path)]
      where !FileManager.default.isReadableFile(atPath: file) {
        throw CommandFailure(
          "\(option): the file \(file.debugDescription) cannot be read. Name one that you may read.", .usage)
      }
      let name = path.lowercased()
      return name.hasSuffix(".p12") || name.hasSuffix(".pfx")
        ? .pkcs12(path, passphrase: secret?.text) : .pem(path, key: certKey, passphrase: secret?.text)
    }
  }

  /// The session of a command, and the store of its cache.
  struct ProgramSession {
    let session: Session
    fileprivate let store: SQLiteStore?

    fileprivate init(session: Session, store: SQLiteStore?) {
      self.session = session
      self.store = store
    }

    /// Waits until the cache has stored the responses.
    ///
    /// Without a cache there is nothing to wait for: the end of the process closes the connections.
    func finish() async {
      guard let store else { return }
      await session.shutdown()
      await store.close()
    }
  }
#endif
