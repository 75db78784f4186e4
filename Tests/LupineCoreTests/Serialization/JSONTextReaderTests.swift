import Foundation
import Testing

@testable import LupineCore

@Suite struct JSONTextReaderTests {
  private static func read(_ text: String) throws -> JSONValue { try JSONTextReader.value(of: Data(text.utf8)) }

  @Test(arguments: [
    "null", " true\n", "false", "0", "-0", "1.0", "-1.5e-3", "1E2", "1e18", "9223372036854775808",
    "18446744073709551616",
    #""""#, #""é😃""#, #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE03""#, #""\u0000""#, "[]", "{}", "[ ]", "{ }", "[[],{}]",
    "\t[1 , 2\r\n,3]", #"{"a":{"b":[1,{"c":null}]},"":[]}"#, #"{"a":1,"a":2}"#, #"{"a\n":1}"#,
  ])
  func `text is read as Foundation reads it`(text: String) throws {
    let ours = try Self.read(text)
    let theirs = try JSONDecoder().decode(Wrapped.self, from: Data("{\"value\":\(text)}".utf8)).value
    #expect(ours == theirs)
    #expect(ours.description == theirs.description)
  }

  /// A struct around it is decoded by Foundation.
  private struct Wrapped: Decodable {
    let value: JSONValue
  }

  @Test(arguments: [
    "", " ", "nul", "nulll", "tru", "True", "+1", "01", "1.", ".5", "1e", "1e+", "-", "0x1", "NaN", "1e999", "'a'",
    "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\uD83D\"", "\"\\uD83Dx\"", "\"\\uDE03\"",
    "\"\\uD83D\\u0041\"", "\"\n\"", "\"\u{0}\"", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{", "}",
    "{1:2}",
    #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{"a":1]"#, "1 2", "[] []", "// a\n1", "[1,/**/2]",
  ])
  func `what is no JSON is an error for Foundation and for us`(text: String) {
    let error = #expect(throws: LupineError.self) { try Self.read(text) }
    #expect(error?.kind == .serializationFailed)
    #expect(throws: (any Error).self) { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }
  }

  @Test func `an error says where, and shows nothing of the text`() {
    let error = #expect(throws: LupineError.self) { try Self.read(#"{"secret": tomato}"#) }
    #expect(error?.message == "The body is no JSON: a value was expected at byte 11.")
    let early = #expect(throws: LupineError.self) { try Self.read(#"{"secret""#) }
    #expect(early?.message == "The body is no JSON: a colon was expected at its end.")
  }

  @Test func `bytes that are no UTF-8 are an error`() {
    #expect(throws: LupineError.self) { try JSONTextReader.value(of: Data([0x22, 0xC3, 0x22])) }
    #expect(throws: LupineError.self) { try JSONTextReader.value(of: Data([0x22, 0xED, 0xA0, 0x80, 0x22])) }
  }

  @Test(arguments: [
    String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
  ])
  func `every encoding of Unicode is read`(encoding: String.Encoding) throws {
    let data = try #require(#"["é😃"]"#.data(using: encoding))
    #expect(try JSONTextReader.value(of: data) == ["é😃"])
    #expect(try JSONTextReader.value(of: Data([0xEF, 0xBB, 0xBF]) + Data("[1]".utf8)) == [1])
  }

  @Test func `512 levels are read and 513 are not`() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    #expect(try Self.read(nested(512)).isDeeper(than: 511))
    let error = #expect(throws: LupineError.self) { try Self.read(nested(513)) }
    #expect(error?.kind == .limitExceeded(.nesting))
  }

  /// Foundation's decoder, asked for one kind after the other, would take an hour.
  @Test(.timeLimit(.minutes(1))) func `half a megabyte of deep values takes the time of a flat one`() throws {
    let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
    let text = "[" + repeatElement(deep, count: 512).joined(separator: ",") + "]"
    #expect(try Self.read(text).array?.count == 512)
  }
}
