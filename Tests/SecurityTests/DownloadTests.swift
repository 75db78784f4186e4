import Foundation
import Lupine
import LupineMock
import LupineTesting
import Testing
import TransportSupport

@Suite struct DownloadTests {
  private let folder: String
  private let session: Session
  private let mock = MockTransport()

  init() throws {
    folder = NSTemporaryDirectory() + "lupine-security-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder + "/inner", withIntermediateDirectories: true)
    session = try Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://a.example.com").build()
  }

  private func names(_ path: String = "") -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder + path).sorted()) ?? []
  }

  private func text(_ name: String) -> String? { try? String(contentsOfFile: folder + "/" + name, encoding: .utf8) }

  private func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/" + name, withDestinationPath: folder + "/" + target)
  }

  private func cleanUp() { try? FileManager.default.removeItem(atPath: folder) }

  @Test(arguments: [
    (#"attachment; filename="../../etc/passwd""#, "passwd"), (#"attachment; filename="/etc/passwd""#, "passwd"),
    (#"attachment; filename="C:\\windows\\x.exe""#, "x.exe"), (#"attachment; filename="C:x.exe""#, "x.exe"),
    ("attachment; filename*=UTF-8''a%00b.txt", "file"), ("attachment; filename*=UTF-8''..%2F..%2Fx", "x"),
    ("attachment; filename*=UTF-8''%C0%AE%C0%AE%C0%AFx", "file"), (#"attachment; filename="~root""#, "root"),
    (#"attachment; filename=".bashrc""#, "bashrc"), (#"attachment; filename="-rf""#, "rf"),
    (#"attachment; filename="..""#, "file"), (#"attachment; filename=""#, "file"), ("attachment", "file"),
    ("attachment; filename*=UTF-8''..%2F%CC%81..%2F%CC%81x", "\u{301}x"), (#"filename = "../x y.txt"#, "x y.txt"),
    ("attachment; filename*=UTF-8''a%0A%1B%5B2Jb", "a[2Jb"),
    ("attachment; filename*=UTF-8''a%+ab", "file"), ("attachment; filename=c; filename*=UTF-8''a%2", "c"),
    ("attachment; filename*=UTF-8''gpj%E2%80%AE.exe", "gpj.exe"),
    ("attachment; filename*=UTF-8''gpj%D8%9C.exe", "gpj.exe"), (#"attachment; filename="C:.bashrc""#, "bashrc"),
    (#"attachment; filename="report 12:30.txt""#, "report 12:30.txt"), (#"attachment; filename="C:""#, "file"),
    ("attachment; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt", "grüße.txt"), (#"attachment; filename="a/.""#, "file"),
  ])
  func `the server's name is a bare safe name in the folder`(disposition: String, name: String) async throws {
    defer { cleanUp() }
    mock.stub(.get, "/dir/file", .text("x").field(.contentDisposition, disposition))
    let url = try await session.download("dir/file", to: .folder(folder + "/inner")).serializingFile().value
    #expect(url.lastPathComponent == name)
    #expect(names("/inner") == [name])
    #expect(names() == ["inner"])
  }

  @Test(arguments: [
    (String(repeating: "%C3%BC", count: 300), String(repeating: "ü", count: 100)),
    (String(repeating: "%C3%BC", count: 300) + ".pdf", String(repeating: "ü", count: 98) + ".pdf"),
    ("a." + String(repeating: "b", count: 300), "a." + String(repeating: "b", count: 198)),
    (String(repeating: "a", count: 300) + ".pdf...", String(repeating: "a", count: 196) + ".pdf"),
  ])
  func `a long name is cut at the end of a character, and keeps its extension`(name: String, cut: String)
    async throws
  {
    defer { cleanUp() }
    mock.stub(.get, "/file", .text("x").field(.contentDisposition, "attachment; filename*=UTF-8''" + name))
    let url = try await session.download("file", to: .folder(folder + "/inner")).serializingFile().value
    #expect(url.lastPathComponent == cut)
  }

  @Test(arguments: [true, false])
  func `a link at the destination is not followed`(isReplaced: Bool) async throws {
    defer { cleanUp() }
    try write("precious", "victim")
    try link("a", to: "victim")
    mock.stub(.get, "/a", .text("new"))
    let destination = DownloadDestination.file(folder + "/a", isReplaced ? .removePreviousFile : [])
    let response = await session.download("a", to: destination).serializingFile().response
    #expect(response.error?.kind == (isReplaced ? nil : .fileFailed))
    #expect(text("victim") == "precious")
    #expect(text("a") == (isReplaced ? "new" : "precious"))
  }

  @Test func `a link put in the place of the partial file is not written through`() async throws {
    defer { cleanUp() }
    try write("precious", "victim")
    let whole = MockReply.resource(Data("0123456789".utf8), etag: "v1")
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole]))
    let data = await session.download("a", to: .file(folder + "/a")).serializingFile().response.resumeData
    let partial = try #require(names().first { $0.hasPrefix(".a.") })
    try FileManager.default.removeItem(atPath: folder + "/" + partial)
    try link(partial, to: "victim")
    _ = try await session.download(resumingWith: try #require(data)).serializingFile().value
    #expect(text("victim") == "precious")
    #expect(text("a") == "0123456789")
  }

  @Test func `a partial file is readable by its owner alone, and its name is random`() async throws {
    defer { cleanUp() }
    mock.stub(.get, "/a", MockReply.resource(Data("0123456789".utf8), etag: "v1").reset(afterBytes: 4))
    for _ in 0..<2 { _ = await session.download("a", to: .file(folder + "/a")).serializingFile().response }
    let partials = names().filter { $0.hasPrefix(".a.") }
    #expect(partials.count == 2)
    for name in partials {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  // Each response has `Connection: close`, so that no request uses a connection that the server is about to close.

  private static func whole(_ text: String, tag: String) -> String {
    "HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \(tag)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
  }

  private static func part(
    _ range: String, _ text: String, tag: String = "\"v1\"", status: Int = 206, validator: String? = nil
  ) -> String {
    "HTTP/1.1 \(status) x\r\nConnection: close\r\n\(validator ?? "ETag: \(tag)\r\n")"
      + "Content-Range: bytes \(range)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
  }

  static let answers: [String: String] = [
    "the whole file": whole("0123456789", tag: "\"v1\""), "another file": whole("abcdefghij", tag: "\"v2\""),
    "another offset": part("3-9/10", "3456789"), "a changed tag": part("4-9/10", "efghij", tag: "\"v2\""),
    "no tag": part("4-9/10", "efghij", validator: ""),
    "a date": part("4-9/10", "efghij", validator: "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
    "a weak tag": part("4-9/10", "efghij", tag: "W/\"v1\""), "a changed total": part("4-10/11", "efghijk"),
    "a refusal": part("*/4", "", status: 416), "a shorter file": part("4-5/6", "ef"),
    "a part of the rest": part("4-7/10", "4567"), "more than it says": part("4-9/10", "456789abc"),
    "a part with status 200": part("4-9/10", "456789", status: 200), "an unknown length": part("4-9/*", "456789"),
    "a shorter file with the same tag": whole("456789", tag: "\"v1\""),
    "no range": "HTTP/1.1 206 x\r\nConnection: close\r\nETag: \"v1\"\r\nContent-Length: 6\r\n\r\nefghij",
  ]

  @Test(.overEachTransport, arguments: answers.keys.sorted(), [ResumePolicy.restart, .fail])
  func `a response that does not continue the file is never mixed with it`(name: String, policy: ResumePolicy)
    async throws
  {
    defer { cleanUp() }
    let answer = try #require(Self.answers[name])
    let server = try ScriptedServer { request in
      if request.number == 0 {
        return [.raw(text: "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 10\r\n\r\n0123"), .close]
      }
      let isRange = request.fields["Range"] != nil
      return [.raw(text: isRange ? answer : Self.whole("abcdefghij", tag: "\"v2\"")), .close]
    }
    defer { server.stop() }
    let curl = try networkSession()
    let cut = await curl.download(server.url, to: .file(folder + "/a")).serializingFile().response
    #expect(cut.error?.kind == .connectionLost)
    let response = await curl.download(resumingWith: try #require(cut.resumeData), otherwise: policy)
      .serializingFile().response
    if policy == .fail {
      #expect(response.error?.kind == .resumeFailed)
      #expect(text("a") == nil)
    } else {
      #expect(response.error == nil)
      #expect(["0123456789", "abcdefghij"].contains(text("a") ?? ""))
      #expect(names() == ["a", "inner"])
    }
  }

  @Test(.overEachTransport, arguments: ["3\r\n456\r\n0\r\n\r\n", "8\r\n456789ab\r\n0\r\n\r\n"])
  func `a rest whose length differs from its stated length is an error, and nothing is kept`(chunks: String)
    async throws
  {
    defer { cleanUp() }
    let server = try ScriptedServer { request in
      request.number == 0
        ? [.raw(text: "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 10\r\n\r\n0123"), .close]
        : [
          .raw(
            text: "HTTP/1.1 206 x\r\nETag: \"v1\"\r\nContent-Range: bytes 4-9/10\r\n"
              + "Transfer-Encoding: chunked\r\n\r\n" + chunks), .close,
        ]
    }
    defer { server.stop() }
    let curl = try networkSession()
    let cut = await curl.download(server.url, to: .file(folder + "/a")).serializingFile().response
    let response = await curl.download(resumingWith: try #require(cut.resumeData)).serializingFile().response
    #expect(response.error?.kind == .malformedResponse)
    #expect(names() == ["inner"])
  }

  @Test(arguments: [
    ("4-5/*", "45", "abcdefghij"), ("4-9/*", "456789", "abcdefghij"), ("4-9/10", "456789", "0123456789"),
  ])
  func `a part of the rest is not taken for the rest`(range: String, rest: String, file: String)
    async throws
  {
    defer { cleanUp() }
    let cut = MockReply.text("").chunked(["0123", "456789"]).field(.eTag, "\"v1\"").truncated(afterBytes: 4)
    let part = MockReply.text(rest, status: .partialContent).field(.contentRange, "bytes " + range)
      .field(.eTag, "\"v1\"")
    mock.stub(.get, "/a", .sequence([cut, part, .text("abcdefghij")]))
    let data = await session.download("a", to: .file(folder + "/a")).serializingFile().response.resumeData
    _ = try await session.download(resumingWith: try #require(data)).serializingFile().value
    #expect(text("a") == file)
    #expect(mock.requests.count == (file == "0123456789" ? 2 : 3))
    #expect(names() == ["a", "inner"])
  }

  @Test(.overEachTransport) func `a range that ends behind all numbers is another part of the file`() async throws {
    defer { cleanUp() }
    let server = try ScriptedServer { request in
      guard request.number > 0 else {
        return [
          .raw(text: "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n"), .close,
        ]
      }
      guard request.fields["Range"] != nil else {
        return [.raw(text: Self.whole("abcdefghij", tag: "\"v2\"")), .close]
      }
      return [
        .raw(
          text: "HTTP/1.1 206 x\r\nConnection: close\r\nETag: \"v1\"\r\nContent-Range: bytes 4-\(Int64.max)/*\r\n"
            + "Content-Length: \(Int64.max - 3)\r\n\r\nefghij"), .close,
      ]
    }
    defer { server.stop() }
    let curl = try networkSession()
    let cut = await curl.download(server.url, to: .file(folder + "/a")).serializingFile().response
    _ = try await curl.download(resumingWith: try #require(cut.resumeData)).serializingFile().value
    #expect(text("a") == "abcdefghij")
  }

  @Test func `bytes from an unauthenticated server are not kept`() async throws {
    defer { cleanUp() }
    let cut = MockReply.resource(Data("0123456789".utf8), etag: "v1").reset(afterBytes: 4)
    mock.stub(.get, "/a", .sequence([cut, .failure(.serverNotAuthenticated)]))
    let response = await session.download("a", to: .file(folder + "/a")).resumesAutomatically().serializingFile()
      .response
    #expect(response.error?.kind == .serverNotAuthenticated)
    #expect(response.resumeData == nil)
    #expect(names() == ["inner"])
  }

  @Test(.overEachTransport) func `a response with parts that were not requested is requested once more and then fails`()
    async throws
  {
    defer { cleanUp() }
    let server = try ScriptedServer { request in
      request.number == 0
        ? [.raw(text: "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 10\r\n\r\n0123"), .close]
        : [.raw(text: Self.part("3-9/10", "3456789")), .close]
    }
    defer { server.stop() }
    let curl = try networkSession()
    let cut = await curl.download(server.url, to: .file(folder + "/a")).serializingFile().response
    let response = await curl.download(resumingWith: try #require(cut.resumeData)).serializingFile().response
    #expect(response.error?.kind == .malformedResponse)
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=4-", nil])
    #expect(response.resumeData != nil)
    #expect(names().filter { $0 != "inner" }.map(text) == ["0123"])
  }

  @Test func `a truncated rest continues at its offset`() async throws {
    defer { cleanUp() }
    let whole = MockReply.resource(Data("0123456789".utf8), etag: "v1")
    mock.stub(.get, "/a", .sequence([whole.reset(afterBytes: 4), whole.truncated(afterBytes: 3), whole]))
    var data: Data?
    for _ in 0..<2 {
      let next = data.map { session.download(resumingWith: $0) } ?? session.download("a", to: .file(folder + "/a"))
      data = await next.serializingFile().response.resumeData
    }
    _ = try await session.download(resumingWith: try #require(data)).serializingFile().value
    #expect(mock.requests.map { $0.headers[.range] } == [nil, "bytes=4-", "bytes=7-"])
    #expect(text("a") == "0123456789")
  }

  @Test func `resume data of a redirected download take a credential to its first origin alone`() async throws {
    defer { cleanUp() }
    let whole = MockReply.resource(Data("0123456789".utf8), etag: "v1")
    mock.stub(.get, "https://a.example.com/start", .redirect(to: "https://b.example.com/a"))
    mock.stub(.get, "https://b.example.com/a", .sequence([whole.reset(afterBytes: 4), whole]))
    let secret: RequestHeaders = [.authorization: "Bearer t"]
    let cut = await session.download("start", headers: secret, to: .file(folder + "/a")).serializingFile().response
    _ = try await session.download(resumingWith: try #require(cut.resumeData), headers: secret).serializingFile().value
    #expect(mock.requests.map(\.url.host) == ["a.example.com", "b.example.com", "a.example.com", "b.example.com"])
    #expect(mock.requests.map { $0.headers[.authorization] } == ["Bearer t", nil, "Bearer t", nil])
    #expect(text("a") == "0123456789")
  }

  @Test(arguments: ["W/\"v1\"", nil])
  func `a weak validator, or none, continues nothing`(tag: String?) async throws {
    defer { cleanUp() }
    mock.stub(.get, "/a", MockReply.resource(Data("0123456789".utf8), etag: tag).reset(afterBytes: 4))
    let response = await session.download("a", to: .file(folder + "/a")).serializingFile().response
    #expect(response.error?.kind == .connectionLost)
    #expect(response.resumeData == nil)
    #expect(names() == ["inner"])
  }
}
