import Foundation
import HTTPTypes
import Testing

@testable import LupineCore
@testable import LupineCoding

@Suite struct ResponseValidatorTests {
  private func error(_ validators: [ResponseValidator], _ response: ReceivedResponse) -> LupineError? {
    do throws(LupineError) {
      for validator in validators { try validator.validate(response) }
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [(199, false), (200, true), (204, true), (299, true), (300, false), (404, false), (500, false)])
  func `the standard accepts 200 to 299`(status: Int, isAccepted: Bool) throws {
    let error = error(ResponseValidator.standard, try received("x", status: status))
    #expect(error?.kind == (isAccepted ? nil : .unacceptableStatusCode(status)))
  }

  @Test func `ranges, sets and arrays name statuses`() throws {
    let response = try received("", status: 201)
    #expect(error([.statusCodes(200..<300)], response) == nil)
    #expect(error([.statusCodes(200...201)], response) == nil)
    #expect(error([.statusCodes(Set([200, 201]))], response) == nil)
    #expect(error([.statusCodes([201])], response) == nil)
    #expect(error([.statusCodes(stride(from: 201, to: 300, by: 2))], response) == nil)
    #expect(error([.statusCodes(Set<Int>())], response)?.kind == .unacceptableStatusCode(201))
  }

  @Test func `a range without an end is asked and not walked through`() throws {
    #expect(error([.statusCodes(200...)], try received("", status: 404)) == nil)
    #expect(error([.statusCodes(200...)], try received("", status: 199))?.kind == .unacceptableStatusCode(199))
    #expect(error([.statusCodes(0..<Int.max)], try received("", status: 404)) == nil)
  }

  @Test func `the message names what would be acceptable`() throws {
    let response = try received("", status: 404)
    #expect(error([.statusCodes(200..<300)], response)?.message.contains("404 is not acceptable; 200..<300") == true)
    #expect(error([.statusCodes([202, 200])], response)?.message.contains("200, 202") == true)
  }

  @Test(
    arguments: [
      ("text/html", nil, true),
      ("text/html; charset=utf-8", "text/html", true),
      ("text/html", "application/json, text/*;q=0.5", true),
      ("text/html", "application/json", false),
      ("text/html", "application/json, */*;q=0.1", true),
      (nil, "application/json", false),
      (nil, "*/*", true),
      (nil, nil, true),
      ("nonsense", "text/html", false),
      ("nonsense", "*/*", true),
      ("text/html", "", true),
    ] as [(String?, String?, Bool)])
  func `the standard compares Content-Type with Accept`(contentType: String?, accept: String?, isAccepted: Bool) throws
  {
    let error = error(ResponseValidator.standard, try received("x", contentType: contentType, accept: accept))
    #expect(error?.kind == (isAccepted ? nil : .unacceptableContentType(contentType)))
  }

  @Test(arguments: [
    ("application/json", ["application/json"], true), ("application/json", ["text/*", "application/*"], true),
    ("application/json", ["*/*"], true), ("application/json", ["text/*"], false), ("application/json", [], false),
    ("application/json", ["json"], false), ("application/json", ["application/json; charset=utf-8"], true),
  ])
  func `content types are compared with wildcards`(contentType: String, ranges: [String], isAccepted: Bool) throws {
    let error = error([.contentTypes(ranges)], try received("x", contentType: contentType))
    #expect(error?.kind == (isAccepted ? nil : .unacceptableContentType(contentType)))
  }

  @Test(arguments: [(200, ""), (204, "x"), (205, "x"), (304, "x")])
  func `a response without content needs no media type`(status: Int, body: String) throws {
    #expect(error([.contentTypes(["text/html"])], try received(body, status: status)) == nil)
  }

  @Test func `a body outside memory is validated if the caller states that there is one`() throws {
    let validator = ResponseValidator.contentTypes(["text/html"])
    let response = try received("", contentType: "image/png")
    #expect(throws: LupineError.self) { try validator.validate(response, hasBody: true) }
  }

  @Test func `a closure's own error is kept under the library's`() throws {
    struct Refusal: Error {}
    let error = error([.custom { _, _, _ in throw Refusal() }], try received("x"))
    #expect(error?.kind == .validationFailed)
    #expect(error?.underlying is Refusal)
  }

  @Test func `a closure's LupineError is passed on`() throws {
    let error = error([.custom { _, _, _ in throw LupineError(.timedOut(.idle), "x") }], try received("x"))
    #expect(error?.kind == .timedOut(.idle))
  }

  @Test func `a closure sees the request, the head and the body`() throws {
    let validator = ResponseValidator.custom { request, head, data in
      guard request.method == .put, head.status.code == 201, data == Data("x".utf8) else { throw CancellationError() }
    }
    #expect(error([validator], try received("x", status: 201, method: .put)) == nil)
  }

  @Test func `the error has the request and the response`() throws {
    let error = error(ResponseValidator.standard, try received("x", status: 404))
    #expect(error?.request?.description == "GET https://example.com/")
    #expect(error?.response?.status.code == 404)
  }
}
