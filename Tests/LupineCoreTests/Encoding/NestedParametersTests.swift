import Foundation
import HTTPTypes
import LupineCoding
import LupineCore
import LupineMock
import LupineSession
import LupineStreams
import LupineTransfers
import Testing

/// A value of a program that nests in literals.
private struct Point: Encodable, ParameterValue {
  var at: Date
}

struct NestedParametersTests {
  private static let url = "https://a.example.com/x"

  private func bed() throws -> (MockTransport, Session) {
    let mock = MockTransport()
    mock.stub([.get, .post, .put], "/x", .json([:]))
    return (mock, try Session.Builder().transport(mock).build())
  }

  @Test(
    arguments: NestedShapes.gitHub + NestedShapes.stripe + NestedShapes.openAI + NestedShapes.slack
      + NestedShapes.elasticsearch + NestedShapes.collections)
  func `a nested literal with variables is sent as it is written`(_ shape: NestedShapes.Shape) async throws {
    let (mock, session) = try bed()
    _ = try await shape.make(session, Self.url).validate().serializingData().value
    #expect(try mock.requests.last?.json(JSONValue.self) == shape.expected)
  }

  @Test func `every kind of request takes nested literals with variables`() async throws {
    let (mock, session) = try bed()
    let text = "a"
    let fields: HTTPFields = [.acceptLanguage: "en"]
    let items: [String] = try await [
      sent(
        session.request(
          Self.url, parameters: ["q": text, "in": ["a": text, "n": 1]], headers: RequestHeaders(fields)), mock),
      sent(
        session.request(
          "https://a.example.com/{x}", path: ["x": "x"], parameters: ["q": text, "in": ["a": text, "n": 1]]),
        mock),
      sent(
        session.request(
          "https://a.example.com/{x}", path: ["x": "x"], parameters: ["q": text, "in": ["a": text, "n": 1]],
          headers: RequestHeaders(fields)), mock),
      sent(
        session.request(OutgoingRequest(Self.url).encoding(["q": text, "in": ["a": text, "n": 1]])), mock),
      sent(
        session.request(
          session.makeOutgoingRequest(
            Self.url, parameters: ["q": text, "in": ["a": text, "n": 1]], headers: RequestHeaders(fields))),
        mock),
    ]
    #expect(items == Array(repeating: "in%5Ba%5D=a&in%5Bn%5D=1&q=a", count: 5))

    _ = try await session.download(Self.url, parameters: ["q": text, "in": ["a": text, "n": 1]]).serializingData().value
    _ = try await session.download(
      Self.url, parameters: ["q": text, "in": ["a": text, "n": 1]], headers: RequestHeaders(fields)
    )
    .serializingData().value
    for try await _ in session.streamRequest(Self.url, parameters: ["q": text, "in": ["a": text, "n": 1]])
      .serializingBytes()
    {}
    for try await _ in session.streamRequest(
      Self.url, parameters: ["q": text, "in": ["a": text, "n": 1]], headers: RequestHeaders(fields)
    ).serializingBytes() {}
    for try await _ in session.pages(
      of: JSONValue.self, from: Self.url, parameters: ["q": text, "in": ["a": text, "n": 1]])
    {}
    for try await _ in session.pages(
      of: JSONValue.self, from: Self.url, parameters: ["q": text, "in": ["a": text, "n": 1]],
      headers: RequestHeaders(fields))
    {}
    #expect(mock.requests.count == 11)
    #expect(Set(mock.requests.map { $0.url.query }) == ["in%5Ba%5D=a&in%5Bn%5D=1&q=a"])
  }

  private func sent(_ request: DataRequest, _ mock: MockTransport) async throws -> String {
    _ = try await request.serializingData().value
    return try #require(mock.requests.last?.url.query)
  }

  @Test func `a type of the program nests in literals, and the encoder's strategies apply to it`() async throws {
    let (mock, session) = try bed()
    let point = Point(at: Date(timeIntervalSince1970: 0))
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.keyEncodingStrategy = .convertToSnakeCase
    _ = try await session.request(
      Self.url, method: .post,
      parameters: ["aB": point, "in": ["cD": point, "at": point.at, "all": [point], "no": nil as Point?, "n": 1]],
      encoder: .json { encoder }
    ).serializingData().value
    #expect(
      try mock.requests.last?.json(JSONValue.self)
        == ["aB": ["at": 0], "in": ["cD": ["at": 0], "at": 0, "all": [["at": 0]], "no": nil, "n": 1]])
  }

  @Test func `a reply of the mock takes nested literals with variables`() async throws {
    let (id, name) = (7, "ada")
    let mock = MockTransport()
    mock.stub(.get, "/object", .json(["items": [["id": id, "name": name]], "total": 1, "next": nil]))
    mock.stub(.get, "/array", .json([["id": id, "user": ["name": name, "age": 1]]]))
    let session = try Session.Builder().transport(mock).baseURL("https://a.example.com").build()
    let object = try await session.request("object").serializingJSON().value
    #expect(object == ["items": [["id": 7, "name": "ada"]], "total": 1, "next": nil])
    let array = try await session.request("array").serializingJSON().value
    #expect(array == [["id": 7, "user": ["name": "ada", "age": 1]]])
  }
}
