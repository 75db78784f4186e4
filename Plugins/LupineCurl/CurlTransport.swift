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
  let engine: LoopThread<Command>
  private let lookups: HostLookups

  /// Creates a transport; it opens nothing before the first request.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, resolver: .system)
  }

  /// - Parameter resolver: resolves host names, except the names of this machine (`localhost`).
  init(_ configuration: Configuration = Configuration(), resolver: HostResolver) {
    self.configuration = configuration
    let lookups = HostLookups(resolver, limit: configuration.nameLookups)
    self.lookups = lookups
    engine = LoopThread("lupine-curl") { (thread, wakeUp) throws(LupineError) in
      try Loop(thread, wakeUp, configuration, lookups).run()
    }
  }

  deinit { engine.stopWhenIdle() }

  /// The capabilities of the installed libcurl.
  public var capabilities: TransportCapabilities { LibcurlInfo.capabilities }

  /// Sends one exchange; see `Transport.send(_:in:)`.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try CurlRequestRules.check(request, context)
    if let reason = context.control.reason { throw reason }
    let needsTarget = TargetAddress.isNeeded(in: context)
    let target = needsTarget ? try await TargetAddress.resolve(for: request, in: context, with: lookups) : ProxyTarget()
    let ticket = Ticket(engine)
    let reader = try await Self.openBody(of: request, in: context, ticket)
    let result: Submission.Outcome = await withUnsafeContinuation { continuation in
      do throws(LupineError) {
        try engine.submit(
          .start(
            Submission(
              ticket, request: request, context: context, target: target, reader: reader, continuation: continuation)))
      } catch {
        reader?.cancel()
        return continuation.resume(returning: .failure(error))
      }
      context.onCancel { ticket.cancel() }
    }
    // A `switch` avoids the copy of the response that `get()` makes.
    switch consume result {
    case .success(let response): return response
    case .failure(let error): throw error
    }
  }

  /// Opens a body in memory; `nil` if the request has none.
  ///
  /// The exchange opens any other body when a connection limit admits it, so that waiting exchanges hold no files.
  private static func openBody(
    of request: OutgoingRequest, in context: TransferContext, _ ticket: Ticket
  ) async throws(LupineError) -> (any BodyReader)? {
    guard request.hasBody, case .bytes = request.body.source else { return nil }
    return try await context.makeReader(for: request.body) { ticket.resumeSending() }
  }

  /// Counts the connections and the waiting exchanges.
  ///
  /// Connections that are being established count as open. Exchanges whose name lookup is queued count as waiting.
  public func connectionPool() async -> ConnectionPoolSnapshot? {
    var snapshot = await withUnsafeContinuation { continuation in
      if !engine.post(.countConnections(continuation)) { continuation.resume(returning: ConnectionPoolSnapshot()) }
    }
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
    await engine.shutDown()
  }
}

extension CurlTransport {
  /// Returns one issue for each file of root certificates that the session names and that cannot be read, and for each
  /// cipher suite and group that cannot be offered.
  public func issues(with key: ConnectionKey) -> [ConfigurationIssue] {
    CertificateBundle.issues(with: key) + LibcurlInfo.issues(with: configuration.tlsAlgorithms)
  }

  /// Runs tasks on the transport's own thread.
  ///
  /// Responses arrive on this thread, so a task that runs here awaits a response without a change of thread. A program
  /// opts in with `withTaskExecutorPreference(transport.executor) { … }`, and for its handlers with
  /// `Session.Builder.executor(_:)`. Code that blocks or computes for a long time on this thread delays every transfer
  /// of the transport. After `shutdown()` the tasks run on the global executor.
  public var executor: some TaskExecutor { engine }
}

extension CurlTransport {
  /// The settings of a libcurl transport.
  public struct Configuration: Sendable, Hashable {
    /// The PEM file with the root certificates.
    ///
    /// Default: `nil`, which means the file that `SSL_CERT_FILE` names, or else the system's file.
    ///
    /// With OpenSSL, the transport reads a changed file again before the next new connection. While the file is missing
    /// or unreadable, the certificates that were read last stay valid. The transport does not detect a file that is
    /// overwritten in place with the same number of bytes within one tick of the file system's clock. With another TLS
    /// library, libcurl keeps the certificates that it has read for as long as it keeps the session's connections.
    public var certificateAuthorities: String?
    /// The cipher suites and the groups that the transport offers to servers and to HTTPS proxies.
    ///
    /// Default: the system's cipher suites without finite-field Diffie-Hellman, and the elliptic curves of OpenSSL. If
    /// libcurl uses another TLS library, that library decides, and names here are an error of `build()`.
    public var tlsAlgorithms = TLSAlgorithms()
    /// The maximum number of concurrent HTTP/1.1 exchanges for one scheme, host and port.
    ///
    /// Default: 64. Further exchanges wait.
    public var connectionsPerHost = 64
    /// The maximum number of concurrent HTTP/1.1 exchanges in total.
    ///
    /// Default: 256. Further exchanges wait.
    public var connections = 256
    /// The maximum number of concurrent name lookups, each on its own thread; at least one.
    ///
    /// Default: 32. Further names wait, and their requests emit the event `queued`. While 1,000 exchanges wait, another
    /// one fails with kind `limitExceeded(.nameLookups)`. The system's resolver cannot be interrupted: a lookup counts
    /// until the resolver returns, even if its request has ended.
    public var nameLookups = 32
    /// The maximum idle time after which a connection is still reused, in whole seconds.
    ///
    /// Default: 90 seconds.
    public var idleConnectionLifetime: Duration = .seconds(90)
    /// The maximum age at which a connection is still reused, in whole seconds.
    ///
    /// Default: one hour.
    public var connectionLifetime: Duration = .seconds(3600)
    /// The maximum number of bytes in one read from a connection, from 1 KiB to 512 KiB.
    ///
    /// Default: 96 KiB, because malloc makes a new mapping for each buffer of 128 KiB or more.
    public var receiveBufferSize = 96 << 10

    /// Creates the default settings.
    public init() {}
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
