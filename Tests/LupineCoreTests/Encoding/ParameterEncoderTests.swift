import Foundation
import HTTPTypes
import LupineCore
import LupineCoding
import Testing

@Suite struct ParameterEncoderTests {
  private static func request(
    _ method: HTTPRequest.Method = .post, _ url: String = "https://example.com/a", headers: HTTPFields = [:]
  ) throws -> OutgoingRequest {
    try OutgoingRequest(url, method: method, headers: headers)
  }

  private static let bodyEncoders: [any ParameterEncoder] = [
    .json, .propertyList, .urlEncodedForm(destination: .httpBody),
  ]

  @Test(arguments: [HTTPRequest.Method.get, .head, .delete])
  func `a form goes into the query of methods without a body`(method: HTTPRequest.Method) throws {
    let request = try Self.request(method).encoding(["b": 1, "a": "x y"])
    #expect(request.url.query == "a=x%20y&b=1")
    #expect(request.body.length == 0)
    #expect(request.headers[.contentType] == nil)
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, .patch])
  func `a form goes into the body of the others`(method: HTTPRequest.Method) async throws {
    let request = try Self.request(method).encoding(["b": 1, "a": "x y"])
    #expect(request.url.query == nil)
    #expect(try bytes(of: request) == "a=x%20y&b=1")
    #expect(request.headers[.contentType] == "application/x-www-form-urlencoded; charset=utf-8")
  }

  @Test(arguments: [
    ("https://example.com/a?z=%20&y", "z=%20&y&a=1"), ("https://example.com/a?", "a=1"),
    ("https://example.com/a#f", "a=1"),
  ])
  func `a query that is there stays in front`(url: String, expected: String) throws {
    let request = try Self.request(.post, url).encoding(["a": 1], with: .urlEncodedForm(destination: .queryString))
    #expect(request.url.query == expected)
  }

  @Test func `no parameters leave the URL alone`() throws {
    let request = try Self.request(.get, "https://example.com/a?b").encoding([:] as Parameters)
    #expect(request.url.query == "b")
  }

  @Test func `JSON goes into the body`() throws {
    let request = try Self.request().encoding(["b": [1, nil], "a": "é"], with: .json(formatting: .sortedKeys))
    #expect(try bytes(of: request) == #"{"a":"é","b":[1,null]}"#)
    #expect(request.headers[.contentType] == "application/json")
  }

  @Test func `JSON can be formatted`() throws {
    let value = ["b": 1, "a": 2]
    let sorted = try JSONParameterEncoder.sortedKeys.encode(value, into: Self.request())
    #expect(try bytes(of: sorted) == #"{"a":2,"b":1}"#)
    let pretty = try JSONParameterEncoder.prettyPrinted.encode(["a": 1], into: Self.request())
    #expect(try bytes(of: pretty).contains("\n"))
    let plain = try JSONParameterEncoder.default.encode(["a": 1], into: Self.request())
    #expect(try bytes(of: plain) == #"{"a":1}"#)
  }

  @Test func `JSON is written by the encoder that a closure makes`() throws {
    struct Query: Encodable, Sendable {
      let oneTwo = Date(timeIntervalSince1970: 1)
    }
    let encoder = JSONParameterEncoder {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.dateEncodingStrategy = .iso8601
      return encoder
    }
    #expect(try bytes(of: Self.request().encoding(Query(), with: encoder)) == #"{"one_two":"1970-01-01T00:00:01Z"}"#)
  }

  @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
  func `a property list goes into the body`(format: PropertyListDecoder.PropertyListFormat) throws {
    let request = try Self.request().encoding(["a": [1, 2]], with: .propertyList(format: format))
    let data = Data(try rawBytes(of: request))
    var found = PropertyListDecoder.PropertyListFormat.openStep
    #expect(try PropertyListDecoder().decode([String: [Int]].self, from: data, format: &found) == ["a": [1, 2]])
    #expect(found == format)
    #expect(request.headers[.contentType] == "application/x-plist")
  }

  @Test func `a closure does as it likes`() throws {
    let encoder: any ParameterEncoder = .custom { parameters, request in
      var request = request
      request.headers[.accept] = "\(type(of: parameters))"
      return request
    }
    #expect(try Self.request().encoding("text", with: encoder).headers[.accept] == "String")
  }

  @Test(arguments: bodyEncoders)
  func `a Content-Type that the caller set stays`(encoder: any ParameterEncoder) throws {
    let request = try Self.request(headers: [.contentType: "application/vnd.mine"])
    #expect(try request.encoding(["a": 1], with: encoder).headers[.contentType] == "application/vnd.mine")
  }

  @Test(arguments: [HTTPRequest.Method.get, .head, .trace], bodyEncoders)
  func `a body that the method has no meaning for is refused`(
    method: HTTPRequest.Method, encoder: any ParameterEncoder
  ) throws {
    let request = try Self.request(method)
    let error = #expect(throws: LupineError.self) { try request.encoding(["a": 1], with: encoder) }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains(method.rawValue) == true)
    #expect(error?.message.contains("queryString") == true)
  }

  @Test(arguments: bodyEncoders)
  func `a body goes with GET if the request's options allow one`(encoder: any ParameterEncoder) throws {
    var request = try Self.request(.get)
    request.options.allowsBodyWithGET = true
    #expect(try request.encoding(["a": 1], with: encoder).body.length ?? 0 > 0)
    request.method = .head
    #expect(throws: LupineError.self) { try request.encoding(["a": 1], with: encoder) }
  }

  @Test(
    arguments: [.urlEncodedForm, .json, .propertyList, .custom { value, _ in throw Failing.Refusal() }]
      as [any ParameterEncoder])
  func `parameters that throw give an error with the cause behind it`(encoder: any ParameterEncoder) throws {
    let request = try Self.request()
    let error = #expect(throws: LupineError.self) { try request.encoding(Failing(), with: encoder) }
    #expect(error?.kind == .parameterEncodingFailed)
    #expect(error?.underlying is Failing.Refusal)
  }

  @Test func `a number that JSON cannot express is an error`() throws {
    let request = try Self.request()
    let error = #expect(throws: LupineError.self) { try request.encoding(["a": Double.nan], with: .json) }
    #expect(error?.kind == .parameterEncodingFailed)
    #expect(error?.underlying is EncodingError)
  }
}

private struct Failing: Encodable, Sendable {
  struct Refusal: Error {}
  func encode(to encoder: any Encoder) throws { throw Refusal() }
}
