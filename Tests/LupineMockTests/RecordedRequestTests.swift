import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMock
import Testing

@Suite struct RecordedRequestTests {
  private struct Article: Decodable, Equatable { var publishedAt: Int }

  private let mock = MockTransport()

  private func sent(_ body: RequestBody, _ contentType: String? = nil) async throws -> RecordedRequest {
    mock.stub(.post, "/", .status(.ok))
    var fields: HTTPFields = [:]
    fields[.contentType] = contentType
    _ = try await Exchange(method: .post, headers: fields, body: body).response(from: mock)
    return try #require(mock.requests.last)
  }

  @Test func `a body is decoded by a decoder of the test's own`() async throws {
    let request = try await sent(.text(#"{"published_at": 7}"#), "application/json")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    #expect(try request.json(Article.self, decoder: decoder) == Article(publishedAt: 7))
    #expect(throws: LupineError.self) { try request.json(Article.self) }
  }

  @Test(arguments: [
    nil, "application/x-www-form-urlencoded", "Application/X-WWW-Form-URLEncoded; charset=utf-8",
  ])
  func `a form has its items, their escapes undone`(contentType: String?) async throws {
    let request = try await sent(.text("q=foo+bar%26&tags%5B%5D=a&tags%5B%5D=b&flag&empty="), contentType)
    #expect(
      request.form == [
        URLQueryItem(name: "q", value: "foo bar&"), URLQueryItem(name: "tags[]", value: "a"),
        URLQueryItem(name: "tags[]", value: "b"), URLQueryItem(name: "flag", value: nil),
        URLQueryItem(name: "empty", value: ""),
      ])
  }

  @Test func `a body of another type is no form`() async throws {
    #expect(try await sent(.text("a=b"), "text/plain").form.isEmpty)
    #expect(try await sent(.none).form.isEmpty)
  }
}
