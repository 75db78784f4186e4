import FoundationEssentials
import HTTPTypes
public import LupineCore
import LupineSupport
import Synchronization

/// Answers requests from memory with stubs, and records the requests.
///
/// A mock has no global state: it belongs to the sessions that use it, so tests can run in parallel without affecting
/// each other. Everything above the transport is the real code.
///
/// ```swift
/// let mock = MockTransport()
/// mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
/// let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
/// ```
///
/// If several stubs match a request, the answering stub is chosen by: the higher `priority`; fewer variables in the URL
/// template; a template with an origin before one without; more conditions; and finally the earlier addition. A stub
/// whose `count` is used up is skipped. A stub that answers before the request's body has been read precedes all
/// others.
public final class MockTransport: Transport {
  let state = Mutex(MockState())
  private let keepsLog: Bool

  /// The mock of the running test, if a trait of `LupineTesting` set one.
  @TaskLocal public static var current: MockTransport?

  /// Makes a mock without stubs.
  ///
  /// - Parameter keepsLog: whether the events of the sessions are recorded for the message of `verify()`. Default:
  ///   true; use false for measurements.
  public init(keepsLog: Bool = true) { self.keepsLog = keepsLog }

  /// Whether the transport answers without another process: always true.
  public var isVirtual: Bool { true }

  /// Makes the monitor of one session, which records events for the message of `verify()`; `nil` if `keepsLog` is
  /// false.
  public func makeMonitor() -> (any EventMonitor)? {
    guard keepsLog else { return nil }
    let monitor = ExchangeLogMonitor()
    state.withLock { $0.monitors.append(monitor) }
    return monitor
  }

  /// The recorded events of the requests that arrived.
  public var exchanges: [ExchangeLog] { state.withLock { $0.monitors }.flatMap(\.logs) }

  /// All capabilities except `networking`, because no connections are made.
  ///
  /// A session's limits on concurrent exchanges apply to the exchanges of all sessions with such a limit. Waiting
  /// exchanges begin in the order of their priority. Every exchange counts, because HTTP/2 is not assumed.
  ///
  /// Other connection options, such as lifetimes and the local address, are accepted and have no effect, because no
  /// connection is made. The route that a request would have taken is in its `RecordedRequest`. A network policy checks
  /// the addresses of `resolves(_:to:)`.
  public var capabilities: TransportCapabilities {
    [
      .trustEvaluation, .http2, .trailers, .informationalResponses, .streamedUploads, .proxies, .unixSockets,
      .resolverOverrides, .localAddresses, .networkPolicy, .connectionOptions, .connectionAuthentication,
    ]
  }

  /// Answers with the stub that matches the request.
  ///
  /// The request's body is read to its end first, unless the stub's `reading` limits it. A fault before the request
  /// reaches the server, such as `.connectionRefused`, sends none of the body. What conditions or a closure have read
  /// is restored, so that a retry has a complete one-shot stream. A one-shot stream inside another body, such as a
  /// compressed or a multipart one, cannot be restored. If a closure returns such a fault, the progress of a body that
  /// took time has already been reported. A reply that needs no waiting is delivered in the caller's task. The
  /// session's limits apply, and every exchange has its own connection.
  ///
  /// A body that waits for 100 Continue (`expectsContinue`) is read once the request's head has matched a stub whose
  /// reply permits it; see `MockReply.continues(after:)`. If no stub matches the head, the request ends and its body
  /// stays unread.
  ///
  /// - Throws: `LupineError` of kind `unmatchedRequest` if no stub matches, of kind `invalidStub` if the matching stub
  ///   is faulty, and the error of a stub's fault or failure.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try RequestRules.check(request, limits: context.limits)
    if let reason = context.control.reason { throw reason }
    try checkPolicy(for: request, in: context)
    return try await inTurn(request, in: context) { () throws(LupineError) in try await begin(request, in: context) }
  }

  private func begin(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    let world = Simulation.current
    let injection = world?.injection(request, context)
    try evaluateTrust(for: request, in: context)
    let upload = request.hasBody ? try Upload(of: request, in: context) : nil
    let stubbed = StubbedExchange(
      mock: self, request: upload?.isHeldBack == true ? request.expecting : request, context: context, upload: upload,
      world: world, injection: injection)
    do throws(LupineError) {
      let beginning = try stubbed.begin()
      if case .response(let response) = beginning { return response }
      return try await stubbed.finish(beginning)
    } catch {
      upload?.cancel()
      let sent = upload?.bytesSent ?? 0
      throw error.measured(TransferMetrics(sent: sent, received: 0, request.version ?? .http1_1))
    }
  }

  /// Ends every exchange with kind `sessionShutDown` and waits for their ends; later requests fail with the same kind.
  public func shutdown() async {
    let (running, idle) = state.withLock { ($0.shutDown(), $0.idle) }
    for exchange in running { exchange.interrupt(Self.shutDownError) }
    await idle.wait()
  }

  static let shutDownError = LupineError(.sessionShutDown, "The mock transport was shut down.")
}

extension MockTransport {
  /// Registers an exchange that takes time and can be interrupted, until its end.
  func enter(_ context: TransferContext) throws(LupineError) -> MockExchange {
    let exchange = MockExchange()
    guard state.withLock({ $0.enter(exchange) }) else { throw Self.shutDownError }
    context.onCancel { [control = context.control] in exchange.interrupt(control.reason ?? MockExchange.cancelled) }
    return exchange
  }

  func leave(_ exchange: MockExchange) {
    state.withLock { if $0.leave(exchange) { $0.idle.set() } }
  }

  /// Returns the earlier exchanges of a request; `nil` for the first exchange.
  func log(of id: RequestID, _ request: OutgoingRequest) -> ExchangeLog? {
    state.withLock { $0.monitors }.lazy.compactMap { $0.log(of: id) }.first { log in
      log.attempts.reduce(0) { $0 + $1.hops.count } > 1 && log.attempts.last?.hops.last?.request == request.summary
    }
  }
}
