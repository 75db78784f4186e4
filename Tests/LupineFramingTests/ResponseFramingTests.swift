import HTTPTypes
import LupineCore
import LupineFraming
import Testing

@Suite struct ResponseFramingTests {
  typealias Fields = [(HTTPField.Name, String)]

  private static let chunked = (HTTPField.Name.transferEncoding, "chunked")
  private static let length = (HTTPField.Name.contentLength, "5")

  private static func head(_ status: Int, _ fields: Fields) -> HTTPResponse {
    var head = HTTPResponse(status: HTTPResponse.Status(code: status))
    for (name, value) in fields { head.headerFields.append(HTTPField(name: name, value: value)) }
    return head
  }

  static let framings: [(fields: Fields, framing: ResponseFraming)] = [
    ([], .untilClose), ([length], .length(5)), ([chunked], .chunked), ([(.transferEncoding, "Chunked")], .chunked),
    ([(.contentLength, "0")], .length(0)), ([(.contentLength, "9223372036854775807")], .length(.max)),
    ([(.contentLength, "007")], .length(7)),
  ]

  @Test(arguments: framings.indices)
  func `the end of a body follows from the fields`(index: Int) throws {
    let (fields, framing) = Self.framings[index]
    #expect(try ResponseFraming(of: Self.head(200, fields), to: .get) == framing)
    #expect(try ResponseFraming(of: Self.head(500, fields), to: .post) == framing)
    #expect(try ResponseFraming(of: Self.head(400, fields), to: .connect) == framing)
  }

  @Test(arguments: 0..<3)
  func `some responses have no body, whatever their fields are`(index: Int) throws {
    let fields = Self.framings[index].fields
    #expect(try ResponseFraming(of: Self.head(200, fields), to: .head) == .none)
    #expect(try ResponseFraming(of: Self.head(204, fields), to: .get) == .none)
    #expect(try ResponseFraming(of: Self.head(304, fields), to: .get) == .none)
    #expect(try ResponseFraming(of: Self.head(200, fields), to: .connect) == .none)
  }

  static let refused: [Fields] = [
    [length, chunked], [chunked, chunked], [length, length], [length, (.contentLength, "6")],
    [(.contentLength, "")], [(.contentLength, "+5")], [(.contentLength, "-5")], [(.contentLength, "0x5")],
    [(.contentLength, "5,5")], [(.contentLength, "5 5")], [(.contentLength, "9223372036854775808")],
    [(.contentLength, "\u{661}")], [(.transferEncoding, "gzip, chunked")], [(.transferEncoding, "chunked, chunked")],
    [(.transferEncoding, "gzip")], [(.transferEncoding, "")], [(.transferEncoding, "identity")],
  ]

  @Test(arguments: refused.indices)
  func `a head with two rules, or with an invalid one, is refused`(index: Int) {
    let fields = Self.refused[index]
    for method in [HTTPRequest.Method.get, .head] {
      let error = #expect(throws: LupineError.self) {
        _ = try ResponseFraming(of: Self.head(200, fields), to: method)
      }
      #expect(error?.kind == .malformedResponse)
    }
  }

  @Test func `HTTP/1.0 has no transfer codings`() throws {
    #expect(try ResponseFraming(of: Self.head(200, [Self.length]), to: .get, in: .http1_0) == .length(5))
    #expect(throws: LupineError.self) {
      _ = try ResponseFraming(of: Self.head(200, [Self.chunked]), to: .get, in: .http1_0)
    }
  }
}
