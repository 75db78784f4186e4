import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineMultipart
import LupineSession
import Testing

@Suite struct MultipartTests {
  @Test func `a related multipart names its root part`() throws {
    var multipart = try Multipart(
      .related, boundary: "b", parameters: [("type", "text/xml"), ("start", "<root@example>")])
    multipart.append("<a/>", headers: [.contentType: "text/xml"])
    #expect(
      multipart.contentType == "multipart/related; boundary=b; type=\"text/xml\"; start=\"<root@example>\"")
    #expect(try text(of: multipart) == "--b\r\nContent-Type: text/xml\r\n\r\n<a/>\r\n--b--\r\n")
  }

  @Test(arguments: [("b\r\n", "x"), ("boundary", "x"), ("start", "a\r\nb")])
  func `a parameter that no content type can contain is refused`(name: String, value: String) async throws {
    let multipart = Multipart(.related, parameters: [(name, value)])
    #expect(try await failure { _ = try multipart.asBody() }.kind == .invalidRequest)
  }

  @Test func `a nested multipart stands whole inside its part`() throws {
    var inner = try Multipart(.alternative, boundary: "inner")
    inner.append("plain")
    var outer = try Multipart(.mixed, boundary: "outer")
    outer.append(inner, headers: [.contentLanguage: "en"])
    outer.append(.text("last"))
    let expected = [
      "--outer", "Content-Language: en", "Content-Type: multipart/alternative; boundary=inner", "",
      "--inner", "Content-Type: text/plain; charset=utf-8", "", "plain", "--inner--", "",
      "--outer", "", "last", "--outer--", "",
    ]
    #expect(try text(of: outer) == expected.joined(separator: "\r\n"))
    #expect(try outer.contentLength() == Int64(expected.joined(separator: "\r\n").utf8.count))
  }

  @Test func `a part of a byte range has its Content-Range`() throws {
    var multipart = try Multipart(.byteranges, boundary: "b")
    multipart.append(.text("world"), range: 6..<11, of: 11, headers: [.contentType: "text/plain"])
    multipart.append(.text("!"), range: 11..<12, of: nil)
    let parts = try ReceivedPart.parts(of: Data(bytes(of: multipart.asBody())), contentType: multipart.contentType)
    #expect(parts.map(\.contentRange?.range) == [6..<11, 11..<12])
    #expect(parts.map(\.contentRange?.total) == [11, nil])
    #expect(parts.map(\.text) == ["world", "!"])
  }

  @Test(arguments: [(6..<11, 10), (-1..<4, 10), (4..<4, nil), (.min ..< .min, nil)] as [(Range<Int64>, Int64?)])
  func `a range outside of its whole is refused`(range: Range<Int64>, total: Int64?) async throws {
    var multipart = Multipart(.byteranges)
    multipart.append(.text("world"), range: range, of: total)
    #expect(try await failure { _ = try multipart.asBody() }.message.hasPrefix("Part 1"))
  }

  @Test func `multiparts nested too deep are an error`() async throws {
    var multipart = Multipart()
    for _ in 0..<100 {
      var outer = Multipart()
      outer.append(multipart)
      multipart = outer
    }
    #expect(try await failure { _ = try multipart.asBody() }.kind == .limitExceeded(.nesting))
  }

  @Test func `an error inside a nested multipart names both parts`() async throws {
    var inner = Multipart()
    inner.append(.text("fine"))
    inner.append(.file("/does/not/exist"))
    var form = MultipartFormData()
    form.append(inner, name: "files")
    let error = try await failure { _ = try await form.encode() }
    #expect(error.kind == .bodyFailed)
    #expect(
      error.message.hasPrefix(
        "Part 2 inside Part 1 (\"files\") of the multipart body cannot be sent. The file /does/not/exist"))
  }

  @Test(arguments: ["mixed", "form-data", "x-mixed-replace"]) func `a subtype is a token`(word: String) {
    #expect(Multipart.Subtype(rawValue: word)?.rawValue == word)
    #expect(Multipart.Subtype(rawValue: word + ";") == nil)
  }
}
