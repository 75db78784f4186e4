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
/// if an evaluator judges the server. Each loop of a transport has one thread, which serves all exchanges of the loop;
/// `Configuration.loops` says how many there are. A thread starts with the first exchange or task of its loop. It ends with
/// `shutdown()`, or with the last exchange after the transport has been released.
public final class NativeTransport: Transport {
  /// The settings of the transport.
  public let configuration: Configuration
  private let loops: LoopGroup
  private let shared: SharedByLoops

  /// How long the addresses of a name are used for further connections.
  private static let addressLifetime = Duration.seconds(5)

  /// Creates a transport; it opens nothing before the first request.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, resolver: .system)
  }

  /// - Parameter resolver: resolves host names for sessions without a resolver of their own, except the names of this
  ///   machine (`localhost`).
  init(_ configuration: Configuration = Configuration(), resolver: HostResolver) {
    let network = configuration.network
    let lookups = ResolverLookups(resolver, limit: network.nameLookups, lifetime: Self.addressLifetime)
    let shared = SharedByLoops(network, lookups)
    self.configuration = configuration
    self.shared = shared
    // `build()` refuses any other number.
    let count = min(max(configuration.loops, 1), Configuration.maximumLoops)
    loops = LoopGroup(
      (0..<count).map { _ in
        LoopThread("lupine-native") { (thread, wakeUp) throws(LupineError) in
          try Loop(thread, wakeUp, network, shared).run()
        }
      })
  }

  deinit { loops.stopWhenIdle() }

  /// The capabilities of the transport.
  public var capabilities: TransportCapabilities {
    [
      .networking, .tls, .tlsVersions, .trustEvaluation, .clientCertificates, .connectionReuse, .connectionOptions,
      .unixSockets, .resolverOverrides, .localAddresses, .networkPolicy, .proxies, .http2, .streamEndChecks,
      .streamedUploads, .informationalResponses, .trailers, .framingChecks, .strictFraming, .responseTolerances,
      .hostResolvers,
    ]
  }

  /// Advises the use of the libcurl transport, for the authentication of connections (NTLM, Negotiate).
  public func remedy(for missing: TransportCapabilities) -> String? {
    missing == .connectionAuthentication ? "use the libcurl transport, '.transport(.curl)' of LupineCurl" : nil
  }

  /// Returns one issue for each file of root certificates that the session names and that cannot be read, for each
  /// cipher suite and group that cannot be offered, and for a number of loops that is out of range.
  public func issues(with key: ConnectionKey) -> [ConfigurationIssue] {
    CertificateBundle.issues(with: key) + OfferedAlgorithms.issues(with: configuration.network.tlsAlgorithms)
      + configuration.issues
  }

  /// Sends one exchange; see `Transport.send(_:in:)`.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try Self.check(request, context)
    if let reason = context.control.reason { throw reason }
    let thread = loops.thread(for: request.url, context.connectionKey)
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
    var snapshot = await loops.connectionPool()
    snapshot.waiting = shared.admission.waitingCount + shared.lookups.waitingCount
    return snapshot
  }

  /// Ends every exchange with kind `sessionShutDown`, and returns when all connections, descriptors and the loops'
  /// threads are closed.
  ///
  /// The method does not wait for running name lookups. The system's resolver cannot be interrupted; its threads end
  /// when it returns.
  public func shutdown() async {
    shared.lookups.close()
    await loops.shutDown()
  }

  /// Runs tasks on the transport's own threads.
  ///
  /// A task that runs here awaits a response without a change of thread: it continues on the thread of the loop on which
  /// the response arrived. Tasks that other threads start begin on the loops in turn. A program opts in with
  /// `withTaskExecutorPreference(transport.executor) { … }`, and for its handlers with `Session.Builder.executor(_:)`.
  /// Code that blocks or computes for a long time on such a thread delays every transfer of its loop. After `shutdown()`
  /// the tasks run on the global executor.
  public var executor: some TaskExecutor { loops }
}

extension NativeTransport {
  /// The settings of a native transport.
  public struct Configuration: Sendable, Hashable {
    /// The settings that all transports over the network share.
    public var network: NetworkSettings

    /// The number of event loops, each with one thread; from 1 to 1,024.
    ///
    /// Default: a quarter of the processors that the process may use, rounded down, and at least 1. The affinity mask of the
    /// process counts, and the quota of its control groups (cgroups), rounded up to whole processors. A number out of the
    /// range is an error of `Session.Builder.build()`; a transport without a session uses the nearest one of the range.
    ///
    /// All exchanges with the same origin (or forwarding proxy) and the same connection key use one loop, so that they
    /// share its connections, also with HTTP/2, and a slow or hostile server delays only the exchanges of its loop. New
    /// origins are given to the loops in turn. So a program that uses one origin uses one loop, whatever this number is.
    /// The limits of `network` apply to all loops together. If the limit of connections is reached and only another loop
    /// has idle ones, that loop closes one in its next turn.
    public var loops = ProcessorCount.loops

    static let maximumLoops = 1_024

    /// Creates the settings.
    public init(_ network: NetworkSettings = NetworkSettings()) { self.network = network }

    fileprivate var issues: [ConfigurationIssue] {
      guard !(1...Self.maximumLoops).contains(loops) else { return [] }
      return [
        ConfigurationIssue(
          part: "transport",
          reason: "it cannot have \(loops) loops; set 'loops' to a number from 1 to \(Self.maximumLoops)")
      ]
    }
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
