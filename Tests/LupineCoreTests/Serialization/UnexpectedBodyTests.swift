import Foundation
import LupineMock
import LupineSession
import LupineStreams
import Testing

@testable import LupineCore
@testable import LupineCoding

private struct User: Codable, Sendable, Equatable {
  var name: String
}

/// The error of a body that is not JSON.
@Suite struct UnexpectedBodyTests {
  private static func message(_ body: some Sequence<UInt8>, _ contentType: String? = nil) throws -> String {
    let error = try failure(of: .decodable(of: User.self), try received(body, contentType: contentType))
    #expect(error?.kind == .serializationFailed)
    #expect(error?.underlying is DecodingError)
    return error?.message ?? ""
  }

  @Test(
    arguments: [
      (
        "<html>",
        ["not JSON", "`User`", "Byte 0 (`<`) begins no JSON value", "6 bytes", "HTML", "`<html>`", "Check the URL"]
      ),
      ("<!DOCTYPE html>\n<html><head>", ["Byte 0", "HTML", #"`<!DOCTYPE html>\u{A}<html><head>`"#]),
      ("\r\n <HTML>", ["Byte 3 (`<`)", "HTML"]),
      (" ", ["Byte 1 is missing: the text is empty", "1 bytes"]), ("\n\n", ["Byte 2 is missing: the text is empty"]),
      (#"{"name": "a"#, ["Byte 11 is missing: the text ends inside a string", "11 bytes"]),
      (#"{"name": "a""#, ["Byte 12 is missing: the text ends inside an object"]),
      (#"[1, 2"#, ["Byte 5 is missing: the text ends inside an array"]), ("tru", ["Byte 3 is missing"]),
      ("<br />\n<b>Warning</b>: Undefined variable in a.php\n{}", ["Byte 0", "a message of PHP", "display_errors"]),
      ("PHP Warning: x in a.php\n{}", ["Byte 0 (`P`)", "a message of PHP", "`PHP Warning: x in a.php"]),
      (
        #"{"name": "a"}<br /><b>Notice</b>"#,
        ["Byte 13 (`<`) follows the end", "at byte 13 stands `<br /><b>Notice</b>`"]
      ),
      (")]}',\n{\"name\": \"a\"}", ["Byte 0 (`)`)", ".googleXSSI"]),
      (#"callback({"name": "a"});"#, ["Byte 0 (`c`)", "JSONP", "begins with `callback(…`", "without the parameter"]),
      (#"/**/ cb1.x[0]({})"#, ["Byte 0 (`/`)", "JSONP"]),
      (
        #"{"name": "a"}{"name": "b"}"#,
        ["Byte 13 (`{`) follows the end of the JSON value", "serializingDecodableLines"]
      ),
      ("{\"name\": \"a\"}\n{\"name\": \"b\"}", ["Byte 14 (`{`) follows the end", "serializingDecodableLines"]),
      ("Internal Server Error", ["Byte 0 (`I`)", "begins with `Internal Server Error`"]),
      ("{'name': 'a'}", ["Byte 1 (`'`) stands where a member's name"]), ("{name: 1}", ["Byte 1 (`n`)"]),
      (#"{"name": NaN}"#, ["Byte 9 (`N`) begins no JSON value"]),
      (#"{"name" "a"}"#, ["Byte 8 (`\"`) follows a member's name"]),
      (#"{"name": "\x"}"#, ["Byte 11 (`x`) is no escape"]),
      (#"{"name": "\ud800"}"#, ["Byte 10 (`\\`)", "half a character"]),
      ("{\"name\": \"a\nb\"}", ["Byte 11 (0x0A) is a control character"]),
      ("<script>x = {a: [1,]}</script>", ["Byte 0 (`<`)", "HTML"]),
    ] as [(String, [String])])
  func `the error of a body that is not JSON names the first wrong byte`(body: String, fragments: [String]) throws {
    let message = try Self.message(body.utf8)
    for fragment in fragments { #expect(message.contains(fragment), "\(message)") }
    #expect(!message.contains("range"))
  }

  @Test(
    arguments: [
      ([0x7B, 0x22, 0x6E, 0x61, 0x6D, 0x65, 0x22, 0x3A, 0x22, 0xFC, 0x22, 0x7D], ["Byte 9 (0xFC) is not valid UTF-8"]),
      ([0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0], ["compressed data without a content coding"]),
      ([0x25, 0x01, 0x02], ["Byte 0", "binary data", "0x25 0x01 0x02"]),
      ([0x1B, 0x5B, 0x32, 0x4A], ["Byte 0 (0x1B)"]),
    ] as [([UInt8], [String])])
  func `bytes that are not text are shown in hexadecimal digits`(body: [UInt8], fragments: [String]) throws {
    let message = try Self.message(body)
    for fragment in fragments { #expect(message.contains(fragment), "\(message)") }
    #expect(!message.utf8.contains(0x1B))
  }

  @Test(
    arguments: [
      ("text/html; charset=utf-8", "names the content type `text/html; charset=utf-8`"),
      (nil, "names no content type"),
    ] as [(String?, String)])
  func `the error names the content type`(contentType: String?, fragment: String) throws {
    #expect(try Self.message("<html>".utf8, contentType).contains(fragment))
  }

  @Test(arguments: [
    "token=hunter2", "access_token=hunter2", "password: hunter2", #")]}',{"token": "hunter2"}"#,
    #"cb({"a": "hunter2"})"#, "hunter2hunter2hunter2", #"{"a": hunter2}"#, #"{"a": "hunter2"#, #"{"a": 1}"hunter2""#,
    "<a href=\"?token=hunter2\">", "<input name=password value=hunter2>", "[1, hunter2", "<p>api-key hunter2</p>",
    "                                        abc01hunter2hunter2hunter2",
  ])
  func `no byte of a JSON value and nothing like a secret is quoted`(body: String) throws {
    let message = try Self.message(body.utf8)
    #expect(!message.contains("hunter"), "\(message)")
  }

  @Test(arguments: [
    #"{"name": 99999999999999999999}"#, #"{"name": [1, 2.5e3, -0, "\u00fc\ud83d\ude03\n", true, false, null, {}]}"#,
    "[]", "\u{FEFF}{}", "1", "\"a\"", " [ ] ",
  ])
  func `valid JSON has no fault`(text: String) {
    #expect(JSONSyntax.fault(in: Data(text.utf8)) == nil)
  }

  @Test(arguments: [
    ("[01]", 3, "follows a number"), ("[1.]", 3, "a digit"), ("[-]", 2, "a digit"), ("[1e+]", 4, "a digit"),
    ("[1,]", 3, "a comma"), ("{\"a\":1,}", 7, "a comma"), ("[.5]", 1, "no JSON value"), ("[+1]", 1, "no JSON value"),
    ("[nul]", 1, "no JSON value"), ("[\"\\u00g0\"]", 6, "hexadecimal"), ("[\"\\udc00\"]", 2, "half a character"),
    ("[\"\\ud800\\u0041\"]", 2, "half a character"), ("[1}", 2, "`]`"), ("{\"a\":1]", 6, "`}`"),
  ])
  func `each violation has its byte and its reason`(text: String, position: Int, reason: String) {
    let fault = JSONSyntax.fault(in: Data(text.utf8))
    #expect(fault?.position == position)
    #expect(fault?.reason.contains(reason) == true, "\(fault?.reason ?? "none")")
  }

  @Test func `every beginning of a value is a fault at its end or at an earlier byte`() {
    let text = Array(#"{"a": [1, -2.5e+3, "\u00fc\ud83d\ude03\n", true, null], "b": {"c": {}}}"#.utf8)
    for length in text.indices {
      let fault = JSONSyntax.fault(in: Data(text.prefix(length)))
      #expect(fault != nil && fault.map { $0.position <= length } == true, "\(length)")
    }
    for position in text.indices {
      for byte in [0, UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x80, 0xFF] {
        var changed = text
        changed[position] = byte
        _ = JSONSyntax.fault(in: Data(changed))
      }
    }
  }

  @Test func `a decoder of another format says that it received HTML`() throws {
    let json5 = JSONDecoder()
    json5.allowsJSON5 = true
    for decoder in [json5, PropertyListDecoder()] as [any DataDecoder] {
      let response = try received("<!DOCTYPE html><p>x</p>", contentType: "text/html")
      let error = try failure(of: DecodableResponseSerializer<User>(decoder: decoder), response)
      #expect(error?.message.contains("looks like HTML") == true, "\(error?.message ?? "")")
      #expect(error?.message.contains("`text/html`") == true)
    }
  }

  @Test func `a value of unknown shape, a page and a line of a stream have the same error`() async throws {
    let mock = MockTransport()
    mock.stub(.get, "https://example.com/", .text("<html>"))
    let session = try Session.Builder().transport(mock).build()
    let url = "https://example.com/"
    let json = await session.request(url).serializingJSON().result
    let streamed = session.streamRequest(url).serializingDecodableLines(of: User.self)
    let line = await #expect(throws: LupineError.self) { for try await _ in streamed {} }
    let paged = await #expect(throws: LupineError.self) {
      for try await _ in session.pages(of: User.self, from: url) {}
    }
    for message in [json.failure?.message, line?.message, paged?.message] {
      #expect(message?.contains("Byte 0 (`<`) begins no JSON value") == true, "\(message ?? "none")")
      #expect(message?.contains("the content type `text/plain") == true, "\(message ?? "none")")
    }
  }
}

/// Other places that decode JSON for a program.
extension UnexpectedBodyTests {
  @Test func `the data of an event has the same error`() throws {
    #expect(try ServerSentEvent(data: #"{"name": "a"}"#).json() == User(name: "a"))
    let error = #expect(throws: LupineError.self) { try ServerSentEvent(data: "[DONE]").json(User.self) }
    #expect(error?.kind == .serializationFailed)
    #expect(error?.message.contains("Byte 1 (`D`) begins no JSON value") == true, "\(error?.message ?? "none")")
    #expect(error?.message.contains("the data of an event") == true)
    let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    let limit = #expect(throws: LupineError.self) { try ServerSentEvent(data: deep).json(JSONValue.self) }
    #expect(limit?.kind == .limitExceeded(.nesting))
  }

  @Test func `a request that a mock has received has the same error`() async throws {
    let mock = MockTransport()
    mock.stub(.post, "https://example.com/", .status(.ok))
    let session = try Session.Builder().transport(mock).build()
    _ = await session.upload(.text("a=1"), to: "https://example.com/").serializingData().response
    let request = try #require(mock.requests.last)
    let error = #expect(throws: LupineError.self) { try request.json(User.self) }
    #expect(error?.message.contains("Byte 0 (`a`) begins no JSON value") == true, "\(error?.message ?? "none")")
  }

  @Test func `a line that is not UTF-8 has the same error, also outside of what is decoded`() async throws {
    let mock = MockTransport()
    let line = Array(#"{"name": "a", "note": ""#.utf8) + [0xFC] + Array("\"}\n".utf8)
    mock.stub(.get, "https://example.com/", .data(Data(line)))
    let session = try Session.Builder().transport(mock).build()
    let lines = session.streamRequest("https://example.com/").serializingDecodableLines(of: User.self)
    let error = await #expect(throws: LupineError.self) { for try await _ in lines {} }
    #expect(error?.message.contains("Byte 23 (0xFC) is not valid UTF-8") == true, "\(error?.message ?? "none")")
    #expect(error?.message.contains("one line of the response") == true)
  }
}

extension Result where Failure == LupineError {
  fileprivate var failure: LupineError? { if case .failure(let error) = self { error } else { nil } }
}
