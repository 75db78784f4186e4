import HTTPTypes
public import LupineCore
import LupineDoubles
import LupineFoundation
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
  /// The exchanges that take time.
  let running = VirtualExchanges(of: "The mock transport")
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

  /// The capabilities that the mock imitates.
  ///
  /// It makes no connections and no TLS handshakes. A session with a client certificate or versions of TLS is built on
  /// `imitating(_:)`, or without these steps.
  ///
  /// A session's limits on concurrent exchanges apply to the exchanges of all sessions with such a limit. Waiting
  /// exchanges begin in the order of their priority. Every exchange counts, because HTTP/2 is not assumed.
  ///
  /// Other connection options, such as lifetimes and the local address, are accepted and have no effect, because no
  /// connection is made. The route that a request would have taken is in its `RecordedRequest`. A network policy checks
  /// the addresses of `resolves(_:to:)`. The session's own resolver is asked in each exchange with a host that has a name,
  /// and the policy checks its addresses in the place of those.
  public var capabilities: TransportCapabilities {
    [
      .tls, .trustEvaluation, .http2, .trailers, .informationalResponses, .streamedUploads, .proxies, .unixSockets,
      .resolverOverrides, .localAddresses, .networkPolicy, .connectionOptions, .connectionAuthentication,
      .hostResolvers,
    ]
  }

  /// Answers with the stub that matches the request.
  ///
  /// The request's body is read to its end first, unless the stub's `reading` or a fault in the request limits it. If the
  /// stub has conditions, or a closure makes the reply, `resetInRequest` comes after the whole body. A fault before the
  /// request reaches the server, such as `.connectionRefused`, sends none of the body. Bytes that conditions or a closure have
  /// read are restored, so that a retry has a complete one-shot stream. A one-shot stream inside another body, such as a
  /// compressed or a multipart one, cannot be restored. If a closure returns such a fault, the progress of a body that
  /// took time has already been reported. A reply that needs no waiting is delivered in the caller's task. The
  /// session's limits apply, and every exchange has its own connection.
  ///
  /// A body that waits for 100 Continue (`expectsContinue`) is read after the request's head has matched a stub whose
  /// reply permits it; see `MockReply.continues(after:)`. If no stub matches the head, the request ends and its body
  /// stays unread.
  ///
  /// - Throws: `LupineError` of kind `unmatchedRequest` if no stub matches, of kind `invalidStub` if the matching stub
  ///   is faulty, and the error of a stub's fault or failure.
  @inline(__always)  // Into the witness, as `Benchmarks/README.md` says.
  public func send(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    try RequestRules.check(request, limits: context.limits)
    if let reason = context.control.reason { throw reason }
    if context.resolver != nil || context.connectionKey.networkPolicy != nil {
      do throws(LupineError) { try await checkAddresses(for: request, in: context) } catch {
        throw error.measured(TransferMetrics())
      }
    }
    let options = context.connections
    if options.perHost == nil, options.total == nil { return try await begin(request, in: context) }
    return try await withConnectionLimit(options, request, in: context) { () throws(LupineError) in
      try await begin(request, in: context)
    }
  }

  @inline(__always)  // See `send(_:in:)`.
  private func begin(
    _ request: OutgoingRequest, in context: TransferContext
  ) async throws(LupineError) -> TransportResponse {
    let world = Simulation.current
    let injection = world?.injection(request, context)
    try evaluateTrust(for: request, in: context)
    let upload = request.hasBody ? try await open(request, in: context) : nil
    let stubbed = StubbedExchange(
      mock: self, request: upload?.waitsForContinue == true ? request.expecting : request, context: context,
      upload: upload,
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

  /// Opens the body of a request; the exchange can be ended while the body waits for a disk or for the program's code.
  private func open(_ request: OutgoingRequest, in context: TransferContext) async throws(LupineError) -> Upload {
    if case .bytes = request.body.source { return try await Upload(of: request, in: context) }
    let exchange = try running.enter(context)
    defer { running.leave(exchange) }
    return try await exchange.run(on: context.executor) { () throws(LupineError) in
      try await Upload(of: request, in: context)
    }
  }

  /// Ends every exchange with kind `sessionShutDown` and waits for their ends; later requests fail with the same kind.
  public func shutdown() async { await running.shutDown() }
}

extension MockTransport {
  /// Returns the earlier exchanges of a request; `nil` for the first exchange.
  func log(of id: RequestID, _ request: OutgoingRequest) -> ExchangeLog? {
    state.withLock { $0.monitors }.lazy.compactMap { $0.log(of: id) }.first { log in
      log.attempts.reduce(0) { $0 + $1.hops.count } > 1 && log.attempts.last?.hops.last?.request == request.summary
    }
  }
}

extension MockTransport {
  /// Answers requests with these methods and this URL with a reply.
  ///
  /// The template is an absolute URL, or a path that begins with `/` and matches every origin. In its path, `{name}`
  /// matches one segment or a part of one, which must not be empty. A last segment `{name...}` matches any number of
  /// further segments, including none: `/{any...}` matches everything. Paths are compared decoded; a trailing slash
  /// counts. A template without a query matches any query. Items in a template's query must be in the request's query,
  /// in any order, and `{name}` matches any value; further items are allowed (see `RequestCondition.query(exactly:)`).
  ///
  /// An invalid template, or a reply that contradicts itself, is an error of the requests that it affects and of
  /// `verify()`; both errors name the line of the stub.
  ///
  /// - Parameters:
  ///   - methods: the methods that the stub answers, such as `.get` or `[.get, .head]`.
  ///   - url: the URL template.
  ///   - conditions: further conditions that a request must meet. Default: none.
  ///   - priority: if several stubs match, the one with the greater number answers. Default: 0.
  ///   - count: how often the stub answers. Default: any number of times, and at least once for `verify()`.
  ///   - reading: how much of the request's body is read before the answer. Default: all of it. Stubs that read less
  ///     are evaluated before all others.
  ///   - reply: the reply.
  public func stub(
    _ methods: StubMethods, _ url: String, where conditions: [RequestCondition] = [], priority: Int = 0,
    count: StubCount = .unlimited, reading: RequestReading = .whole, _ reply: MockReply, fileID: String = #fileID,
    filePath: String = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = StubLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let parameters = parameters(methods, url, conditions, priority, count, reading, location)
    add(parameters, .fixed(reply, for: parameters))
  }

  /// Answers requests with these methods and this URL with the reply that a closure returns.
  ///
  /// See the stub with a fixed reply. The closure is called in the task of the exchange, once for each request that the
  /// stub answers; calls may be concurrent. An error that it throws ends the request with kind `invalidStub`; to make a
  /// request fail on purpose, return `.failure` or `.fault`.
  public func stub(
    _ methods: StubMethods, _ url: String, where conditions: [RequestCondition] = [], priority: Int = 0,
    count: StubCount = .unlimited, reading: RequestReading = .whole, fileID: String = #fileID,
    filePath: String = #filePath, line: UInt = #line, column: UInt = #column,
    _ reply: @escaping @Sendable (RecordedRequest) throws -> MockReply
  ) {
    let location = StubLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    add(parameters(methods, url, conditions, priority, count, reading, location), .closure(reply))
  }

  /// Answers requests with these methods and this URL with the reply that an asynchronous closure returns.
  ///
  /// The closure is called once for each request that the stub answers; calls may be concurrent. If the exchange is
  /// cancelled meanwhile, the closure's task is cancelled.
  public func stub(
    _ methods: StubMethods, _ url: String, where conditions: [RequestCondition] = [], priority: Int = 0,
    count: StubCount = .unlimited, reading: RequestReading = .whole, fileID: String = #fileID,
    filePath: String = #filePath, line: UInt = #line, column: UInt = #column,
    _ reply: @escaping @Sendable (RecordedRequest) async throws -> MockReply
  ) {
    let location = StubLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    add(parameters(methods, url, conditions, priority, count, reading, location), .asyncClosure(reply))
  }

  private func parameters(
    _ methods: StubMethods, _ url: String, _ conditions: [RequestCondition], _ priority: Int, _ count: StubCount,
    _ reading: RequestReading, _ location: StubLocation
  ) -> StubParameters {
    let place = state.withLock { $0.nextPlace() }
    return StubParameters(methods, url, conditions, priority, count, reading, location, place: place)
  }

  private func add(_ parameters: StubParameters, _ answers: Stub.Answers) {
    let stub = Stub(parameters, answers)
    state.withLock { $0.add(stub) }
  }
}

extension Transport where Self == MockTransport {
  /// A mock transport with the stubs that the closure adds before this method returns.
  public static func mock(_ configure: (MockTransport) -> Void) -> MockTransport {
    let mock = MockTransport()
    configure(mock)
    return mock
  }
}

extension LupineError.Kind {
  /// A stub or a fixture is invalid.
  public static let invalidStub = LupineError.Kind.plugin("invalidStub")
  /// A stub of a mock was used less often than its minimum.
  public static let unusedStub = LupineError.Kind.plugin("unusedStub")
  /// A simulation has nothing left to run, but its body has not ended.
  public static let simulationStuck = LupineError.Kind.plugin("simulationStuck")
  /// A simulation was started inside another one, whose time would not advance meanwhile.
  public static let simulationNested = LupineError.Kind.plugin("simulationNested")
}
