import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct BearerTokenTests {
  @Test func `the token goes to the base URL's origin alone`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.baseURL("https://a.example.com").adapter(BearerToken("t")) }
    for url in ["x", "https://b.example.com/", "http://a.example.com/"] {
      _ = try await session.request(url).serializingData().value
    }
    #expect(bench.mock.requests.map { $0.headers[.authorization] } == ["Bearer t", nil, nil])
  }

  @Test func `without a base URL it needs named origins`() async throws {
    let request = try TestBed().session().request(TestBed.url).adapter(BearerToken("t"))
    #expect(await request.serializingData().response.error?.kind == .adaptationFailed)
  }

  @Test func `a request that has an Authorization keeps it`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.adapter(BearerToken("t", to: .anyOrigin)) }
    _ = try await session.request(TestBed.url, headers: [.authorization: "mine"]).serializingData().value
    #expect(bench.mock.requests.first?.headers[values: .authorization] == ["mine"])
  }

  @Test(arguments: ["", "a b", "a\nb", "a\u{0}", "tökén"])
  func `a token that no field can carry is refused`(token: String) async throws {
    let session = try TestBed().session { $0.adapter(BearerToken(token, to: .anyOrigin)) }
    #expect(await session.request(TestBed.url).serializingData().response.error?.kind == .adaptationFailed)
  }
}
