public import LupineCore

/// Sends exchanges with libcurl over HTTP/1.1 and HTTP/2, and reuses connections.
///
/// One thread serves all exchanges of a transport. The thread starts with the first exchange. It ends with
/// `shutdown()`, or with the last exchange after the transport has been released. The transport ignores the
/// environment's proxies and `.netrc`. OpenSSL verifies certificates against a file of root certificates, and against a
/// second file if the session adds one.
public final class CurlTransport: ConnectionPooling {
  /// The settings of the transport.
  public let configuration: Configuration
  let engine: Engine
  private let lookups: HostLookups

  /// Creates a transport; it opens nothing before the first request.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, resolver: .system)
  }

  /// - Parameter resolver: resolves host names, except the names of this machine (`localhost`).
  init(_ configuration: Configuration = Configuration(), resolver: HostResolver) {
    self.configuration = configuration
    lookups = HostLookups(resolver, limit: configuration.nameLookups)
    engine = Engine(configuration, lookups)
  }

  deinit { engine.letGo() }

  /// The capabilities of the installed libcurl.
  public var capabilities: TransportCapabilities { LibraryFacts.capabilities }

  /// Sends one exchange; see `Transport.send(_:in:)`.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try CurlRequestRules.check(request, context)
    if let reason = context.control.reason { throw reason }
    let isAsking = TargetAddress.isAsked(in: context)
    let target = isAsking ? try await TargetAddress.find(for: request, in: context, by: lookups) : Target()
    let result: Submission.Outcome = await withUnsafeContinuation { continuation in
      let ticket: Ticket
      do throws(LupineError) {
        ticket = try engine.submit(request, context, target, continuation)
      } catch {
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

  /// Counts the connections and the waiting exchanges.
  ///
  /// Connections that are being established count as open. Exchanges whose name lookup is queued count as waiting.
  public func connectionPool() async -> ConnectionPoolSnapshot {
    var snapshot = await engine.connectionPool()
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

extension Transport where Self == CurlTransport {
  /// Creates a libcurl transport with the default settings.
  public static var curl: CurlTransport { CurlTransport() }

  /// Creates a libcurl transport.
  public static func curl(_ configuration: CurlTransport.Configuration) -> CurlTransport {
    CurlTransport(configuration)
  }
}
