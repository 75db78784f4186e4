import HTTPTypes
import LupineCore
import LupineSession
import LupineMock
import Testing

/// The limits of a session, which the mock applies like a transport over a network.
@Suite struct LimitTests {
  private static func fields(_ count: Int) -> HTTPFields {
    var fields = HTTPFields()
    for number in 0..<count {
      if let name = HTTPField.Name("X-\(number)") { fields.append(HTTPField(name: name, value: "a")) }
    }
    return fields
  }

  private static let hint = HTTPResponse(status: .init(code: 103))

  @Test(
    arguments: [
      (MockReply.status(.ok).fields(fields(1_000)), Limits.Name.responseFieldCount),
      (.status(.ok).field(.server, String(repeating: "a", count: 128 << 10)), .responseFields),
      (.status(.ok).informational([HTTPResponse](repeating: hint, count: 33)), .informationalResponses),
      (.text("a").trailers(fields(4_000)), .responseFieldCount),
      (.text("a").trailers([.server: String(repeating: "a", count: 16 << 10)]), .trailers),
      (.text("a").delay(.seconds(1)).trailers([.server: String(repeating: "a", count: 16 << 10)]), .trailers),
      (.text("a").delay(.seconds(1)).field(.server, String(repeating: "a", count: 128 << 10)), .responseFields),
    ] as [(MockReply, Limits.Name)])
  func `a reply over a limit is an error that names it`(reply: MockReply, limit: Limits.Name) async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", reply)
    let failure = try #require(await Exchange().failure(from: mock))
    #expect(failure.kind == .limitExceeded(limit))
    #expect(failure.message.contains(limit.rawValue))
  }

  @Test func `a limit is the session's to raise`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .text("a").trailers([.server: String(repeating: "a", count: 16 << 10)]))
    var limits = Limits()
    limits.trailers = 32 << 10
    let session = try Session.Builder().transport(mock).limits(limits).build()
    #expect(try await session.request("https://example.com/").serializingString().value == "a")
  }
}
