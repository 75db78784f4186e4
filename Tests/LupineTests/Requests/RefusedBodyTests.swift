import HTTPTypes
import Lupine
import LupineMock
import LupineTesting
import Synchronization
import Testing
import TransportSupport

/// One-shot bodies whose first attempt is refused at a closed port, over a network and over the mock.
@Suite(.overEachTransport) struct RefusedBodyTests {
  /// Sends the first attempt to the first URL, and later attempts to the last URL.
  private final class Detour: RequestAdapter {
    private let urls: Mutex<[String]>

    init(_ urls: String...) { self.urls = Mutex(urls) }

    func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
      let url = urls.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
      var request = request
      request.url = try HTTPURL(url)
      return request
    }
  }

  private struct Again: Retrier {
    func decision(for attempt: AttemptOutcome) async -> RetryDecision { attempt.number == 1 ? .retry : .doNotRetry }
  }

  /// The result of a request, as the program and the monitors receive it.
  private struct Outcome: Equatable {
    var text: String?
    var bytesSent: [Int64?]
    var progress: Set<Int64>
    var decisions: [String]
  }

  private func outcome(of transport: some Transport, _ closed: ClosedPort, _ url: String) async throws -> Outcome {
    let monitor = ExchangeLogMonitor()
    let session = try Session.Builder().transport(transport).adapter(Detour(closed.url, url))
      .retrier(Again()).monitor(monitor).build()
    let content = AsyncStream { pieces in
      pieces.yield(Array("content".utf8))
      pieces.finish()
    }
    let progress = Mutex<Set<Int64>>([])
    let request = try OutgoingRequest(url, method: .post, body: .oneShot(content))
    let sent = session.request(request)
      .uploadProgress { told in progress.withLock { _ = $0.insert(told.completed) } }
    let response = await sent.serializingString().response
    return Outcome(
      text: response.value, bytesSent: sent.allMetrics.map(\.bytesSent), progress: progress.withLock { $0 },
      decisions: monitor.logs.flatMap { $0.decisions.map { "\($0.kind)" } })
  }

  @Test func `a one-shot stream survives a refused connection, and a retry sends it`() async throws {
    let closed = try ClosedPort()
    let server = try ScriptedServer(always: .respond(body: .text("welcome")))
    let transport = TestTransport.make()
    let real = try await outcome(of: transport, closed, server.url)
    await transport.shutdown()
    #expect(real.text == "welcome")
    #expect(server.requests.map(\.bodyText) == ["content"])
    let mock = MockTransport()
    mock.stub(.post, closed.url, where: [.body("content")], .fault(.connectionRefused))
    mock.stub(.post, server.url, where: [.body("content")], .text("welcome"))
    #expect(try await outcome(of: mock, closed, server.url) == real)
    try mock.verify()
  }
}
