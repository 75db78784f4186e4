import CNghttp2
import HTTPTypes
import LupineCore
import LupineSupport
import Testing

@testable import LupineNative

/// The field section of a request, whose fields are kept for the next request to the same origin.
@Suite struct RequestFieldsTests {
  /// Each field as `name: value`; a field that stays out of the compression's table begins with `!`.
  private func lines(
    _ headers: HTTPFields, path: String = "/", length: Int64? = nil, reusing fields: inout HTTP2RequestFields?
  ) throws -> [String] {
    let request = OutgoingRequest(url: try HTTPURL("https://localhost:8443\(path)"), headers: headers)
    let head = HTTP2RequestHead(request, length: length, addsExpectation: false, reusing: &fields)
    return head.withFields { fields in
      fields.map { field in
        let name = String(decoding: UnsafeBufferPointer(start: field.name, count: field.namelen), as: UTF8.self)
        let value = String(decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen), as: UTF8.self)
        return (field.flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) != 0 ? "!" : "") + "\(name): \(value)"
      }
    }
  }

  @Test func `the pseudo-header fields come first, and the fields keep their order`() throws {
    var fields: HTTP2RequestFields?
    let headers: HTTPFields = [.accept: "*/*", .authorization: "Basic YTpi", .userAgent: "x"]
    let lines = try lines(headers, path: "/a?b", length: 3, reusing: &fields)
    #expect(Set(lines.prefix(4)) == [":method: GET", ":scheme: https", ":authority: localhost:8443", ":path: /a?b"])
    #expect(lines.dropFirst(4) == ["accept: */*", "!authorization: Basic YTpi", "user-agent: x", "content-length: 3"])
  }

  @Test func `fields about the connection are omitted, and Host becomes the authority`() throws {
    var fields: HTTP2RequestFields?
    let headers: HTTPFields = [
      .connection: "keep-alive", .te: "gzip", .host: "example.com", .upgrade: "x", .transferEncoding: "chunked",
    ]
    #expect(try lines(headers, reusing: &fields).contains(":authority: example.com"))
    #expect(try lines(headers, reusing: &fields).count == 4)
    #expect(try lines([.te: "trailers"], reusing: &fields).last == "te: trailers")
  }

  @Test func `each request has its own fields, also if those of the last one differ little`() throws {
    let upper = try #require(HTTPField.Name("X-Case"))
    let lower = try #require(HTTPField.Name("x-case"))
    let sections: [HTTPFields] = [
      [.accept: "a"], [.accept: "a"], [.accept: "b"], [.accept: "ab"], [.userAgent: "ab"], [:],
      [.accept: "a", .userAgent: "b"], [.userAgent: "b", .accept: "a"], [upper: "1"], [lower: "1"],
      [.host: "other.example"], [.authorization: "a"], [.cookie: "a"], [.accept: "a"],
    ]
    var kept: HTTP2RequestFields?
    for (number, section) in sections.enumerated() {
      var none: HTTP2RequestFields?
      let path = "/\(number)"
      #expect(
        try lines(section, path: path, length: Int64(number), reusing: &kept)
          == lines(section, path: path, length: Int64(number), reusing: &none))
    }
  }
}
