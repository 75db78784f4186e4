import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Testing

@Suite struct PageOriginTests {
  private let paged = PagedMock()

  /// Replaces the origin of the requests to one host.
  private struct Mapping: RequestAdapter {
    func adapt(_ request: OutgoingRequest, for session: Session) async throws -> OutgoingRequest {
      guard request.url.host == "a.example.com" else { return request }
      var request = request
      request.url = try HTTPURL("http://127.0.0.1:8080" + request.url.requestTarget)
      return request
    }
  }

  private func builder() -> Session.Builder {
    Session.Builder().transport(paged.mock).baseURL("https://a.example.com")
  }

  @Test(arguments: ["https://b.example.com/x", "http://a.example.com/x", "https://a.example.com:444/x"])
  func `a link to another origin is an error and sends nothing`(target: String) async throws {
    paged.page("https://a.example.com/x", [1], next: target)
    paged.page(target, [2], next: "https://a.example.com/y")
    let session = try builder().headers(["X-API-Key": "k"], to: .anyOrigin).adapter(BearerToken("a")).adapter(
      BearerToken("b", to: .anyOrigin)
    ).build()
    let found = await read(session.pages(from: "x"))
    #expect(found.values == [[1]])
    #expect(found.error?.kind == .paginationFailed)
    #expect(found.error?.description.contains(try HTTPURL(target).origin.description) == true)
    #expect(paged.mock.requests.count == 1)
  }

  @Test(arguments: ["?page=2", "https://a.example.com/y"])
  func `a link after a redirect to another origin is an error`(target: String) async throws {
    paged.mock.stub(.get, "https://a.example.com/x", .redirect(to: "https://b.example.com/x"))
    paged.page("https://b.example.com/x", [1], next: target)
    let found = await read(try builder().adapter(BearerToken("a")).build().pages(from: "x"))
    #expect(found.values == [[1]])
    #expect(found.error?.kind == .paginationFailed)
    #expect(paged.mock.requests.map { $0.headers[.authorization] } == ["Bearer a", nil])
  }

  @Test func `a link after a redirect within the origin is followed`() async throws {
    paged.mock.stub(.get, "https://a.example.com/x", .redirect(to: "/z/x"))
    paged.page("https://a.example.com/z/x", [1], next: "y")
    paged.page("https://a.example.com/z/y", [2])
    #expect(await read(try builder().build().pages(from: "x")).values == [[1], [2]])
  }

  @Test(arguments: ["?page=2", "https://a.example.com/x?page=2"])
  func `an adapter that maps the origin is no change of it`(target: String) async throws {
    paged.page("http://127.0.0.1:8080/x", [1], next: target)
    paged.page("http://127.0.0.1:8080/x?page=2", [2])
    let found = await read(
      try builder().adapter(BearerToken("a")).adapter(Mapping()).build().pages(from: "x"))
    #expect(found.values == [[1], [2]])
    #expect(found.error == nil)
    #expect(paged.mock.requests.map { $0.headers[.authorization] } == ["Bearer a", "Bearer a"])
  }
}
