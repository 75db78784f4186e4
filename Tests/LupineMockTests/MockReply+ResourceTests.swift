import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSession
import LupineFixtures
import LupineMock
import LupineTransfers
import Testing

@Suite struct ResourceTests {
  private func response(
    _ headers: HTTPFields = [:], method: HTTPRequest.Method = .get, etag: String? = "v1",
    lastModified: String? = ResourceTests.changed, after seconds: Double = 1
  ) async throws -> (head: HTTPResponse, text: String) {
    let mock = MockTransport()
    mock.stub(
      [.get, .head, .put, .query], "/", .resource(Data("0123456789".utf8), etag: etag, lastModified: lastModified))
    let now = Date(timeIntervalSince1970: 1_795_219_200 + seconds)
    let (head, text, _) = try await Exchange(method: method, headers: headers, now: { now }).response(from: mock)
    return (head, text)
  }

  private static let changed = "Sat, 21 Nov 2026 00:00:00 GMT"
  private static let earlier = "Fri, 20 Nov 2026 23:59:59 GMT"
  private static let later = "Sat, 21 Nov 2026 00:00:01 GMT"

  @Test func `the whole comes with its validators`() async throws {
    let (head, text) = try await response()
    #expect(head.status == .ok)
    #expect(text == "0123456789")
    #expect(head.headerFields[.eTag] == "\"v1\"")
    #expect(head.headerFields[.acceptRanges] == "bytes")
    #expect(head.headerFields[.contentLength] == "10")
    #expect(head.headerFields[.lastModified] == Self.changed)
    #expect(head.headerFields[.date] == Self.later)
  }

  @Test func `a date of the stub's own is the answer's only one`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .resource(Data("a".utf8)).field(.date, Self.earlier))
    let (head, _, _) = try await Exchange().response(from: mock)
    #expect(head.headerFields[values: .date] == [Self.earlier])
  }

  @Test func `the date is the session's`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "/", .resource(Data("a".utf8)))
    let clock = TestClock(date: Date(timeIntervalSince1970: 784_111_777))
    let session = try Session.Builder().transport(mock).clock(clock).build()
    clock.advance(by: .seconds(60))
    let response = await session.request("https://example.com/").serializingData().response
    #expect(response.response?.headerFields[.date] == "Sun, 06 Nov 1994 08:50:37 GMT")
  }

  @Test(arguments: [
    (changed, 304), (later, 304), (earlier, 200), ("Saturday, 21-Nov-26 00:00:00 GMT", 304),
    ("Sat Nov 21 00:00:00 2026", 304), ("today", 200), ("", 200), ("\(changed), \(changed)", 200),
  ]) func `If-Modified-Since saves the bytes`(condition: String, status: Int) async throws {
    for method in [HTTPRequest.Method.get, .head, .query] {
      let (head, text) = try await response([.ifModifiedSince: condition], method: method)
      #expect(head.status.code == status)
      #expect(text.isEmpty == (status == 304 || method == .head))
      #expect(head.headerFields[.date] == Self.later)
    }
    #expect(try await response([.ifModifiedSince: condition], method: .put).head.status == .ok)
  }

  @Test(arguments: [
    (changed, 200), (later, 200), (earlier, 412), ("Friday, 20-Nov-26 23:59:59 GMT", 412), ("yesterday", 200),
  ]) func `If-Unmodified-Since is a precondition`(condition: String, status: Int) async throws {
    for method in [HTTPRequest.Method.get, .head, .put] {
      #expect(try await response([.ifUnmodifiedSince: condition], method: method).head.status.code == status)
    }
  }

  @Test(arguments: [nil, "long ago"]) func `conditions by date are ignored without a date`(
    lastModified: String?
  ) async throws {
    let conditions: [HTTPFields] = [
      [.ifModifiedSince: Self.later], [.ifUnmodifiedSince: Self.earlier],
      [.range: "bytes=0-1", .ifRange: Self.changed],
    ]
    for condition in conditions {
      #expect(try await response(condition, lastModified: lastModified).head.status == .ok)
    }
  }

  /// The order of preconditions in RFC 9110 section 13.2.2.
  @Test(
    arguments: [
      ([.ifMatch: "\"v1\"", .ifUnmodifiedSince: earlier], 200), ([.ifMatch: "\"v2\"", .ifUnmodifiedSince: later], 412),
      ([.ifNoneMatch: "\"v2\"", .ifModifiedSince: later], 200),
      ([.ifNoneMatch: "\"v1\"", .ifModifiedSince: earlier], 304),
      ([.ifUnmodifiedSince: earlier, .ifNoneMatch: "\"v1\""], 412),
      ([.ifUnmodifiedSince: later, .ifNoneMatch: "\"v1\""], 304), ([.ifMatch: "\"v1\"", .ifModifiedSince: later], 304),
      ([.ifUnmodifiedSince: later, .ifModifiedSince: changed], 304),
      ([.ifModifiedSince: later, .range: "bytes=0-1"], 304),
      ([.ifModifiedSince: earlier, .range: "bytes=0-1"], 206), ([.ifMatch: "\"v1\"", .range: "bytes=0-1"], 206),
      ([.ifUnmodifiedSince: earlier, .range: "bytes=0-1"], 412),
    ] as [(HTTPFields, Int)]) func `tags count before dates, and refusals before what saves bytes`(
      conditions: HTTPFields, status: Int
    ) async throws
  {
    #expect(try await response(conditions).head.status.code == status)
  }

  @Test(arguments: [(0.999, 200), (1, 206), (3_600, 206), (-1, 200)])
  func `If-Range takes a date that is a second old`(seconds: Double, status: Int) async throws {
    let conditions: HTTPFields = [.range: "bytes=0-1", .ifRange: Self.changed]
    #expect(try await response(conditions, etag: nil, after: seconds).head.status.code == status)
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
    ("\"v1\"", 206), ("\"v2\"", 200), ("W/\"v1\"", 200), (changed, 206), (later, 200), (earlier, 200),
    ("Saturday, 21-Nov-26 00:00:00 GMT", 206),
  ]) func `If-Range decides whether a range is given`(condition: String, status: Int) async throws {
    #expect(try await response([.range: "bytes=0-1", .ifRange: condition]).head.status.code == status)
  }

  @Test(arguments: [
    ("\"v1\"", 304), ("W/\"v1\"", 304), ("\"v0\", \"v1\"", 304), ("\"v1\"\t, \"v0\"", 304), ("*", 304), ("\"v2\"", 200),
  ])
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

  @Test func `HEAD returns the length without the bytes, and ignores a range`() async throws {
    let (head, text) = try await response([.range: "bytes=0-1"], method: .head)
    #expect(head.status == .ok)
    #expect(head.headerFields[.contentLength] == "10")
    #expect(text.isEmpty)
  }

  @Test func `an interrupted download continues at its offset`() async throws {
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

  @Test func `one stub answers several methods, and its description names them`() async throws {
    let mock = MockTransport()
    mock.stub([.put, .patch], "/") { request in .text(request.method.rawValue) }
    #expect(try await Exchange(method: .put).response(from: mock).text == "PUT")
    #expect(try await Exchange(method: .patch).response(from: mock).text == "PATCH")
    let failure = await Exchange(method: .post).failure(from: mock)
    #expect(failure?.message.contains("method: expected PUT or PATCH, got POST") == true)
  }
}
