import HTTPTypes
import LupineCore
import Synchronization

/// The environment of one check: a new transport, its peer, and the transcript.
final class ConformanceStage: Sendable {
  private struct State {
    var peer: (any ConformancePeer)?
    /// The controls of the exchanges, weakly: a check can then observe that a transport releases its exchanges.
    var controls: [WeakControl] = []
    var lines: [String] = []
    var exchanges = 0
    var isAborted = false
    var isUnordered = false
  }

  let check: String
  let subject: ConformanceSubject
  let transport: any Transport
  private let state = Mutex(State())

  init(check: String, subject: ConformanceSubject) throws {
    self.check = check
    self.subject = subject
    transport = try subject.makeTransport()
  }

  /// Starts the peer.
  func play(_ script: PeerScript) throws {
    let peer = try subject.makePeer(transport, script)
    let isAborted = state.withLock { state in
      state.peer = peer
      return state.isAborted
    }
    if isAborted { peer.stop() }
  }

  /// Starts a peer that answers every request with the closure.
  func play(
    readsBody: Bool = true, holdsHead: Bool = false, answersContinue: Bool = true,
    _ reply: @escaping @Sendable (PeerRequest) -> PeerReply
  ) throws {
    var script = PeerScript(readsBody: readsBody, holdsHead: holdsHead, reply: reply)
    script.answersContinue = answersContinue
    try play(script)
  }

  var peer: any ConformancePeer {
    get throws {
      guard let peer = state.withLock({ $0.peer }) else {
        throw failure("The check itself", expected: "a peer", got: "none")
      }
      return peer
    }
  }

  /// Registers an exchange's control, which an abort cancels; returns the exchange's number.
  func enter(_ control: ExchangeControl) -> Int {
    let (number, isAborted) = state.withLock { state in
      state.exchanges += 1
      state.controls.append(WeakControl(control))
      return (state.exchanges, state.isAborted)
    }
    if isAborted { control.cancel(Self.aborted) }
    return number
  }

  private static let aborted = LupineError(.cancelled, "The check was aborted.")

  /// Ends all exchanges and stops the peer.
  func abort() {
    let (peer, controls) = state.withLock { state in
      state.isAborted = true
      return (state.peer, state.controls)
    }
    for control in controls { control.value?.cancel(Self.aborted) }
    peer?.stop()
  }

  func close() async {
    await transport.shutdown()
    state.withLock { $0.peer }?.stop()
  }
}

/// The transcript.
extension ConformanceStage {
  func record(_ line: String) { state.withLock { $0.lines.append(line) } }

  /// Removes the recorded exchanges, because the check repeats them.
  func restartTranscript() { state.withLock { $0.lines = [] } }

  /// Marks the order of the exchanges as arbitrary, so that the transcript is sorted.
  func ignoreOrder() { state.withLock { $0.isUnordered = true } }

  /// The events, and the requests that the peer received.
  var transcript: [String] {
    let (peer, lines, isUnordered) = state.withLock { ($0.peer, $0.lines, $0.isUnordered) }
    let seen = (peer?.requests ?? []).map { "the peer saw \(NormalizedText.text($0))" }
    let all = isUnordered ? lines.sorted() + seen.sorted() : lines + seen
    return all.filter { !$0.contains(Self.meanwhile) }
  }
}

extension ConformanceStage {
  func request(
    _ path: String = "/", method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: RequestBody = .none
  ) throws -> OutgoingRequest {
    OutgoingRequest(url: try HTTPURL(peer.url + path), method: method, headers: headers, body: body)
  }

  /// Sends a request, opens the body of its response as a session does, and returns.
  func send(_ request: OutgoingRequest, _ settings: StageSettings = StageSettings()) async throws
    -> StagedExchange
  {
    try peer.prepare(for: request)
    let number = enter(settings.control)
    let log = ExchangeRecord()
    var context = TransferContext(
      id: RequestID(UInt64(number)), connectTimeout: settings.connectTimeout, limits: settings.limits,
      connectionKey: settings.connectionKey, resolver: settings.resolver, control: settings.control,
      events: { event in
        log.append(event)
        settings.onEvent(event)
      },
      sink: { _ in settings.sink }
    ).withoutSink()
    context.proxyAuthorization = settings.proxyAuthorization
    context.tolerances = settings.tolerances
    let name = "\(request.method.rawValue) \(request.url.requestTarget)"
    do throws(LupineError) {
      let response = try await transport.send(request, in: context)
      response.body.open(settings.sink)
      return StagedExchange(
        stage: self, name: name, head: response.head, body: response.body, source: response.source, log: log,
        countsSent: settings.countsSent)
    } catch {
      record("\(name) failed without a head: \(error.kind)")
      throw error
    }
  }

  /// Sends a request and waits for the end of its body.
  func fetch(_ request: OutgoingRequest, _ settings: StageSettings = StageSettings()) async throws
    -> FetchedResponse
  {
    let exchange = try await send(request, settings)
    return FetchedResponse(
      head: exchange.head, end: try await exchange.end(), source: exchange.source, log: exchange.log)
  }

  /// Sends a request, by default a GET for the root, and waits for the end of its body.
  func fetch(
    _ path: String = "/", method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: RequestBody = .none,
    with settings: StageSettings = StageSettings()
  ) async throws -> FetchedResponse {
    try await fetch(request(path, method: method, headers: headers, body: body), settings)
  }
}

extension ConformanceStage {
  func failure(_ what: String, expected: String, got: String) -> ConformanceFailure {
    ConformanceFailure(check: check, subject: subject.name, what: what, expected: expected, got: got)
  }

  func expect<Value: Equatable>(_ got: Value, _ expected: Value, _ what: String) throws {
    guard got != expected else { return }
    throw failure(what, expected: NormalizedText.short("\(expected)"), got: NormalizedText.short("\(got)"))
  }

  func expect(_ isTrue: Bool, _ what: String, expected: String = "true", got: String = "false") throws {
    guard !isTrue else { return }
    throw failure(what, expected: expected, got: got)
  }

  /// Expects bytes; a failure states the lengths and the first difference.
  func expect(bytes got: some Collection<UInt8>, _ expected: [UInt8], _ what: String = "The body") throws {
    guard [UInt8](got) != expected else { return }
    let place = zip(got, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    throw failure(
      what, expected: "\(expected.count) bytes",
      got: "\(got.count) bytes" + (place.map { ", of which number \($0) is the first to differ" } ?? ""))
  }

  /// Expects a condition to be met soon: during further exchanges, which are not in the transcript.
  ///
  /// A transport may meet it on a thread of its own shortly after an exchange has ended. The number of exchanges has a
  /// limit, so that a transport which never meets it fails the check. An exchange without a network takes less time, so
  /// that there are more of them.
  func expect(soon isMet: () -> Bool, _ what: String) async throws {
    let count = transport.capabilities.contains(.networking) ? 2_000 : 10_000
    for _ in 0..<count where !isMet() { _ = try await fetch(Self.meanwhile) }
    try expect(isMet(), what)
  }

  /// The target of the exchanges during which a check waits.
  private static let meanwhile = "/meanwhile"

  /// Expects an error of a kind.
  @discardableResult
  func expect(
    error kind: LupineError.Kind, _ what: String, from operation: () async throws -> Void
  ) async throws -> LupineError {
    do {
      try await operation()
    } catch let error as LupineError {
      guard error.kind == kind else {
        throw failure(what, expected: "an error of kind \(kind)", got: "kind \(error.kind): \(error)")
      }
      return error
    }
    throw failure(what, expected: "an error of kind \(kind)", got: "no error")
  }

  /// Expects that an error's metrics count the received bytes of the body, including the piece that failed.
  func expect(received: ClosedRange<Int64>, by error: LupineError) throws {
    let count = error.metrics?.bytesReceived ?? 0
    let (least, most) = (received.lowerBound, received.upperBound)
    try expect(
      received.contains(count), "The bytes that the error's metrics count",
      expected: least == most ? "\(least)" : "\(least) or more", got: "\(count)")
  }
}

/// A reference that does not keep the control of an exchange.
struct WeakControl: Sendable {
  weak let value: ExchangeControl?

  init(_ value: ExchangeControl) { self.value = value }
}

/// The settings of one exchange.
struct StageSettings: Sendable {
  var sink = BodySink.collect(limit: 64 << 20)
  var limits = Limits()
  var connectionKey = ConnectionKey()
  var resolver: HostResolver?
  var proxyAuthorization: String?
  var tolerances: ResponseTolerances = []
  var connectTimeout: Duration?
  var control = ExchangeControl()
  /// Whether the transcript has the number of bytes that were sent; false if it depends on the speed of the peer or on
  /// the buffers of the connection.
  var countsSent = true
  var onEvent: @Sendable (SessionEvent.Kind) -> Void = { _ in }
}
