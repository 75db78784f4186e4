import HTTPTypes
import LupineCore
import LupineMock
import Testing

/// Faults of a body in responses without content, and faults of a connection before a request's body is sent.
@Suite struct BodilessFaultTests {
  static let bodyFaults: [NetworkFault] = [
    .resetAfterHead, .reset(afterBytes: 3), .truncated(afterBytes: 3), .stall(afterBytes: 3), .malformedChunk,
    .compressedBomb(decodedBytes: 1_000),
  ]

  @Test(arguments: bodyFaults) func `a response to HEAD is spared the faults of a body`(fault: NetworkFault)
    async throws
  {
    let mock = MockTransport()
    mock.stub(.head, "/", .text("hello").fault(fault))
    #expect(try await Exchange(method: .head).response(from: mock).head.status == .ok)
    try mock.verify()
  }

  @Test(arguments: bodyFaults, [HTTPResponse.Status.noContent, .notModified])
  func `a response without content is spared them too`(fault: NetworkFault, status: HTTPResponse.Status) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .status(status).fault(fault))
    #expect(try await Exchange().response(from: mock).head.status == status)
    try mock.verify()
  }

  @Test(arguments: [NetworkFault.hostNotFound, .connectionRefused, .networkUnreachable, .tlsRefused])
  func `a body is not sent if no connection is made`(fault: NetworkFault) async throws {
    let mock = MockTransport()
    mock.stub(.post, "/", .sequence([.fault(fault), .text("done")]))
    let exchange = Exchange(method: .post, body: .text("hello"))
    let failure = try #require(await exchange.failure(from: mock))
    #expect(failure.metrics?.bytesSent == 0)
    #expect(!exchange.events.all.contains { if case .sent = $0 { true } else { false } })
    #expect(mock.requests.map(\.isBodyComplete) == [false])
    #expect(try await exchange.response(from: mock).text == "done")
    #expect(mock.requests.map(\.text) == ["", "hello"])
  }
}
