import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMultipart
import Testing

@Suite struct MultipartPartsTests {
  static let type = "multipart/mixed; boundary=\"b\""

  static func parts(_ text: String, limits: MultipartLimits = MultipartLimits()) throws -> MultipartParts {
    try MultipartParts(Pieces(Array(text.utf8).map { [$0] }), contentType: type, limits: limits)
  }

  @Test func `parts stream one after the other`() async throws {
    var found: [String] = []
    for try await part in try Self.parts("--b\r\nContent-Type: a\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--") {
      var content: [UInt8] = []
      for try await bytes in part.body { content += bytes }
      found.append("\(part.number) \(part.headers[.contentType] ?? "-") \(String(decoding: content, as: UTF8.self))")
    }
    #expect(found == ["1 a one", "2 - two"])
  }

  @Test func `asking for the next part passes over the rest of the last`() async throws {
    var iterator = try Self.parts("--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--").makeAsyncIterator()
    let first = try #require(try await iterator.next())
    var body = first.body.makeAsyncIterator()
    #expect(try await body.next() == [UInt8(ascii: "o")])
    let second = try #require(try await iterator.next())
    #expect(try await failure { _ = try await first.data(limit: 10) }.kind == .invalidRequest)
    #expect(try await second.data(limit: 10) == Data("two".utf8))
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func `a multipart inside a part is read in the same way`() async throws {
    let inner = "--i\r\n\r\n1\r\n--i\r\n\r\n2\r\n--i--"
    let text = "--b\r\nContent-Type: multipart/alternative; boundary=i\r\n\r\n\(inner)\r\n--b\r\n\r\nlast\r\n--b--"
    var found: [String] = []
    for try await part in try Self.parts(text) {
      if part.number == 1 {
        for try await nested in try part.parts() {
          found.append(String(decoding: try await nested.data(limit: 10), as: UTF8.self))
        }
      } else {
        found.append(String(decoding: try await part.data(limit: 10), as: UTF8.self))
      }
    }
    #expect(found == ["1", "2", "last"])
  }

  @Test func `multiparts nested deeper than the limit are an error`() async throws {
    var limits = MultipartLimits()
    limits.nesting = 1
    let text = "--b\r\nContent-Type: multipart/mixed; boundary=i\r\n\r\n--i--\r\n--b--"
    var iterator = try Self.parts(text, limits: limits).makeAsyncIterator()
    let part = try #require(try await iterator.next())
    let error = try await failure { _ = try part.parts() }
    #expect(error.kind == .limitExceeded(.nesting))
    #expect(error.message.contains("MultipartLimits.nesting"))
  }

  @Test func `bytes after the last delimiter are not read`() async throws {
    var iterator = try MultipartParts(EndlessAfter("--b--"), contentType: Self.type).makeAsyncIterator()
    #expect(try await iterator.next() == nil)
  }

  @Test func `an endless part ends at the limit of who gathers it`() async throws {
    var iterator = try MultipartParts(EndlessAfter("--b\r\n\r\n"), contentType: Self.type).makeAsyncIterator()
    let part = try #require(try await iterator.next())
    let error = try await failure { _ = try await part.data(limit: 1_000_000) }
    #expect(error.kind == .limitExceeded(.multipart))
    #expect(error.message.hasPrefix("Part 1 "))
  }

  @Test func `a source that throws ends the parts with its error, which stays`() async throws {
    let source = ThrowingAfter("--b\r\n\r\nhalf")
    var iterator = try MultipartParts(source, contentType: Self.type).makeAsyncIterator()
    let part = try #require(try await iterator.next())
    let error = try await failure { _ = try await part.data(limit: 100) }
    #expect(error.underlying is Throwing.Broken)
    #expect(try await failure { _ = try await iterator.next() }.underlying is Throwing.Broken)
  }

  @Test func `a multipart that is cut short is an error`() async throws {
    var iterator = try Self.parts("--b\r\n\r\nhalf").makeAsyncIterator()
    let part = try #require(try await iterator.next())
    #expect(try await failure { _ = try await part.data(limit: 100) }.kind == .serializationFailed)
  }

  @Test(arguments: [
    nil, "", "text/plain", "multipart/mixed", "multipart/mixed; boundary", "multipart/mixed; charset=utf-8",
    "multipartmixed; boundary=b",
  ]) func `a content type without a boundary is an error`(type: String?) async throws {
    #expect(
      try await failure { _ = try MultipartParts(Pieces([""]), contentType: type) }.kind == .serializationFailed)
  }

  @Test(arguments: [
    "multipart/mixed;boundary=b", "Multipart/Mixed; BOUNDARY=b", "multipart/x; a=\"; boundary=c\"; boundary=\"b\"",
    "multipart/x; charset=utf-8; boundary=b ; c=d", "multipart/x; boundary=\"\\b\"",
  ]) func `the boundary is found among other parameters`(type: String) throws {
    #expect(try ReceivedPart.parts(of: Data("--b\r\n\r\nx\r\n--b--".utf8), contentType: type).map(\.text) == ["x"])
  }
}
