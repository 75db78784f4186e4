import FoundationEssentials
import Lupine
import LupineMock
import LupineTesting
import Testing

/// The secrets in the requests of later pages, and the origins that receive them.
@Suite struct PageTests {
  private static let first = "https://a.example.com"
  private static let second = "https://b.example.com"
  private static let link = HTTPField.Name("Link") ?? .location
  private static let credential = Credential(username: "mufasa", password: "circle of life")

  private let mock = MockTransport()

  private func builder() -> Session.Builder {
    Session.Builder().transport(mock).clock(ImmediateClock()).baseURL(Self.first)
  }

  /// Returns a page with a link to the next one.
  private func page(_ values: [Int], next: String? = nil) -> MockReply {
    let reply = MockReply.json(values)
    return next.map { reply.field(Self.link, "<\($0)>; rel=\"next\"") } ?? reply
  }

  private func read(_ pages: PageSequence<[Int]>) async -> (values: [[Int]], error: LupineError?) {
    var values: [[Int]] = []
    do {
      for try await page in pages { values.append(page) }
      return (values, nil)
    } catch {
      return (values, error)
    }
  }

  /// The host of each request, with the value of a field.
  private func sent(_ name: HTTPField.Name) -> [String] {
    mock.requests.map { "\($0.url.host) \($0.headers[name] ?? "none")" }
  }

  @Test(arguments: ["s=1; Path=/", "s=1; Path=/; Domain=example.com"])
  func `cookies are sent for each page of their origin, and no other origin is asked`(cookie: String) async throws {
    mock.stub(.get, "\(Self.first)/1", page([1], next: "/2").field(.setCookie, cookie))
    mock.stub(.get, "\(Self.first)/2", page([2], next: "\(Self.second)/3").field(.setCookie, "t=2; Path=/"))
    mock.stub(.get, "\(Self.second)/3", count: .optional, page([3]))
    let found = await read(try builder().install(.cookies).build().pages(from: "1"))
    #expect(found.values == [[1], [2]])
    #expect(found.error?.kind == .paginationFailed)
    #expect(sent(.cookie) == ["a.example.com none", "a.example.com s=1"])
  }

  @Test func `a page that redirects to another origin receives no cookie there, and its link is not followed`()
    async throws
  {
    mock.stub(.get, "\(Self.first)/1", page([1], next: "/2").field(.setCookie, "s=1; Path=/"))
    mock.stub(.get, "\(Self.first)/2", .redirect(to: "\(Self.second)/2"))
    mock.stub(.get, "\(Self.second)/2", page([2], next: "\(Self.first)/3"))
    mock.stub(.get, "\(Self.first)/3", count: .optional, page([3]))
    let found = await read(try builder().install(.cookies).build().pages(from: "1"))
    #expect(found.values == [[1], [2]])
    #expect(found.error?.kind == .paginationFailed)
    #expect(sent(.cookie) == ["a.example.com none", "a.example.com s=1", "b.example.com none"])
  }

  @Test(arguments: ["https://a.example.com/2", "http://127.0.0.1:8080/2", "/2"])
  func `a mapped origin receives the credentials and cookies of its origin for each page`(next: String) async throws {
    mock.stub(.get, "http://127.0.0.1:8080/1", page([1], next: next).field(.setCookie, "s=1; Path=/"))
    mock.stub(.get, "http://127.0.0.1:8080/2", page([2]))
    let session = try builder().install(.cookies).adapter(BearerToken("token"))
      .adapter(OriginMap([Self.first: "http://127.0.0.1:8080"])).build()
    let found = await read(session.pages(from: "1"))
    #expect(found.values == [[1], [2]])
    #expect(found.error == nil)
    #expect(sent(.cookie) == ["127.0.0.1 none", "127.0.0.1 s=1"])
    #expect(sent(.authorization) == ["127.0.0.1 Bearer token", "127.0.0.1 Bearer token"])
  }

  @Test(arguments: ["https://b.example.com/2", "http://127.0.0.1:8081/2", "http://127.0.0.1/2"])
  func `a link to another origin is not followed, whether or not it is mapped`(next: String) async throws {
    mock.stub(.get, "http://127.0.0.1:8080/1", page([1], next: next).field(.setCookie, "s=1; Path=/"))
    mock.stub(.get, "/2", count: .optional, page([2]))
    let map = OriginMap([Self.first: "http://127.0.0.1:8080", Self.second: "http://127.0.0.1:8081"])
    let session = try builder().install(.cookies).adapter(BearerToken("token", to: .anyOrigin)).adapter(map).build()
    let found = await read(session.pages(from: "1"))
    #expect(found.values == [[1]])
    #expect(found.error?.kind == .paginationFailed)
    #expect(sent(.authorization) == ["127.0.0.1 Bearer token"])
  }

  @Test func `a map to a path sends no credential to a page outside its scope`() async throws {
    mock.stub(.get, "http://127.0.0.1:8080/v1/1", page([1], next: "2"))
    mock.stub(.get, "http://127.0.0.1:8080/v1/2", page([2]))
    let session = try builder().adapter(BearerToken("token"))
      .adapter(OriginMap([Self.first: "http://127.0.0.1:8080/v1"])).build()
    #expect(await read(session.pages(from: "1")).values == [[1], [2]])
    #expect(sent(.authorization) == ["127.0.0.1 Bearer token", "127.0.0.1 none"])
  }

  @Test(arguments: ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"])
  func `challenges are answered for each page of the origin`(challenge: String) async throws {
    for (path, next) in [("/1", "/2"), ("/2", "\(Self.second)/3")] {
      mock.stub(.get, Self.first + path, count: .optional, .challenge(challenge))
      mock.stub(.get, Self.first + path, where: [.field(.authorization)], page([1], next: next))
    }
    mock.stub(.get, "\(Self.second)/3", count: .optional, .challenge(challenge))
    let session = try builder().install(.authentication).onChallenge { _ in Self.credential }.build()
    let found = await read(session.pages(from: "1"))
    #expect(found.values == [[1], [1]])
    #expect(found.error?.kind == .paginationFailed)
    #expect(mock.requests.allSatisfy { $0.url.host == "a.example.com" })
    #expect(mock.requests.filter { $0.headers[.authorization] != nil }.count == 2)
  }

  @Test(arguments: ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"])
  func `a challenge behind a redirect of a page to another origin is not answered`(challenge: String) async throws {
    mock.stub(.get, "\(Self.first)/1", count: .optional, .challenge(challenge))
    mock.stub(.get, "\(Self.first)/1", where: [.field(.authorization)], page([1], next: "/2"))
    mock.stub(.get, "\(Self.first)/2", .redirect(to: "\(Self.second)/2"))
    mock.stub(.get, "\(Self.second)/2", .challenge(challenge))
    let asked = Journal()
    let session = try builder().install(.authentication).monitor(asked).onChallenge { _ in Self.credential }.build()
    let found = await read(session.pages(from: "1"))
    #expect(found.values == [[1]])
    #expect(found.error?.kind == .unacceptableStatusCode(401))
    let others = mock.requests.filter { $0.url.host == "b.example.com" }
    #expect(others.map { $0.headers[.authorization] } == [nil])
    #expect(asked.text.contains("a redirect led to another origin"))
  }
}
