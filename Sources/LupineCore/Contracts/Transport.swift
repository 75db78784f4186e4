/// Carries one request to a server and brings back its response.
///
/// A transport moves bytes and reports what happened. It does **not** look at the status, follow redirects, answer
/// challenges, retry, keep cookies, cache, decode content codings or validate: the session does all of that, so every
/// transport behaves the same. It returns a response whatever its status and throws only when there is none.
///
/// `send` may be called concurrently, from any thread, any number of times. It returns when the final head has arrived,
/// even while the request's body is still going out, and hands the response's body to the sink that the context names
/// for that head. It sends the fields as they stand, in their order, adding `Host` and the framing of the body alone.
public protocol Transport: Sendable {
  /// What this transport can do; the builder refuses a session that needs more.
  var capabilities: TransportCapabilities { get }

  /// Makes one exchange.
  ///
  /// When the context is cancelled (`TransferContext.onCancel`) the exchange ends at once: before the head `send` throws
  /// kind `cancelled`, after it the body fails with that kind. Nothing of the exchange stays behind.
  ///
  /// - Throws: `LupineError` when no final response arrived, with the metrics of the attempt. Where the server is known not
  ///   to have acted on the request, the error says so (`LupineError.unprocessed()`); where that is not known, it does not.
  func send(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> TransportResponse

  /// Ends every exchange with kind `sessionShutDown` and releases connections and threads; returns when all are gone.
  ///
  /// Called by whoever made the transport; one that is let go without it shuts itself down once its last exchange is done.
  func shutdown() async

  /// Whether no other program answers, as with a mock; such exchanges take no time of their own.
  ///
  /// A session on the system's clock then has no idle timeout unless it is given one.
  ///
  /// Default: `false`.
  var isVirtual: Bool { get }

  /// The reasons why connections with this key cannot be made, such as a file of root certificates that cannot be read.
  ///
  /// Called by `Session.Builder.build()`, which throws an error with these issues.
  ///
  /// Default: none.
  func issues(with key: ConnectionKey) -> [ConfigurationIssue]

  /// Makes a monitor that receives the events of one session, as a mock's does for its report.
  ///
  /// Called by `Session.Builder.build()`, once for each session. The monitor comes after those that the builder was given.
  ///
  /// Default: `nil`, no monitor.
  func makeMonitor() -> (any EventMonitor)?
}

extension Transport {
  /// See the requirement: `false`.
  public var isVirtual: Bool { false }

  /// See the requirement: none.
  public func issues(with key: ConnectionKey) -> [ConfigurationIssue] { [] }

  /// See the requirement: `nil`.
  public func makeMonitor() -> (any EventMonitor)? { nil }
}
