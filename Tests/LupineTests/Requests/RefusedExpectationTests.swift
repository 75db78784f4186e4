import HTTPTypes
import Lupine
import LupineMock
import LupineTesting
import Testing
import TransportSupport

/// A server that answers `Expect: 100-continue` with 417 gets the request again without it (RFC 9110 section 10.1.1).
@Suite(.overEachTransport) struct RefusedExpectationTests {
  /// How a request asks for 100 (Continue).
  enum Asking: CaseIterable { case option, field, no }

  /// A server without support for expectations.
  private static func server(always status: Int? = nil) throws -> ScriptedServer {
    try ScriptedServer(answersContinue: false) { request in
      if let status { return .respond(status: status) }
      return request.fields.values(of: "Expect").isEmpty
        ? .respond(body: .text(request.bodyText)) : ScriptedReply.respond(status: 417, body: .text("no"))
    }
  }

  private static func upload(
    _ body: RequestBody, _ session: Session, _ url: String, _ asking: Asking
  ) -> UploadRequest {
    session.upload(
      body, to: url, method: .put, headers: asking == .field ? ["Expect": "100-continue"] : [:],
      expectsContinue: asking == .option)
  }

  @Test(arguments: Asking.allCases) func `the request is sent again, once and with its body`(asking: Asking)
    async throws
  {
    let server = try Self.server()
    defer { server.stop() }
    let session = try Session.Builder().transport(TestTransport.make()).timeouts(total: .seconds(30)).build()
    let monitor = ExchangeLogMonitor()
    for body in [RequestBody.text("hello"), .stream { [Array("hel".utf8), Array("lo".utf8)].async }] {
      let request = Self.upload(body, session, server.url, asking).monitor(monitor)
      #expect(try await request.serializingString().value == "hello")
      #expect(request.retryCount == 0)
    }
    #expect(server.requests.count == (asking == .no ? 2 : 4))
    #expect(server.requests.last?.fields.values(of: "Expect") == [])
    let resends = monitor.logs.flatMap(\.decisions).filter { $0.kind == .resend }
    #expect(resends.count == (asking == .no ? 0 : 2))
    #expect(server.problems.isEmpty)
  }

  @Test(arguments: Asking.allCases) func `a second 417 is the response`(asking: Asking) async throws {
    let server = try Self.server(always: 417)
    defer { server.stop() }
    let session = try Session.Builder().transport(TestTransport.make()).timeouts(total: .seconds(30)).build()
    let response = await Self.upload(.text("hello"), session, server.url, asking).serializingData().response
    #expect(response.response?.status.code == 417)
    #expect(server.requests.count == (asking == .no ? 1 : 2))
  }

  @Test func `a mock that answers 417 gets the request again, too`() async throws {
    let mock = MockTransport()
    mock.stub(.put, "https://example.com/", where: [.field(.expect)], .status(.expectationFailed))
    mock.stub(.put, "https://example.com/", .text("welcome"))
    let session = try Session.Builder().transport(mock).build()
    let upload = Self.upload(.text("hello"), session, "https://example.com/", .option)
    #expect(try await upload.serializingString().value == "welcome")
    #expect(mock.requests.map(\.text) == ["", "hello"])
  }
}

extension [[UInt8]] {
  /// The pieces as a sequence for the body of a request.
  fileprivate var async: AsyncStream<[UInt8]> {
    AsyncStream { pieces in
      for piece in self { pieces.yield(piece) }
      pieces.finish()
    }
  }
}
