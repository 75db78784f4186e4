import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineCurl
import LupineTesting
import Testing
import TransportSupport

@Suite(.overEachTransport) struct RequestRulesTests {
  @Test(arguments: ["Content-Length", "Transfer-Encoding"])
  func `fields that frame the body are refused`(_ name: String) async throws {
    var headers = HTTPFields()
    headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "5"))
    try await expectRefusal(headers: headers)
  }

  @Test(arguments: [[0x61, 0x01], [0x61, 0x7F, 0x61], [0x20, 0x61], [0x61, 0x20], [0x09, 0x61]] as [[UInt8]])
  func `control bytes and outer spaces in a value are refused`(_ value: [UInt8]) async throws {
    var headers = HTTPFields()
    headers.append(HTTPField(name: .accept, lenientValue: value))
    try await expectRefusal(headers: headers)
  }

  @Test func `a line break that was made harmless puts no further line on the wire`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    _ = try await client.fetch(server.url, headers: [.accept: "a\r\nX-Evil: 1\r\n\r\nb"])
    #expect(server.requests[0].fields.map(\.name) == ["Host", "Accept"])
    #expect(server.requests.count == 1)
    await client.transport.shutdown()
  }

  @Test func `CONNECT, a body that must not be and HTTP over QUIC are refused`() async throws {
    try await expectRefusal(method: .connect)
    try await expectRefusal(body: .text("body"))
    for method in [HTTPRequest.Method.head, .trace] {
      try await expectRefusal(method: method, body: .text("body")) { $0.options.allowsBodyWithGET = true }
    }
    try await expectRefusal { $0.options.version = .http3 }
    try await expectRefusal(method: .post, body: .stream { Pieces([[1]]) }) { $0.options.version = .http1_0 }
  }

  @Test func `an evaluator that cannot be asked stops the request`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    let context = TransferContext(id: RequestID(1), evaluator: TrustsAll(), sink: { _ in .discard(limit: 1) })
    let error = await #expect(throws: LupineError.self) {
      try await client.transport.send(OutgoingRequest(url: HTTPURL(server.url)), in: context)
    }
    guard case .configuration(let issues) = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(issues.map(\.part) == ["trust"])
    #expect(server.connectionCount == 0)
    await client.transport.shutdown()
  }

  @Test func `a missing file of root certificates is named`() async throws {
    var configuration = CurlTransport.Configuration()
    configuration.network.certificateAuthorities = "/nowhere/roots.pem"
    let client = Client(configuration)
    let error = await client.failure("https://127.0.0.1:1/")
    let message = try #require(error?.message)
    #expect(error?.kind == .configuration([ConfigurationIssue(part: "certificateAuthorities", reason: message)]))
    #expect(message.contains("/nowhere/roots.pem"))
    await client.transport.shutdown()
  }

  @Test func `a Host field of the request's own is sent`() async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    var headers = HTTPFields()
    headers.append(HTTPField(name: try #require(HTTPField.Name("Host")), value: "other.example"))
    _ = try await client.fetch(server.url, headers: headers)
    #expect(server.requests[0].fields.values(of: "Host") == ["other.example"])
    await client.transport.shutdown()
  }

  private func expectRefusal(
    method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: RequestBody = .none,
    change: (inout OutgoingRequest) -> Void = { _ in }
  ) async throws {
    let server = try ScriptedServer(always: .respond())
    let client = Client()
    let error = await client.failure(server.url, method: method, headers: headers, body: body, change: change)
    #expect(error?.kind == .invalidRequest)
    #expect(server.connectionCount == 0)
    await client.transport.shutdown()
  }
}

private struct TrustsAll: TrustEvaluator {
  func evaluate(_ trust: ServerTrust) throws {}
}
