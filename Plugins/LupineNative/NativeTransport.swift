public import LupineCore
import LupineEventLoop
import LupineTLS

/// Sends exchanges over HTTP/1.1 and HTTP/2, and reuses connections.
///
/// OpenSSL secures the connections, and libnghttp2 handles the frames of HTTP/2; no other C library is beneath it. A
/// request over TLS has HTTP/2 if the server selects it, and exchanges with one server then share a connection. Without
/// TLS, HTTP/2 needs a request or a session that requires it (prior knowledge). HTTP, HTTPS and SOCKS 5 proxies are
/// supported. NTLM and Negotiate are not: `Session.Builder.build()` throws if the session needs them, and names the
/// libcurl transport, which has them. OpenSSL verifies certificates against a file of root certificates, and against a
/// second file if the session adds one. A TLS session is resumed only for the same origin and connection key, and never
/// if an evaluator judges the server. One thread serves all exchanges of a transport. The thread starts with the first
/// exchange. It ends with `shutdown()`, or with the last exchange after the transport has been released.
public final class NativeTransport: Transport {
  /// The settings of the transport.
  public let configuration: Configuration
  private let thread: LoopThread
  private let lookups: HostLookups

  /// How long the addresses of a name are used for further connections.
  private static let addressLifetime = Duration.seconds(5)

  /// Creates a transport; it opens nothing before the first request.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, resolver: .system)
  }

  /// - Parameter resolver: resolves host names, except the names of this machine (`localhost`).
  init(_ configuration: Configuration = Configuration(), resolver: HostResolver) {
    let lookups = HostLookups(
      resolver, limit: configuration.network.nameLookups, lifetime: Self.addressLifetime)
    self.configuration = configuration
    self.lookups = lookups
    thread = LoopThread("lupine-native") { (thread, wakeUp) throws(LupineError) in
      try Loop(thread, wakeUp, configuration, lookups).run()
    }
  }

  deinit { thread.stopWhenIdle() }

  /// The capabilities of the transport.
  public var capabilities: TransportCapabilities {
    [
      .networking, .tls, .tlsVersions, .trustEvaluation, .clientCertificates, .connectionReuse, .connectionOptions,
      .unixSockets, .resolverOverrides, .localAddresses, .networkPolicy, .proxies, .http2, .streamEndChecks,
      .streamedUploads, .informationalResponses, .trailers, .framingChecks, .strictFraming,
    ]
  }

  /// Advises the use of the libcurl transport, for the authentication of connections (NTLM, Negotiate).
  public func remedy(for missing: TransportCapabilities) -> String? {
    missing == .connectionAuthentication ? "use the libcurl transport, '.transport(.curl)' of LupineCurl" : nil
  }

  /// Returns one issue for each file of root certificates that the session names and that cannot be read, and for each
  /// cipher suite and group that cannot be offered.
  public func issues(with key: ConnectionKey) -> [ConfigurationIssue] {
    CertificateBundle.issues(with: key) + OfferedAlgorithms.issues(with: configuration.network.tlsAlgorithms)
  }

  /// Sends one exchange; see `Transport.send(_:in:)`.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try Self.check(request, context)
    if let reason = context.control.reason { throw reason }
    return try await thread.send(request, in: context)
  }

  /// Throws for a request that is invalid, or that needs what the transport lacks.
  ///
  /// A session makes the same checks, but a transport may be used without one.
  private static func check(_ request: OutgoingRequest, _ context: TransferContext) throws(LupineError) {
    try RequestRules.check(request, limits: context.limits)
    try TrustRules.check(context)
    guard [nil, .http1_1, .http2].contains(request.version) else {
      throw LupineError(
        .invalidRequest,
        "The native transport supports HTTP/1.1 and HTTP/2 only; name one of them, or leave the version open.")
    }
    guard let proxy = context.connectionKey.proxy else { return }
    guard context.connectionKey.unixSocket == nil else {
      throw .unusable("proxy", "A proxy and a Unix-domain socket cannot be combined; remove one of them.")
    }
    guard proxy.connectionCredential == nil else {
      throw .unusable(
        "proxy",
        "The native transport supports neither NTLM nor Negotiate; use the libcurl transport, '.transport(.curl)'.")
    }
  }

  /// Counts the connections and the waiting exchanges.
  ///
  /// Connections that are being established count as open. Exchanges whose name lookup is queued count as waiting.
  public func connectionPool() async -> ConnectionPoolSnapshot? {
    var snapshot = await thread.connectionPool()
    snapshot.waiting += lookups.waitingCount
    return snapshot
  }

  /// Ends every exchange with kind `sessionShutDown`, and returns when all connections, descriptors and the loop's
  /// thread are closed.
  ///
  /// The method does not wait for running name lookups. The system's resolver cannot be interrupted; its threads end
  /// when it returns.
  public func shutdown() async {
    lookups.close()
    await thread.shutDown()
  }

  /// Runs tasks on the transport's own thread.
  ///
  /// Responses arrive on this thread, so a task that runs here awaits a response without a change of thread. A program
  /// opts in with `withTaskExecutorPreference(transport.executor) { … }`, and for its handlers with
  /// `Session.Builder.executor(_:)`. Code that blocks or computes for a long time on this thread delays every transfer
  /// of the transport. After `shutdown()` the tasks run on the global executor.
  public var executor: some TaskExecutor { thread }
}

extension NativeTransport {
  /// The settings of a native transport.
  public struct Configuration: Sendable, Hashable {
    /// The settings that all transports over the network share.
    public var network: NetworkSettings

    /// Creates the settings.
    public init(_ network: NetworkSettings = NetworkSettings()) { self.network = network }
  }
}

extension Transport where Self == NativeTransport {
  /// Creates a native transport with the default settings.
  public static var native: NativeTransport { NativeTransport() }

  /// Creates a native transport.
  public static func native(_ configuration: NativeTransport.Configuration) -> NativeTransport {
    NativeTransport(configuration)
  }
}
