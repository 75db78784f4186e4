import FoundationEssentials
import HTTPTypes
import LupineCore
@testable import LupineRecording
import LupineSupport
import LupineTesting
import Testing

/// The defects that a check of cassettes reports.
@Suite struct CassetteCheckTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/check-\(UUID().uuidString)"

  /// Writes a cassette, and returns its path.
  private func cassette(_ entries: [Cassette.Entry], files: [String: String] = [:]) throws -> String {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
    let header = Cassette.Header(date: Date(timeIntervalSince1970: 1_800_000_000), capabilities: .networking)
    let path = "\(folder)/users.cassette"
    try Data(CassetteWriter.text(of: Cassette(header: header, entries: entries))).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func entry(_ url: String, _ change: (inout Cassette.Entry) -> Void = { _ in }) -> Cassette.Entry {
    var entry = Cassette.Entry(
      request: Cassette.Request(url: url), response: Cassette.Response(head: HTTPResponse(status: .ok)))
    change(&entry)
    return entry
  }

  /// Puts the body of a response into a file.
  private func put(_ name: String, of text: String, into entry: inout Cassette.Entry) {
    entry.response?.body = file(name, of: text)
    entry.response?.chunks = [Cassette.Chunk(after: .zero, count: text.utf8.count)]
  }

  private func file(_ name: String, of text: String) -> Cassette.Content {
    var digest = SHA256()
    Array(text.utf8).withUnsafeBytes { digest.update($0) }
    return .file(
      Cassette.FileContent(name: name, length: Int64(text.utf8.count), sha256: Data(digest.finalize())))
  }

  private func problems(_ path: String, _ redaction: Redaction = Redaction()) -> [String] {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return CassetteCheck(redaction: redaction).problems(at: path).map { problem in
      String(problem.description.dropFirst(folder.count + 1))
    }
  }

  @Test func `a recording without secrets has no problem`() throws {
    let recorded = try Redactor().redacted(
      entry("https://api.example.com/?token=secret-value") {
        $0.request.fields = [.authorization: "Bearer secret-value", .cookie: "a=1; b=2"]
        $0.responseBody(#"{"pin":12345,"session":{"id":123456,"ok":true}}"#, "application/json")
      }
    ) { _, _ in }
    let text = #"{"token":"REDACTED-1","a":"b"}"#
    let filed = entry("https://api.example.com/") {
      $0.response?.head.headerFields[.contentType] = "application/json"
      put("users-1.bin", of: text, into: &$0)
    }
    let path = try cassette([recorded, filed], files: ["users-1.bin": text])
    #expect(problems(path) == [])
  }

  @Test func `secrets are reported with the line of their exchange`() throws {
    let path = try cassette([
      entry("https://api.example.com/"),
      entry("https://api.example.com/?api_key=abcdefgh") {
        $0.request.fields = [.authorization: "Bearer secret-value"]
        $0.responseBody(#"{"token":123456,"x":"ghp_0123456789abcdefghijklmnopqrstuvwxyz"}"#, "application/json")
      },
    ])
    #expect(
      problems(path) == [
        "users.cassette:7: A secret stands in the request's URL.",
        "users.cassette:7: A secret stands in the request's field Authorization.",
        "users.cassette:7: A secret stands in the response's body.",
        "users.cassette:7: The response's body contains a token of GitHub from byte 22 on.",
      ])
  }

  @Test func `what is named as harmless is not reported`() throws {
    let path = try cassette([
      entry("https://api.example.com/?code=200-ok&api_key=public") {
        $0.request.fields = [HTTPField.Name(constant: "X-A"): "AKIAIOSFODNN7EXAMPLE"]
      }
    ])
    let redaction: Redaction = [.harmless(member: "code"), .harmless("public"), .harmless("AKIAIOSFODNN7EXAMPLE")]
    #expect(problems(path, redaction) == [])
  }

  @Test func `files of bodies that are missing, damaged or contain a secret are reported`() throws {
    let secret = #"{"token":"secret-value"}"#
    let path = try cassette(
      [
        entry("https://a.example/1") { put("gone.bin", of: "x", into: &$0) },
        entry("https://a.example/2") { put("other.bin", of: "x", into: &$0) },
        entry("https://a.example/3") { $0.request.body = file("secret.bin", of: secret) },
      ], files: ["other.bin": "y", "secret.bin": secret])
    let found = problems(path)
    #expect(found.count == 3)
    #expect(found[0].contains("gone.bin cannot be opened"))
    #expect(found[1].hasSuffix("The file other.bin is not the one that was recorded."))
    #expect(found[2].hasSuffix("A secret stands in the request's body."))
  }

  @Test func `a cassette that cannot be read is one problem`() throws {
    let path = try cassette([])
    try Data("{\"cassette\":1".utf8).write(to: URL(fileURLWithPath: path))
    let damaged = problems(path)
    #expect(damaged.count == 1)
    #expect(damaged[0].contains("is damaged at line"))
    #expect(CassetteCheck().problems(at: folder + "/none.cassette").count == 1)
  }
}
