public import LupineCore

/// Carries exchanges over libcurl: HTTP/1.1 and HTTP/2, with connections kept and shared between them.
///
/// One thread serves all exchanges of a transport; it starts with the first of them and ends with `shutdown()`, or when
/// the transport is let go and its last exchange is done. The environment's proxies, `.netrc` and the like are not read
/// by it. Certificates are judged by OpenSSL against a file of root certificates, and a second one where the session adds
/// it.
public final class CurlTransport: ConnectionPooling {
  /// How the transport was set up.
  public let configuration: Configuration
  let engine: Engine
  private let lookups: HostLookups

  /// Makes a transport; nothing is opened before the first request.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, resolver: .system)
  }

  /// - Parameter resolver: what finds the addresses of names, but for those that stand for this machine.
  init(_ configuration: Configuration = Configuration(), resolver: HostResolver) {
    self.configuration = configuration
    lookups = HostLookups(resolver, limit: configuration.nameLookups)
    engine = Engine(configuration, lookups)
  }

  deinit { engine.letGo() }

  /// What the libcurl at hand can do.
  public var capabilities: TransportCapabilities { LibraryFacts.capabilities }

  /// Makes one exchange; see `Transport.send(_:in:)`.
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
    // Taken apart rather than asked, which would copy the response.
    switch consume result {
    case .success(let response): return response
    case .failure(let error): throw error
    }
  }

  /// Counts the connections; those that are being made count as open, and exchanges whose host's name waits to be looked up
  /// as waiting.
  public func connectionPool() async -> ConnectionPoolSnapshot {
    var snapshot = await engine.connectionPool()
    snapshot.waiting += lookups.waitingCount
    return snapshot
  }

  /// Ends every exchange with kind `sessionShutDown`; returns when connections, descriptors and the loop's thread are
  /// gone.
  ///
  /// It does not wait for names that are being looked up: nothing ends the system's resolver, whose threads end with
  /// its answers.
  public func shutdown() async {
    lookups.close()
    await engine.shutDown()
  }
}

extension Transport where Self == CurlTransport {
  /// A new libcurl transport with the defaults.
  public static var curl: CurlTransport { CurlTransport() }

  /// A new libcurl transport.
  public static func curl(_ configuration: CurlTransport.Configuration) -> CurlTransport {
    CurlTransport(configuration)
  }
}
