import Foundation
import HTTPTypes
import LupineCore
import LupineCoding
import Testing

/// Parameters of several forms, each in a call that compiles without a type annotation.
@Suite struct OutgoingRequestEncodingTests {
  private let request: OutgoingRequest

  init() throws { request = try OutgoingRequest("https://example.com/search") }

  @Test func `variables of several types`() throws {
    let query = "foo bar"
    let page = 1
    let found = try OutgoingRequest("https://example.com/search").encoding(["q": query, "offset": 50 * page])
    #expect(found.url.query == "offset=50&q=foo%20bar")
  }

  @Test func `variables of one type`() throws {
    let page = 1
    #expect(try request.encoding(["a": page, "b": 2 * page]).url.query == "a=1&b=2")
  }

  @Test func `a literal of one kind`() throws {
    #expect(try request.encoding(["a": "b"]).url.query == "a=b")
  }

  @Test func `a literal that nests and mixes`() throws {
    let found = try request.encoding(["foo": "bar", "baz": ["a", 1], "qux": ["x": 1, "y": true], "nil": nil])
    #expect(found.url.query == "baz%5B%5D=a&baz%5B%5D=1&foo=bar&qux%5Bx%5D=1&qux%5By%5D=1")
  }

  @Test func `a flat literal that mixes`() throws {
    #expect(try request.encoding(["a": 1, "b": "x", "c": true, "d": 1.5]).url.query == "a=1&b=x&c=1&d=1.5")
  }

  @Test func `a structure, also when it is optional`() throws {
    struct Query: Encodable, Sendable {
      let a = 1
    }
    let none: Query? = nil
    #expect(try request.encoding(Query()).url.query == "a=1")
    #expect(try request.encoding(Optional(Query())).url.query == "a=1")
    #expect(try request.encoding(none).url.query == nil)
  }

  @Test func `nil, and parameters that may be nil`() throws {
    let none: Parameters? = nil
    #expect(try request.encoding(nil).url.query == nil)
    #expect(try request.encoding(none).url.query == nil)
    #expect(try request.encoding(Optional(["a": 1] as Parameters)).url.query == "a=1")
  }

  @Test func `a dictionary of existentials`() throws {
    let values: [String: any Encodable & Sendable] = ["a": Date(timeIntervalSince1970: 0), "b": [1]]
    let encoder = URLEncodedFormEncoder(dateEncoding: .secondsSince1970)
    let found = try request.encoding(values, with: .urlEncodedForm(encoder: encoder))
    #expect(found.url.query == "a=0.0&b%5B%5D=1")
  }

  @Test func `mixed variables keep their names and the dates of JSON`() throws {
    var post = request
    post.method = .post
    let encoder = JSONParameterEncoder {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.dateEncodingStrategy = .secondsSince1970
      encoder.outputFormatting = .sortedKeys
      return encoder
    }
    let date = Date(timeIntervalSince1970: 5)
    let count = 2
    let found = try post.encoding(["someDate": date, "theCount": count], with: encoder)
    #expect(try bytes(of: found) == #"{"someDate":5,"theCount":2}"#)
  }
}
