import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineFixtures
import LupineMock
import Testing

@Suite struct ResourceTests {
  private func response(
    _ headers: HTTPFields = [:], method: HTTPRequest.Method = .get, etag: String? = "v1"
  ) async throws -> (head: HTTPResponse, text: String) {
    let mock = MockTransport()
    mock.stub(
      [.get, .head], "/", .resource(Data("0123456789".utf8), etag: etag, lastModified: "Sat, 21 Nov 2026 00:00:00 GMT"))
    let (head, text, _) = try await Exchange(method: method, headers: headers).response(from: mock)
    return (head, text)
  }

  @Test func `the whole comes with its validators`() async throws {
    let (head, text) = try await response()
    #expect(head.status == .ok)
    #expect(text == "0123456789")
    #expect(head.headerFields[.eTag] == "\"v1\"")
    #expect(head.headerFields[.acceptRanges] == "bytes")
    #expect(head.headerFields[.contentLength] == "10")
  }

  @Test(arguments: [
    ("bytes=0-3", "0123", "bytes 0-3/10"), ("bytes=4-", "456789", "bytes 4-9/10"), ("bytes=-2", "89", "bytes 8-9/10"),
    ("bytes=8-100", "89", "bytes 8-9/10"), ("bytes=-100", "0123456789", "bytes 0-9/10"),
    ("bytes=8-9223372036854775807", "89", "bytes 8-9/10"), ("bytes=8-99999999999999999999", "89", "bytes 8-9/10"),
  ]) func `a range is a part`(range: String, text: String, contentRange: String) async throws {
    let (head, found) = try await response([.range: range])
    #expect(head.status == .partialContent)
    #expect(found == text)
    #expect(head.headerFields[.contentRange] == contentRange)
    #expect(head.headerFields[.contentLength] == "\(text.utf8.count)")
  }

  @Test(arguments: ["bytes=10-", "bytes=-0", "bytes=99999999999999999999-"]) func `a range beyond the end is refused`(
    range: String
  ) async throws {
    let (head, text) = try await response([.range: range])
    #expect(head.status == .rangeNotSatisfiable)
    #expect(head.headerFields[.contentRange] == "bytes */10")
    #expect(text.isEmpty)
  }

  @Test(arguments: ["bytes=3-1", "lines=0-1", "bytes=a-b", "bytes=0-1,3-4", "bytes=-"])
  func `a range that cannot be read is left aside`(range: String) async throws {
    #expect(try await response([.range: range]).head.status == .ok)
  }

  @Test(arguments: [
    ("\"v1\"", 206), ("\"v2\"", 200), ("W/\"v1\"", 200), ("Sat, 21 Nov 2026 00:00:00 GMT", 206),
    ("Sat, 21 Nov 2026 00:00:01 GMT", 200),
  ]) func `If-Range decides whether a range is given`(condition: String, status: Int) async throws {
    #expect(try await response([.range: "bytes=0-1", .ifRange: condition]).head.status.code == status)
  }

  @Test(arguments: [("\"v1\"", 304), ("W/\"v1\"", 304), ("\"v0\", \"v1\"", 304), ("*", 304), ("\"v2\"", 200)])
  func `If-None-Match saves the bytes`(condition: String, status: Int) async throws {
    let (head, text) = try await response([.ifNoneMatch: condition])
    #expect(head.status.code == status)
    #expect(text.isEmpty == (status == 304))
    #expect(head.headerFields[.eTag] == "\"v1\"")
  }

  @Test(arguments: [("\"v1\"", 200), ("\"v2\"", 412), ("*", 200)])
  func `If-Match is a precondition`(condition: String, status: Int) async throws {
    #expect(try await response([.ifMatch: condition]).head.status.code == status)
  }

  @Test func `HEAD tells the length without the bytes, and knows no range`() async throws {
    let (head, text) = try await response([.range: "bytes=0-1"], method: .head)
    #expect(head.status == .ok)
    #expect(head.headerFields[.contentLength] == "10")
    #expect(text.isEmpty)
  }

  @Test func `an interrupted download goes on where it was`() async throws {
    let mock = MockTransport()
    let resource = MockReply.resource(Data("0123456789".utf8), etag: "v1")
    mock.stub([.get], "/", .sequence([resource.reset(afterBytes: 4), resource]))
    let session = try Session.Builder().transport(mock).build()
    let folder = try TemporaryFolder()
    let broken = await session.download("https://example.com/", to: .file(folder.file("a"))).serializingData().response
    let data = try #require(broken.error?.resumeData)
    let whole = try await session.download(resumingWith: data).serializingData().value
    #expect(String(decoding: whole, as: UTF8.self) == "0123456789")
    #expect(folder.names == ["a"])
    #expect(mock.requests.last?.headers[.range] == "bytes=4-")
  }

  @Test func `one stub answers several methods, and says so`() async throws {
    let mock = MockTransport()
    mock.stub([.put, .patch], "/") { request in .text(request.method.rawValue) }
    #expect(try await Exchange(method: .put).response(from: mock).text == "PUT")
    #expect(try await Exchange(method: .patch).response(from: mock).text == "PATCH")
    let failure = await Exchange(method: .post).failure(from: mock)
    #expect(failure?.message.contains("method: expected PUT or PATCH, got POST") == true)
  }
}
