import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct ResponseToleranceTests {
  @Test(
    arguments: [
      ("https://legacy.example.com/", [.bareLineFeeds, .identityCoding]),
      ("http://LEGACY.example.com./", [.bareLineFeeds, .identityCoding]),
      ("https://legacy.example.com:8443/", .spaceAfterChunkSize), ("https://other.example.com/", .equalContentLengths),
      ("https://strict.example.com/", []), ("https://example.com/", []), ("https://a.b.example.com/", []),
      ("https://127.0.0.1/", .controlBytesInValues), ("https://[::1]/", []),
    ] as [(String, ResponseTolerances)])
  func `the most precise pattern that matches the host applies`(url: String, expected: ResponseTolerances) throws {
    let session = try TestBed().session {
      $0.tolerating(.equalContentLengths, of: "*.example.com").tolerating(
        .repeatedChunkedCoding, of: "legacy.example.com"
      )
      .tolerating([.bareLineFeeds, .identityCoding], of: "Legacy.example.com")
      .tolerating(.spaceAfterChunkSize, of: "legacy.example.com:8443").tolerating([], of: "strict.example.com")
      .tolerating(.controlBytesInValues, of: "127.0.0.1")
    }
    #expect((session.configuration.tolerances.value(for: try HTTPURL(url)) ?? []) == expected)
  }

  @Test func `an exchange has the tolerances of the host that it is sent to, after a redirect as well`() async throws {
    let seen = Notes<ResponseTolerances>()
    let transport = ClosureTransport { request, context in
      seen.add(context.tolerances)
      return request.url.host == "a.example.com"
        ? context.answer(302, [.location: "https://b.example.com/"]) : context.answer(200, [:], "ok")
    }
    let session = try Session.Builder().transport(transport).tolerating(.bareLineFeeds, of: "b.example.com").build()
    _ = try await session.request("https://a.example.com/").serializingData().value
    #expect(seen.all == [[], .bareLineFeeds])
  }

  @Test func `only a download that could be resumed needs close_notify`() {
    var context = TransferContext(id: RequestID(1)) { _ in .collect(limit: 1) }
    let heads = [
      HTTPResponse(status: .ok), HTTPResponse(status: .ok, headerFields: [.eTag: "W/\"a\""]),
      HTTPResponse(status: .ok, headerFields: [.lastModified: "x"]), HTTPResponse(status: .partialContent),
    ]
    #expect(heads.map(context.mayLackCloseNotify) == [false, false, false, false])
    context.tolerances = .missingCloseNotify
    #expect(heads.map(context.mayLackCloseNotify) == [true, true, true, true])
    context = context.connecting(
      as: ConnectionKey(), within: nil, evaluator: nil, proxyEvaluator: nil, proxyAuthorization: nil,
      tolerating: .missingCloseNotify, keepsPartialBody: true)
    #expect(heads.map(context.mayLackCloseNotify) == [true, false, false, false])
  }

  @Test(arguments: ["", "*", "*.com", "exa mple.com", "https://example.com", "example.com/path"])
  func `an invalid pattern is refused`(pattern: String) throws {
    let error = #expect(throws: LupineError.self) {
      try TestBed().session { $0.tolerating(.bareLineFeeds, of: pattern) }
    }
    guard case .configuration(let issues)? = error?.kind else { return #expect(Bool(false), "\(error as Any)") }
    #expect(issues.map(\.part) == ["tolerating"])
  }

  @Test func `a transport with a network that reads strictly is refused`() throws {
    let wire = ClosureTransport(capabilities: .networking) { _, context in context.answer() }
    let builder = Session.Builder().transport(wire).tolerating(.bareLineFeeds, of: "example.com")
    let error = try #require(throws: LupineError.self) { try builder.build() }
    #expect(error.message.contains("it lacks responseTolerances"))
  }

  @Test func `the description names the words`() {
    #expect("\(ResponseTolerances([.bareLineFeeds, .spaceAfterChunkSize]))" == "spaceAfterChunkSize, bareLineFeeds")
    #expect(ResponseTolerances.identityCoding.advice.contains("'.tolerating([.identityCoding], of: host)'"))
  }
}
