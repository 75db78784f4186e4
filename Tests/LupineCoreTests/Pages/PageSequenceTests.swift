import HTTPTypes
import LupineCore
import LupineMock
import LupineSession
import Testing

@Suite struct PageSequenceTests {
  private let paged = PagedMock()
  private let session: Session

  init() throws {
    session = try Session.Builder().transport(paged.mock).baseURL("https://a.example.com/v1").build()
  }

  @Test func `pages are requested until there is no next link`() async throws {
    paged.page("https://a.example.com/v1/issues?state=open", [1, 2], next: "issues?page=2")
    paged.page("https://a.example.com/v1/issues?page=2", [3], next: "?page=3")
    paged.page("https://a.example.com/v1/issues?page=3", [])
    let trace = try #require(HTTPField.Name("X-Trace"))
    let found = await read(
      session.pages(
        of: [Int].self, from: "issues", parameters: ["state": "open"],
        headers: ["X-Trace": "42", .authorization: "Bearer a", .ifNoneMatch: "\"1\""]))
    #expect(found.values == [[1, 2], [3], []])
    #expect(found.error == nil)
    #expect(paged.mock.requests.map { $0.headers[trace] } == ["42", "42", "42"])
    #expect(paged.mock.requests.map { $0.headers[.authorization] } == ["Bearer a", "Bearer a", "Bearer a"])
    #expect(paged.mock.requests.map { $0.headers[.ifNoneMatch] } == ["\"1\"", nil, nil])
  }

  /// A query as a program declares it.
  private struct Query: Encodable {
    var state: String
    var labels: [String]
  }

  @Test func `the first page has parameters of each form, with headers of each form`() async throws {
    paged.page("https://a.example.com/v1/issues", [1])
    let (state, number) = ("open", 3)
    let query = Query(state: state, labels: ["bug"])
    let fields: HTTPFields = [.acceptLanguage: "de"]
    let sequences = [
      session.pages(of: [Int].self, from: "issues", parameters: query),
      session.pages(of: [Int].self, from: "issues", parameters: ["state": state, "number": number]),
      session.pages(of: [Int].self, from: "issues", parameters: query, headers: [.acceptLanguage: "de"]),
      session.pages(of: [Int].self, from: "issues", parameters: query, headers: RequestHeaders(fields)),
      session.pages(
        of: [Int].self, from: "issues", parameters: ["state": state, "number": number], headers: RequestHeaders(fields)),
      session.pages(of: [Int].self, from: "issues", parameters: ["state": "open"], headers: RequestHeaders(fields)),
    ]
    for pages in sequences { #expect(await read(pages).values == [[1]]) }
    #expect(
      paged.mock.requests.map(\.url.query) == [
        "labels%5B%5D=bug&state=open", "number=3&state=open", "labels%5B%5D=bug&state=open",
        "labels%5B%5D=bug&state=open", "number=3&state=open", "state=open",
      ])
    #expect(paged.mock.requests.map { $0.headers[.acceptLanguage] == "de" } == [false, false, true, true, true, true])
  }

  private struct ServiceError: Error, Decodable, Equatable {
    var code: Int
  }

  @Test func `the error of a service is read from the body of a refused page`() async throws {
    paged.page("https://a.example.com/v1/issues", [1], next: "?page=2")
    paged.mock.stub(
      .get, "https://a.example.com/v1/issues?page=2", priority: 2, .json(["code": 7]).status(.tooManyRequests))
    let found = await read(session.pages(of: [Int].self, from: "issues", error: ServiceError.self))
    #expect(found.values == [[1]])
    #expect(found.error?.kind == .unacceptableStatusCode(429))
    #expect(found.error?.serviceError(as: ServiceError.self) == ServiceError(code: 7))
    let plain = await read(session.pages(of: [Int].self, from: "issues"))
    #expect(found.error?.underlying is ServiceError)
    #expect(plain.error?.kind == .unacceptableStatusCode(429))
    #expect(plain.error?.underlying == nil)
  }

  @Test func `a page is requested when it is awaited`() async throws {
    paged.page("https://a.example.com/v1/issues", [1], next: "?page=2")
    paged.page("https://a.example.com/v1/issues?page=2", [2])
    var pages = session.pages(of: [Int].self, from: "issues").makeAsyncIterator()
    #expect(paged.mock.requests.isEmpty)
    #expect(try await pages.next() == [1])
    #expect(paged.mock.requests.count == 1)
    #expect(try await pages.next() == [2])
    #expect(try await pages.next() == nil)
    #expect(try await pages.next() == nil)
    #expect(paged.mock.requests.count == 2)
  }

  @Test func `responses have the head of each page`() async throws {
    paged.page("https://a.example.com/v1/issues", [1], next: "?page=2")
    paged.page("https://a.example.com/v1/issues?page=2", [2])
    var codes: [Int?] = []
    for try await response in session.pages(of: [Int].self, from: "issues").responses {
      codes.append(response.statusCode)
      #expect(response.value?.count == 1)
    }
    #expect(codes == [200, 200])
  }

  @Test func `more pages than the limit are an error after the last one`() async throws {
    for number in 1...4 {
      paged.page("https://a.example.com/v1/x?page=\(number)", [number], next: "?page=\(number + 1)")
    }
    let cut = await read(session.pages(from: "x?page=1", limit: 3))
    #expect(cut.values == [[1], [2], [3]])
    #expect(cut.error?.kind == .limitExceeded(.pages))
    #expect(paged.mock.requests.count == 3)
    let none = await read(session.pages(from: "x?page=1", limit: 0))
    #expect(none.error?.kind == .limitExceeded(.pages))
    #expect(none.error?.message.contains("at least 1") == true)
    #expect(paged.mock.requests.count == 3)
    var first: [[Int]] = []
    for try await page in session.pages(of: [Int].self, from: "x?page=1", limit: 3).prefix(2) { first.append(page) }
    #expect(first == [[1], [2]])
  }

  @Test func `as many pages as the limit are no error`() async throws {
    paged.page("https://a.example.com/v1/x", [1], next: "?page=2")
    paged.page("https://a.example.com/v1/x?page=2", [2])
    let found = await read(session.pages(from: "x", limit: 2))
    #expect(found.values == [[1], [2]])
    #expect(found.error == nil)
  }

  @Test(arguments: ["x", "x#part", "https://A.example.com:443/v1/x", "?page=2"])
  func `a link to a page that was read ends the sequence`(target: String) async throws {
    paged.page("https://a.example.com/v1/x", [1], next: "?page=2")
    paged.page("https://a.example.com/v1/x?page=2", [2], next: target)
    let found = await read(session.pages(from: "x"))
    #expect(found.values == [[1], [2]])
    #expect(found.error?.kind == .paginationFailed)
    #expect(paged.mock.requests.count == 2)
  }

  @Test(arguments: ["http://a.example.com/y", "mailto:a@b", "ftp://a.example.com/", "https://a b/", "//ü:x/"])
  func `a link that cannot be followed is an error`(target: String) async throws {
    paged.page("https://a.example.com/v1/x", [1], next: target)
    let found = await read(session.pages(from: "x"))
    #expect(found.values == [[1]])
    #expect(found.error?.kind == .paginationFailed)
    #expect(paged.mock.requests.count == 1)
  }

  @Test func `a link of another context does not lead to a page`() async throws {
    paged.mock.stub(
      .get, "https://a.example.com/v1/x",
      .json([1]).field(PagedMock.link, #"</y>; rel=next; anchor="/other", <x?page=2>; rel="prev next"; anchor="""#))
    paged.page("https://a.example.com/v1/x?page=2", [2])
    #expect(await read(session.pages(from: "x")).values == [[1], [2]])
  }

  @Test(arguments: ["type=text/html", "title=Füße", "anchor=https://a.example.com/v1/x"])
  func `an unquoted parameter does not hide the next page`(parameter: String) async throws {
    paged.mock.stub(
      .get, "https://a.example.com/v1/x", .json([1]).field(PagedMock.link, "<?page=2>; \(parameter); rel=next"))
    paged.page("https://a.example.com/v1/x?page=2", [2])
    #expect(await read(session.pages(from: "x")).values == [[1], [2]])
  }

  @Test func `each request is configured, and takes fields of swift-http-types`() async throws {
    paged.page("https://a.example.com/v1/x", [1], next: "?page=2")
    paged.page("https://a.example.com/v1/x?page=2", [2])
    let fields: HTTPFields = [.accept: "application/json"]
    let configured = await read(
      session.pages(from: "x", headers: RequestHeaders(fields), configure: { $0.validate(statusCode: 300..<400) }))
    #expect(configured.error?.kind == .unacceptableStatusCode(200))
    #expect(paged.mock.requests.map { $0.headers[.accept] } == ["application/json"])
  }

  @Test func `each page is validated and decoded`() async throws {
    paged.page("https://a.example.com/v1/x", [1], next: "?page=2")
    paged.mock.stub(.get, "https://a.example.com/v1/x?page=2", priority: 1, .json([2], status: .internalServerError))
    let refused = await read(session.pages(from: "x"))
    #expect(refused.error?.kind == .unacceptableStatusCode(500))
    paged.page("https://a.example.com/v1/z", [1], next: "?page=2")
    paged.mock.stub(.get, "https://a.example.com/v1/z?page=2", priority: 1, .json("no list"))
    #expect(await read(session.pages(from: "z")).error?.kind == .serializationFailed)
  }

  @Test func `a request that cannot be made is the first error`() async throws {
    #expect(await read(session.pages(from: "ftp://x")).error?.kind == .invalidURL)
    #expect(await read(session.pages(from: "x", headers: ["a b": "c"])).error?.kind == .invalidRequest)
    let post = try OutgoingRequest("https://a.example.com/", method: .post)
    #expect(await read(session.pages(from: post)).error?.kind == .invalidRequest)
    #expect(paged.mock.requests.isEmpty)
  }

  @Test func `a route is the first page`() async throws {
    paged.page("https://a.example.com/x", [1], next: "?page=2")
    paged.page("https://a.example.com/x?page=2", [2])
    let found = await read(session.pages(from: try OutgoingRequest("https://a.example.com/x", headers: ["X-A": "1"])))
    #expect(found.values == [[1], [2]])
    #expect(paged.mock.requests.allSatisfy { $0.headers.contains { $0.name.rawName == "X-A" } })
  }

  @Test func `a cancelled task ends the sequence`() async throws {
    paged.page("https://a.example.com/v1/x", [1], next: "?page=2")
    let pages = session.pages(of: [Int].self, from: "x")
    let task = Task { () -> LupineError? in
      var iterator = pages.makeAsyncIterator()
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(LupineError) {
        _ = try await iterator.next()
        return nil
      } catch {
        return error
      }
    }
    #expect(await task.value?.isCancelled == true)
  }
}
