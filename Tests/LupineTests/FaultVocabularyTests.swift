import HTTPTypes
import Lupine
import LupineMock
import LupineTesting
import Testing
import TransportSupport

/// The same fault has the same result with the mock and with a real server.
@Suite(.overEachTransport) struct FaultVocabularyTests {
  static let faults: [NetworkFault] = [
    .resetBeforeHead, .resetAfterHead, .reset(afterBytes: 2), .reset(afterBytes: 100), .truncated(afterBytes: 0),
    .truncated(afterBytes: 2), .truncated(afterBytes: 100), .dribble(every: .milliseconds(1)), .malformedChunk,
    .doubledLength, .oversizedField(bytes: 90_000), .oversizedField(bytes: 2_000),
    .compressedBomb(decodedBytes: 80 << 20), .compressedBomb(decodedBytes: 1_000),
  ]

  private func session(_ transport: some Transport, _ monitor: ExchangeLogMonitor) throws -> Session {
    var limits = Limits()
    limits.responseFields = 64 << 10
    return try Session.Builder().transport(transport).install(.compression).limits(limits).monitor(monitor).build()
  }

  @Test(arguments: faults) func `a fault of the mock and of a server gives the same error`(fault: NetworkFault)
    async throws
  {
    let reply = try #require(ScriptedReply(fault))
    let server = try ScriptedServer(always: reply)
    let mock = MockTransport()
    mock.stub(.get, "/", .text("hello").fault(fault))
    let (real, mocked) = (ExchangeLogMonitor(), ExchangeLogMonitor())
    let transport = TestTransport.make()
    let below = await (try session(transport, real)).request(server.url + "/").serializingData().response
    let above = await (try session(mock, mocked)).request(server.url + "/").serializingData().response
    #expect(below.error?.kind == above.error?.kind, "\(real)\n\(mocked)")
    #expect(real.logs.map(\.attempts.count) == mocked.logs.map(\.attempts.count))
    #expect(real.logs.map { $0.decisions.map(\.kind) } == mocked.logs.map { $0.decisions.map(\.kind) })
    await transport.shutdown()
  }

  @Test(arguments: [0, 2, 5, 100]) func `a reset in the request's body is the same from both`(count: Int) async throws {
    let place = try FaultServer(.resetInRequest(afterBytes: count))
    let mock = MockTransport()
    mock.stub(.post, "/", .fault(.resetInRequest(afterBytes: count)))
    let transport = TestTransport.make()
    for transport in [transport, mock] as [any Transport] {
      let session = try Session.Builder().transport(transport).build()
      let request = try OutgoingRequest(place.url + "/", method: .post, body: .text("hello"))
      #expect(await session.request(request).serializingData().response.error?.kind == .connectionLost)
    }
    #expect(mock.requests.map { String(decoding: $0.body, as: UTF8.self) } == [String("hello".prefix(count))])
    #expect(mock.requests.map(\.isBodyComplete) == [count > 5])
    await transport.shutdown()
  }

  @Test(arguments: [NetworkFault.stallBeforeHead, .stall(afterBytes: 2)])
  func `a stall ends with the idle timeout on both`(fault: NetworkFault) async throws {
    let reply = try #require(ScriptedReply(fault))
    let server = try ScriptedServer(always: reply)
    let mock = MockTransport()
    mock.stub(.get, "/", .text("hello").fault(fault))
    let transport = TestTransport.make()
    let real = try Session.Builder().transport(transport).timeouts(idle: .milliseconds(50)).build()
    let mocked = try Session.Builder().transport(mock).clock(ImmediateClock()).build()
    #expect(await real.request(server.url).serializingData().response.error?.kind == .timedOut(.idle))
    #expect(await mocked.request(server.url).serializingData().response.error?.kind == .timedOut(.idle))
    await transport.shutdown()
  }

  @Test(arguments: [NetworkFault.hostNotFound, .connectionRefused, .networkUnreachable, .tlsRefused, .goAway])
  func `a fault before the request is no reply`(fault: NetworkFault) {
    #expect(ScriptedReply(fault) == nil)
  }

  @Test func `the exchange log is the same from a transport with a network and from the mock`() async throws {
    let server = try ScriptedServer { request in
      switch (request.path, request.number) {
      case ("/old", _): .respond(status: 302, fields: ["Location": "/new"])
      case ("/new", 0...1): .respond(status: 503, body: .none)
      default: .respond(body: .text("here"))
      }
    }
    let mock = MockTransport()
    mock.stub(.get, "/old", .redirect(to: "/new"))
    mock.stub(.get, "/new", .sequence([.status(.serviceUnavailable), .text("here")]))
    let transport = TestTransport.make()
    var outlines: [String] = []
    func run(_ transport: some Transport) async throws {
      let exchanges = ExchangeLogMonitor()
      let session = try Session.Builder().transport(transport).clock(ImmediateClock()).timeouts(idle: nil)
        .retrier(.backoff(limit: 1)).monitor(exchanges).build()
      _ = await session.request(server.url + "/old").validate().serializingString().response
      outlines += exchanges.logs.map(\.outline)
    }
    try await run(transport)
    try await run(mock)
    #expect(outlines.count == 2)
    #expect(outlines.first == outlines.last)
    #expect(outlines.first?.contains("redirected to") == true)
    await transport.shutdown()
  }
}
