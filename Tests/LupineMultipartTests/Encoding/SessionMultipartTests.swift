import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineFixtures
import LupineMock
import LupineMultipart
import Testing

@Suite struct SessionMultipartTests {
  private static let url = "https://example.com/upload"

  private static func session(_ mock: MockTransport) throws -> Session {
    try Session.Builder().transport(mock).baseURL("https://example.com").retrier(Once()).build()
  }

  /// Retries a failure once.
  struct Once: Retrier {
    func decision(for attempt: AttemptOutcome) async -> RetryDecision {
      attempt.error != nil && attempt.number == 1 ? .retry : .doNotRetry
    }
  }

  @Test func `a form is posted with its content type`() async throws {
    let mock = MockTransport()
    mock.stub(.post, Self.url, .text("done"))
    let upload = try Self.session(mock).upload(
      multipart: { form in
        form.append("rainbow", name: "title")
        form.append(Data([1]), name: "data", fileName: "a.bin")
      }, to: "upload")
    #expect(try await upload.serializingString().value == "done")
    let request = try #require(mock.requests.first)
    let parts = try ReceivedPart.parts(of: request.body, contentType: request.headers[.contentType])
    #expect(parts.map(\.name) == ["title", "data"])
    #expect(parts.map(\.data) == [Data("rainbow".utf8), Data([1])])
  }

  @Test func `the boundary comes from the session's source of randomness`() async throws {
    let mock = MockTransport()
    mock.stub(.post, Self.url, .text("done"))
    let session = try Session.Builder().transport(mock).random { 7 }.build()
    _ = try await session.upload(multipart: { $0.append("a", name: "b") }, to: Self.url).serializingString().value
    #expect(mock.requests.first?.headers[.contentType] == MultipartFormData { 7 }.contentType)
  }

  @Test func `a multipart of another type is sent with another method`() async throws {
    let mock = MockTransport()
    mock.stub(.put, Self.url, .text("done"))
    var multipart = Multipart(.mixed)
    multipart.append("text")
    _ = try await Self.session(mock).upload(multipart: multipart, to: "upload", method: .put).serializingString().value
    #expect(mock.requests.first?.headers[.contentType] == multipart.contentType)
  }

  @Test(arguments: [HTTPResponse.Status.temporaryRedirect, .permanentRedirect])
  func `a redirect that keeps the body sends it again`(status: HTTPResponse.Status) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("content", to: "a.txt")
    let mock = MockTransport()
    mock.stub(.post, Self.url, .redirect(to: "/elsewhere", status: status))
    mock.stub(.post, "https://example.com/elsewhere", .text("done"))
    let upload = try Self.session(mock).upload(multipart: { $0.append(.file(path), name: "file") }, to: "upload")
    #expect(try await upload.serializingString().value == "done")
    #expect(mock.requests.count == 2)
    #expect(mock.requests[0].body == mock.requests[1].body)
    #expect(mock.requests[1].text.contains("content"))
  }

  @Test func `a retry sends the whole form again`() async throws {
    let mock = MockTransport()
    mock.stub(.put, Self.url, .sequence([.failure(.connectionLost), .text("done")]))
    let upload = try Self.session(mock).upload(
      multipart: { $0.append(.stream { Pieces(["str", "eam"]) }, name: "stream") }, to: "upload", method: .put)
    #expect(try await upload.serializingString().value == "done")
    #expect(mock.requests.count == 2)
    #expect(mock.requests[0].body == mock.requests[1].body)
    #expect(mock.requests[1].text.contains("stream"))
  }

  @Test func `a form with a one-shot part is not retried`() async throws {
    let mock = MockTransport()
    mock.stub(.put, Self.url, .sequence([.failure(.connectionLost), .text("done")]))
    let once = Pieces(["once"])
    let upload = try Self.session(mock).upload(
      multipart: { $0.append(.oneShot(once), name: "stream") }, to: "upload", method: .put)
    #expect(try await failure { _ = try await upload.serializingString().value }.kind == .connectionLost)
    #expect(mock.requests.count == 1)
  }

  @Test func `an error of the closure is the error of the request`() async throws {
    let upload = try Self.session(MockTransport()).upload(multipart: { _ in throw Throwing.Broken() }, to: "upload")
    #expect(try await failure { _ = try await upload.serializingString().value }.underlying is Throwing.Broken)
  }

  @Test func `a part that cannot be sent is the request's error`() async throws {
    let mock = MockTransport()
    let upload = try Self.session(mock).upload(multipart: { $0.append("x", name: "a\0b") }, to: "upload")
    #expect(try await failure { _ = try await upload.serializingString().value }.message.hasPrefix("Part 1 "))
    #expect(mock.requests.isEmpty)
  }

  @Test(arguments: [HTTPRequest.Method.get, .head, .trace]) func `a method without a body is refused`(
    method: HTTPRequest.Method
  ) async throws {
    let request = try OutgoingRequest(Self.url, method: method)
    #expect(try await failure { _ = try request.encoding(multipart: MultipartFormData()) }.kind == .invalidRequest)
    let mock = MockTransport()
    let upload = try Self.session(mock).upload(multipart: { $0.append("x", name: "a") }, to: "upload", method: method)
    #expect(try await failure { _ = try await upload.serializingString().value }.kind == .invalidRequest)
    #expect(mock.requests.isEmpty)
  }

  @Test func `a GET has a multipart body if its options allow one`() async throws {
    let mock = MockTransport()
    mock.stub(.get, Self.url, .text("fine"))
    let upload = try Self.session(mock).upload(multipart: { $0.append("x", name: "a") }, to: Self.url, method: .get)
      .options { $0.allowsBodyWithGET = true }
    #expect(try await upload.serializingString().value == "fine")
  }

  @Test(arguments: [
    ("multipart/form-data; boundary=\"b\"", "multipart/form-data; boundary=b"),
    ("multipart/x-mine", "multipart/x-mine; boundary=b"),
    ("multipart/form-data; boundary=old", "multipart/form-data; boundary=b"),
    ("multipart/form-data; Boundary = \"o;l\\\"d\"; charset=utf-8", "multipart/form-data; charset=utf-8; boundary=b"),
    ("multipart/related; type=\"a; boundary=x\"", "multipart/related; type=\"a; boundary=x\"; boundary=b"),
    ("multipart/form-data; boundary=x; boundary=y", "multipart/form-data; boundary=b"),
    ("multipart/form-data; boundary=\"x", "multipart/form-data; boundary=b"),
    ("multipart/form-data; boundary", "multipart/form-data; boundary=b"),
    ("multipart/form-data;", "multipart/form-data; boundary=b"), ("", "multipart/form-data; boundary=b"),
  ])
  func `the caller's content type is kept, with the boundary of the body`(given: String, sent: String) throws {
    let form = try MultipartFormData(boundary: "b")
    let request = try OutgoingRequest(Self.url, method: .post, headers: [.contentType: given]).encoding(multipart: form)
    #expect(request.headers[values: .contentType] == [sent])
  }

  @Test func `a multipart response is read into its parts`() async throws {
    let mock = MockTransport()
    let body = "--b\r\nContent-Range: bytes 0-0/3\r\n\r\n1\r\n--b\r\nContent-Range: bytes 2-2/3\r\n\r\n3\r\n--b--"
    mock.stub(.get, Self.url, .data(Data(body.utf8), contentType: "multipart/byteranges; boundary=b"))
    let parts = try await Self.session(mock).request(Self.url).serializingMultipart().value
    #expect(parts.map(\.text) == ["1", "3"])
    #expect(parts.map(\.contentRange?.range) == [0..<1, 2..<3])
  }
}
