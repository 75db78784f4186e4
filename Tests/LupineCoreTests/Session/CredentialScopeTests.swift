import HTTPTypes
import LupineMock
import Testing

@testable import LupineCore
@testable import LupineSession

@Suite struct CredentialScopeTests {
  @Test(arguments: [
    ("https://api.example.com/v2/x", true), ("https://API.example.com:443/", true), ("http://api.example.com/", false),
    ("https://api.example.com:8443/", false), ("https://example.com/", false), ("https://api.example.com./", false),
  ])
  func `a secret default field goes to the base URL's origin alone`(url: String, isSent: Bool) async throws {
    let bench = TestBed()
    let session = try bench.session { $0.baseURL("https://api.example.com/v1").header(.apiKey, "k") }
    _ = try await session.request(url).serializingData().value
    #expect((bench.mock.requests.first?.headers[.apiKey] != nil) == isSent)
  }

  @Test func `a secret default field may be meant for other origins`() async throws {
    let bench = TestBed()
    let session = try bench.session {
      $0.header(.apiKey, "k", to: .origins(["https://a.example.com", "http://b.org:81"]))
    }
    for url in ["https://a.example.com/x", "http://b.org:81/", "https://b.org/", "https://c.example.com/"] {
      _ = try await session.request(url).serializingData().value
    }
    #expect(bench.mock.requests.map { $0.headers[.apiKey] } == ["k", "k", nil, nil])
  }

  @Test(arguments: [CredentialScope.baseURL, .origins(["https://a.example.com", "nowhere"])])
  func `a secret that could go nowhere is refused when the session is built`(scope: CredentialScope) {
    let error = #expect(throws: LupineError.self) {
      try TestBed().session {
        $0.header(.apiKey, "k", to: scope).adapter(BearerToken("t", to: scope))
          .connectionCredential(.negotiate, to: scope)
      }
    }
    guard case .configuration(let issues) = error?.kind else { return #expect(Bool(false), "\(error as Any)") }
    #expect(issues.map(\.part) == ["header", "adapter", "connectionCredential"])
    #expect(
      issues.allSatisfy { $0.reason.contains(scope == .baseURL ? "no base URL" : "\"nowhere\" is not an origin") })
  }

  @Test func `a field marked secret after it was set is scoped, too`() async throws {
    let bench = TestBed()
    let session = try bench.session { $0.baseURL("https://a.example.com").header(.custom, "v").secretField(.custom) }
    _ = try await session.request("https://b.example.com/").serializingData().value
    #expect(bench.mock.requests.first?.headers[.custom] == nil)
  }

  @Test(arguments: [
    ("users/42", "https://a.example.com/v1/users/42"), ("", "https://a.example.com/v1"),
    ("https://b.example.com/x", "https://b.example.com/x"),
  ])
  func `a relative reference is appended to the base URL`(reference: String, expected: String) async throws {
    let bench = TestBed()
    let session = try bench.session { $0.baseURL("https://a.example.com/v1") }
    _ = try await session.request(reference).serializingData().value
    #expect(bench.mock.requests.first?.url.string.hasPrefix(expected) == true)
  }

  @Test(arguments: ["../x", "//evil.example.com", "javascript:alert(1)", "a/../../x"])
  func `a reference that leaves the base URL is an error`(reference: String) async throws {
    let session = try TestBed().session { $0.baseURL("https://a.example.com/v1") }
    let error = await #expect(throws: LupineError.self) { try await session.request(reference).serializingData().value }
    #expect(error?.kind == .invalidURL)
  }
}
