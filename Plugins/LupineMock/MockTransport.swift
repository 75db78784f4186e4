import FoundationEssentials
import HTTPTypes
public import LupineCore
import LupineSupport
import Synchronization

/// Answers requests from memory, as its stubs say, and remembers them.
///
/// A mock has no global state: it belongs to the sessions it is given to, so tests run in parallel and never see each
/// other. Everything above the transport is the real code.
///
/// ```swift
/// let mock = MockTransport()
/// mock.stub(.get, "https://api.example.com/v1/users/{id}", .json(User(name: "mattt")))
/// let session = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
/// ```
///
/// Of several stubs that fit a request, the one that answers is chosen by: the higher `priority`; the fewer variables in
/// the URL template; a template with an origin before one without; more conditions; and at last, the one added first.
/// A stub whose `count` is used up is passed over, and one that answers before the request's body has been read goes
/// before all others.
public final class MockTransport: Transport {
  let state = Mutex(MockState())
  private let keepsLog: Bool

  /// The mock of the running test, where a trait of `LupineTesting` gave it one.
  @TaskLocal public static var current: MockTransport?

  /// Makes a mock without stubs.
  ///
  /// - Parameter keepsLog: whether its sessions' events are kept, to stand in the message of `verify()`. Default: yes; a
  ///   measurement says no.
  public init(keepsLog: Bool = true) { self.keepsLog = keepsLog }

  /// Whether no other program answers: always.
  public var isVirtual: Bool { true }

  /// Makes the monitor of one session, whose events stand in the message of `verify()`; `nil` where `keepsLog` is off.
  public func makeMonitor() -> (any EventMonitor)? {
    guard keepsLog else { return nil }
    let monitor = ExchangeLogMonitor()
    state.withLock { $0.monitors.append(monitor) }
    return monitor
  }

  /// What became of the requests that arrived, in the sessions' words.
  public var exchanges: [ExchangeLog] { state.withLock { $0.monitors }.flatMap(\.logs) }

  /// Everything that is honoured; connections are not made, so `networking` is not among it.
  ///
  /// A session's limits on exchanges under way hold for the exchanges of all sessions that have any, and those that wait
  /// go by their priority; every exchange counts, for HTTP/2 is not assumed.
  /// The other options about connections, such as lifetimes and the local address, are accepted and have no effect, since
  /// no connection is made; the route that a request would have taken is in its `RecordedRequest`, and a network policy
  /// judges the addresses that `resolves(_:to:)` names.
  public var capabilities: TransportCapabilities {
    [
      .trustEvaluation, .http2, .trailers, .informationalResponses, .streamedUploads, .proxies, .unixSockets,
      .resolverOverrides, .localAddresses, .networkPolicy, .connectionOptions, .connectionAuthentication,
    ]
  }

  /// Answers as the stub says that fits the request.
  ///
  /// The request's body is read to its end first, unless the stub says otherwise. A fault that keeps the request from
  /// the server, such as `.connectionRefused`, sends nothing of it: what conditions or a closure saw is given back, so
  /// that a retry has a one-shot stream whole; one inside of another body, such as a compressed or a multipart one, is
  /// spent. Where a closure answers with such a fault, the progress of a body that took its time has been told. A reply
  /// that waits for nothing is given at once, in the caller's task. The session's limits are kept, and every exchange
  /// has a connection of its own.
  ///
  /// A body that waits for 100 Continue (`expectsContinue`) is read once the request's head has found its stub and that
  /// permits it; see `MockReply.continues(after:)`. A request that no stub fits by its head ends with its body unread.
  ///
  /// - Throws: `LupineError` of kind `unmatchedRequest` where no stub fits, of kind `invalidStub` where the one that fits
  ///   cannot be used, and what a stub's fault or failure says.
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

  /// Ends every exchange with kind `sessionShutDown` and returns when all are gone; later requests fail likewise.
  public func shutdown() async {
    let (running, idle) = state.withLock { ($0.shutDown(), $0.idle) }
    for exchange in running { exchange.interrupt(Self.shutDownError) }
    await idle.wait()
  }

  static let shutDownError = LupineError(.sessionShutDown, "The mock transport was shut down.")
}

extension MockTransport {
  /// Registers an exchange that takes time and can be interrupted, until it leaves.
  func enter(_ context: TransferContext) throws(LupineError) -> MockExchange {
    let exchange = MockExchange()
    guard state.withLock({ $0.enter(exchange) }) else { throw Self.shutDownError }
    context.onCancel { [control = context.control] in exchange.interrupt(control.reason ?? MockExchange.cancelled) }
    return exchange
  }

  func leave(_ exchange: MockExchange) {
    state.withLock { if $0.leave(exchange) { $0.idle.set() } }
  }

  /// What led to a request that is not its first exchange; nil for a first one.
  func log(of id: RequestID, _ request: OutgoingRequest) -> ExchangeLog? {
    state.withLock { $0.monitors }.lazy.compactMap { $0.log(of: id) }.first { log in
      log.attempts.reduce(0) { $0 + $1.hops.count } > 1 && log.attempts.last?.hops.last?.request == request.summary
    }
  }
}
