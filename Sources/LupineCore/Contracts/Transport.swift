public import LupineFoundation

/// Sends one request to a server and returns its response.
///
/// A transport moves bytes and reports events. It does **not** check the status, follow redirects, answer challenges,
/// retry, keep cookies, cache, decode content codings or validate: the session does all of that, so every transport
/// behaves the same. It returns a response whatever its status and throws only if there is none.
///
/// The session calls `send` concurrently, from any thread, any number of times. The call returns when the final head
/// has arrived, even if the request's body is not fully sent. The response's body follows through the writer of
/// `TransferContext.makeBody`; the session decides after the head where the body goes. The transport sends the fields
/// unchanged and in order, and adds only `Host` and the framing of the body.
///
/// The guide Writing a transport lists every duty, and the conformance kit of `LupineTesting` checks them. This
/// transport answers each request with its URL:
///
/// ```swift
/// struct EchoTransport: Transport {
///   var capabilities: TransportCapabilities { [] }
///
///   func send(
///     _ request: OutgoingRequest, in context: TransferContext
///   ) async throws(LupineError) -> TransportResponse {
///     context.emit(.sent(bytes: 0))
///     let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"])
///     return TransportResponse(head: head, body: context.makeBody(for: head, content: Data("\(request.url)".utf8)))
///   }
///
///   func shutdown() async {}
/// }
/// ```
public protocol Transport: Sendable {
  /// The features of this transport.
  ///
  /// `Session.Builder.build()` throws if the session needs more.
  var capabilities: TransportCapabilities { get }

  /// Makes one exchange.
  ///
  /// When the context is cancelled (`TransferContext.onCancel`), the exchange ends at once with the reason of its
  /// control (`ExchangeControl.reason`): before the head `send` throws it, after the head the body fails with it. The
  /// transport then releases everything that belongs to the exchange.
  ///
  /// - Throws: `LupineError` if no final response arrived, with the metrics of the attempt. If the server is known not
  ///   to have processed the request, the error says so (`LupineError.unprocessed()`).
  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse

  /// Ends every exchange with kind `sessionShutDown` and releases connections and threads; returns when all are gone.
  ///
  /// The code that made the transport calls it. A transport that is deallocated without it shuts down after its last
  /// exchange.
  func shutdown() async

  /// Whether the transport answers without another program, as a mock does.
  ///
  /// Exchanges then take no time of their own, so a session on the system's clock has no idle timeout unless one is
  /// set.
  ///
  /// Default: `false`.
  var isVirtual: Bool { get }

  /// Returns the source of the date for a session on this virtual clock, as a replay that begins at the date of its
  /// recording does.
  ///
  /// `Session.Builder.build()` calls it once for each session whose transports are all virtual and whose clock is a
  /// `DatedClock`, unless `now(_:)` sets the date. The session calls the closure from any thread, concurrently.
  ///
  /// Default: `nil`, the date of the clock.
  func date(on clock: any DatedClock) -> (@Sendable () -> Date)?

  /// Returns the reasons why connections with this key cannot be made, such as an unreadable file of root certificates.
  ///
  /// `Session.Builder.build()` calls it and throws an error with these issues.
  ///
  /// Default: none.
  func issues(with key: ConnectionKey) -> [ConfigurationIssue]

  /// Returns advice for a session that needs capabilities that this transport lacks.
  ///
  /// `Session.Builder.build()` appends the advice, a clause such as "use another transport", to the reason that it gives
  /// for each part.
  ///
  /// Default: `nil`, no advice.
  func remedy(for missing: TransportCapabilities) -> String?

  /// Makes a monitor that receives the events of one session, as a mock's does for its report.
  ///
  /// `Session.Builder.build()` calls it once for each session. The monitor comes after the builder's monitors.
  ///
  /// Default: `nil`, no monitor.
  func makeMonitor() -> (any EventMonitor)?

  /// Counts the connections of all sessions that use the transport; returns zeros after its shutdown.
  ///
  /// `Session.connectionPool()` calls it.
  ///
  /// Default: `nil`, no connection pool.
  func connectionPool() async -> ConnectionPoolSnapshot?
}

extension Transport {
  /// Returns `false`.
  public var isVirtual: Bool { false }

  /// Returns `nil`.
  public func date(on clock: any DatedClock) -> (@Sendable () -> Date)? { nil }

  /// Returns no issues.
  public func issues(with key: ConnectionKey) -> [ConfigurationIssue] { [] }

  /// Returns `nil`.
  public func remedy(for missing: TransportCapabilities) -> String? { nil }

  /// Returns `nil`.
  public func makeMonitor() -> (any EventMonitor)? { nil }

  /// Returns `nil`.
  public func connectionPool() async -> ConnectionPoolSnapshot? { nil }
}
