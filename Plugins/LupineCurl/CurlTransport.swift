public import LupineCore
import LupineEventLoop
import LupineTLS

/// Sends exchanges with libcurl over HTTP/1.1 and HTTP/2, and reuses connections.
///
/// One thread serves all exchanges of a transport. The thread starts with the first exchange. It ends with
/// `shutdown()`, or with the last exchange after the transport has been released. The transport ignores the
/// environment's proxies and `.netrc`. OpenSSL verifies certificates against a file of root certificates, and against a
/// second file if the session adds one.
public final class CurlTransport: Transport {
  /// The settings of the transport.
  public let configuration: Configuration
  private let thread: LoopThread
  private let lookups: ResolverLookups

  /// Creates a transport; it opens nothing before the first request.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, resolver: .system)
  }

  /// - Parameter resolver: resolves host names for sessions without a resolver of their own, except the names of this
  ///   machine (`localhost`).
  init(_ configuration: Configuration = Configuration(), resolver: HostResolver) {
    self.configuration = configuration
    let lookups = ResolverLookups(resolver, limit: configuration.network.nameLookups)
    self.lookups = lookups
    thread = LoopThread("lupine-curl") { (thread, wakeUp) throws(LupineError) in
      try Loop(thread, wakeUp, configuration, lookups).run()
    }
  }

  deinit { thread.stopWhenIdle() }

  /// The capabilities of the installed libcurl.
  public var capabilities: TransportCapabilities { LibcurlInfo.capabilities }

  /// Sends one exchange; see `Transport.send(_:in:)`.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try CurlRequestRules.check(request, context)
    if let reason = context.control.reason { throw reason }
    guard TargetAddress.isNeeded(in: context) else { return try await thread.send(request, in: context) }
    let target = try await TargetAddress.resolve(
      for: request, in: context, with: lookups.lookups(of: context.resolver))
    return try await thread.send(request, in: context, to: target)
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
}

extension CurlTransport {
  /// Advises the use of the native transport, for tolerances that need OpenSSL.
  public func remedy(for missing: TransportCapabilities) -> String? {
    missing == .responseTolerances
      ? "the installed libcurl does not use OpenSSL; use the native transport, '.transport(.native)' of LupineNative"
      : nil
  }

  /// Returns one issue for each file of root certificates that the session names and that cannot be read, and for each
  /// cipher suite and group that cannot be offered.
  public func issues(with key: ConnectionKey) -> [ConfigurationIssue] {
    CertificateBundle.issues(with: key) + LibcurlInfo.issues(with: configuration.network.tlsAlgorithms)
  }

  /// Runs tasks on the transport's own thread.
  ///
  /// Responses arrive on this thread, so a task that runs here awaits a response without a change of thread. A program
  /// opts in with `withTaskExecutorPreference(transport.executor) { … }`, and for its handlers with
  /// `Session.Builder.executor(_:)`. Code that blocks or computes for a long time on this thread delays every transfer
  /// of the transport. After `shutdown()` the tasks run on the global executor.
  public var executor: some TaskExecutor { thread }
}

extension CurlTransport {
  /// The settings of a libcurl transport.
  public struct Configuration: Sendable, Hashable {
    /// The settings that all transports over the network share.
    ///
    /// libcurl applies some of them in its own way. The limits on exchanges are those of HTTP/1.1, and lifetimes count in
    /// whole seconds. If libcurl uses another TLS library than OpenSSL, it keeps the root certificates that it has read for
    /// as long as it keeps the session's connections, and names in `tlsAlgorithms` are an error of `build()`.
    public var network: NetworkSettings
    /// The maximum number of bytes in one read from a connection, from 1 KiB to 512 KiB.
    ///
    /// Default: 96 KiB, because malloc makes a new mapping for each buffer of 128 KiB or more.
    public var receiveBufferSize = 96 << 10

    /// Creates the settings.
    public init(_ network: NetworkSettings = NetworkSettings()) { self.network = network }
  }
}

extension Transport where Self == CurlTransport {
  /// Creates a libcurl transport with the default settings.
  public static var curl: CurlTransport { CurlTransport() }

  /// Creates a libcurl transport.
  public static func curl(_ configuration: CurlTransport.Configuration) -> CurlTransport {
    CurlTransport(configuration)
  }
}
