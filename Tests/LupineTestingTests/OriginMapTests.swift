import LupineCore
import LupineSession
import LupineMock
import LupineTesting
import Testing

@Suite struct OriginMapTests {
  private func urls(_ map: OriginMap, _ url: String) async throws -> [String] {
    let mock = MockTransport()
    mock.stub(.get, "/{any...}", .text("here"))
    let session = try Session.Builder().transport(mock).adapter(map).build()
    _ = try await session.request(url).serializingString().value
    return mock.requests.map(\.url.string)
  }

  @Test(
    arguments: [
      "https://api.example.com", "https://API.example.com", "HTTPS://api.example.com/", "https://api.example.com:443",
    ], ["http://127.0.0.1:8080", "http://127.0.0.1:8080/"])
  func `an origin is replaced however it is written`(origin: String, other: String) async throws {
    let map = OriginMap([origin: other])
    #expect(try await urls(map, "https://api.example.com/v1?a=b") == ["http://127.0.0.1:8080/v1?a=b"])
    #expect(try await urls(map, "https://example.com/v1") == ["https://example.com/v1"])
  }

  @Test func `the text of an origin may have a path`() async throws {
    let map = OriginMap(["https://api.example.com": "http://127.0.0.1/stage"])
    #expect(try await urls(map, "https://api.example.com/v1") == ["http://127.0.0.1/stage/v1"])
  }

  @Test(arguments: [
    ["api.example.com": "http://127.0.0.1"], ["https://api.example.com/v1": "http://127.0.0.1"],
    ["https://api.example.com?a": "http://127.0.0.1"], ["": "http://127.0.0.1"],
    ["https://api.example.com": "127.0.0.1"],
    ["https://api.example.com": "http://127.0.0.1", "https://API.example.com": "http://127.0.0.2"],
  ])
  func `an invalid or duplicate origin refuses all requests`(origins: [String: String]) async throws {
    let error = await #expect(throws: LupineError.self) {
      try await urls(OriginMap(origins), "https://api.example.com/v1")
    }
    #expect(error?.kind == .invalidURL)
  }
}
