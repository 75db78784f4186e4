import FoundationEssentials
import HTTPTypes
import LupineCore
@testable import LupineRecording
import LupineSupport
import Testing

/// Which entry of a recording answers a request.
@Suite struct EntryTableTests {
  private func entry(
    _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], body: String = ""
  ) -> Cassette.Entry {
    let content = body.isEmpty ? Cassette.Content.none : .inline(Data(body.utf8))
    return Cassette.Entry(
      request: Cassette.Request(
        method: method, url: "https://api.example.com\(url)", fields: fields, body: content))
  }

  private func live(
    _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], body: String = ""
  ) throws -> LiveRequest {
    let url = try HTTPURL(url.hasPrefix("/") ? "https://api.example.com\(url)" : url)
    return LiveRequest(
      OutgoingRequest(url: url, method: method, headers: fields), body: Data(body.utf8), redaction: Redaction(),
      secretFields: .standard)
  }

  private func table(
    _ entries: [Cassette.Entry], _ matching: CassetteMatching = .standard, repeats: Bool = false,
    load: @escaping @Sendable (Cassette.FileContent) -> Data? = { _ in nil }
  ) -> EntryTable {
    let source = CassetteSource(
      name: "users.cassette", lines: entries.indices.map { 4 + 6 * $0 }, filter: "UserTests/users")
    return EntryTable(entries, source: source, matching: matching, repeats: repeats, load: load)
  }

  @Test func `each entry answers once, in order for equal requests`() throws {
    let table = table([entry("/a"), entry("/b"), entry("/a"), entry("/a?x=1&y=2")])
    #expect(try table.claim(live("/a")) == 0)
    #expect(try table.claim(live("/a")) == 2)
    #expect(try table.claim(live("/a?y=2&x=1")) == 3)
    #expect(table.unused == [1])
    #expect(table.unusedLines == ["GET https://api.example.com/b at users.cassette:10"])
    let error = try #require(throws: LupineError.self) { try table.claim(live("/a")) }
    #expect(error.message.contains("it has answered an earlier request"))
  }

  @Test func `the last of equal entries repeats if asked for`() throws {
    let table = table([entry("/a"), entry("/a"), entry("/b")], repeats: true)
    #expect(try (0..<4).map { _ in try table.claim(live("/a")) } == [0, 1, 1, 1])
    #expect(throws: LupineError.self) { try table.claim(live("/c")) }
  }

  @Test func `concurrent requests take different entries`() async throws {
    let table = table((0..<50).map { _ in entry("/a") })
    let request = try live("/a")
    let taken = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try table.claim(request) } }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(taken == Set(0..<50))
  }

  @Test func `what nothing matches is an error with the nearest entries and the command that records`() throws {
    let table = table([
      entry("/users/7"), entry("/users?page=1&token=REDACTED-1"), entry("/posts", .post), entry("/other/and/more"),
    ])
    let error = try #require(throws: LupineError.self) {
      try table.claim(live("/users?page=2&token=live-secret-value"))
    }
    #expect(error.kind == .unmatchedRequest)
    #expect(
      error.message == """
        No entry of the cassette users.cassette matches GET https://api.example.com/users?page=2&token=REDACTED.
        The nearest of its 4 entries:
          1. GET https://api.example.com/users?page=1&token=REDACTED at users.cassette:10
             query page: expected 1, got 2
          2. GET https://api.example.com/users/7 at users.cassette:4
             path: expected /users/7, got /users
             query page: expected no such item, got page=2
             query token: expected no such item, got token=REDACTED
          3. POST https://api.example.com/posts at users.cassette:16
             method: expected POST, got GET
             path: expected /posts, got /users
             query page: expected no such item, got page=2
             query token: expected no such item, got token=REDACTED
        To record what the server says now, run:
            LUPINE_CASSETTES=record swift test --filter 'UserTests/users'
        """)
  }

  @Test func `an empty cassette and an invalid URL are reported`() throws {
    let empty = try #require(throws: LupineError.self) { try table([]).claim(live("/")) }
    #expect(empty.message.contains("It has no entries."))
    var broken = entry("/")
    broken.request.url = "no URL"
    let error = try #require(throws: LupineError.self) { try table([broken]).claim(live("/")) }
    #expect(error.message.contains("the recorded URL is not valid"))
  }

  private static let json: HTTPFields = [.contentType: "application/json"]
  private static let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
  private static let text: HTTPFields = [.contentType: "text/plain"]

  @Test(arguments: [
    (json, #"{"a":1.0,"b":[true,"x"]}"#, #"{ "b":[true,"x"], "a":1 }"#, true),
    (json, #"{"a":1}"#, #"{"a":2}"#, false),
    (json, #"{"password":"REDACTED-1","pin":9000002}"#, #"{"pin":9000002,"password":"any"}"#, true),
    (json, #"{"secret":9000002}"#, #"{"secret":4711}"#, true),
    (json, #"{"secret":9000002}"#, #"{"secret":12}"#, false),
    (json, #"{"a":"REDACTED-1"}"#, #"{"a":"any"}"#, false),
    (json, "{", "{", true),
    (json, "{", "[", false),
    (form, "a=1&b=2&a=3", "b=2&a=3&a=1", true),
    (form, "a=1", "a=1&b=2", false),
    (form, "token=REDACTED-1&token=REDACTED-2", "token=x&token=REDACTED-1", true),
    (text, "the same", "the same", true),
    (text, "the same", "another", false),
    (text, "", "", true),
    (text, "", "more", false),
  ]) func `bodies are compared by their kind`(fields: HTTPFields, recorded: String, sent: String, matches: Bool) throws
  {
    let table = table([entry("/", .post, fields, body: recorded)], [.method, .url, .body])
    #expect(table.readsBody)
    if matches {
      #expect(try table.claim(live("/", .post, fields, body: sent)) == 0)
    } else {
      let error = try #require(throws: LupineError.self) { try table.claim(live("/", .post, fields, body: sent)) }
      #expect(error.message.contains("     body"))
    }
  }

  @Test func `multipart bodies are compared without their boundaries`() throws {
    func body(_ boundary: String, _ content: String, _ token: String) -> String {
      "--\(boundary)\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n\(content)\r\n"
        + "--\(boundary)\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n\(token)\r\n--\(boundary)--\r\n"
    }
    func type(_ boundary: String) -> HTTPFields { [.contentType: "multipart/form-data; boundary=\(boundary)"] }
    let matching: CassetteMatching = [.method, .url, .body]
    func table() -> EntryTable {
      self.table([entry("/", .post, type("one"), body: body("one", "text", "REDACTED-1"))], matching)
    }
    #expect(try table().claim(live("/", .post, type("two"), body: body("two", "text", "live"))) == 0)
    let error = try #require(throws: LupineError.self) {
      try table().claim(live("/", .post, type("two"), body: body("two", "other", "live")))
    }
    #expect(error.message.contains("body part 1 (note): its content differs: expected 4 bytes, got 5"))
    #expect(throws: LupineError.self) { try table().claim(live("/", .post, Self.text, body: "text")) }
  }

  @Test func `bodies that are not in the cassette are compared by digest or read from their file`() throws {
    let data = Data("hello".utf8)
    var digest = SHA256()
    data.withUnsafeBytes { digest.update($0) }
    let sha256 = Data(digest.finalize())
    var hashed = entry("/", .post)
    hashed.request.body = .digest(length: 5, sha256: sha256)
    #expect(try table([hashed], [.body]).claim(live("/", .post, body: "hello")) == 0)
    #expect(throws: LupineError.self) { try table([hashed], [.body]).claim(live("/", .post, body: "hellx")) }
    var filed = entry("/", .post)
    filed.request.body = .file(Cassette.FileContent(name: "a.bin", length: 5, sha256: sha256))
    #expect(try table([filed], [.body]) { _ in data }.claim(live("/", .post, body: "hello")) == 0)
    let error = try #require(throws: LupineError.self) {
      try table([filed], [.body]).claim(live("/", .post, body: "hello"))
    }
    #expect(error.message.contains("the file a.bin cannot be read"))
  }

  @Test func `other parts are compared on request`() throws {
    let recorded = entry("/a", .get, [.accept: "text/html", .authorization: "Bearer REDACTED-1"])
    let path = table([recorded], [.path])
    #expect(try path.claim(live("http://localhost:8080/a?x=1", .post)) == 0)
    let fields: CassetteMatching = [.url, .field(.accept), .field(.authorization), .field(.cookie)]
    #expect(
      try table([recorded], fields).claim(live("/a", .get, [.accept: "text/html", .authorization: "Bearer x"])) == 0)
    for other: HTTPFields in [
      [.accept: "text/html"], [.accept: "*/*", .authorization: "Bearer x"],
      [.accept: "text/html", .authorization: "Basic x"],
      [.accept: "text/html", .authorization: "Bearer x", .cookie: "a=secret-cookie"],
    ] {
      let error = try #require(throws: LupineError.self) {
        try table([recorded], fields).claim(live("/a", .get, other))
      }
      #expect(!error.message.contains("secret-cookie"))
    }
  }
}
