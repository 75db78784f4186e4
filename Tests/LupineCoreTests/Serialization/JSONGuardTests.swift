import Foundation
@testable import LupineCoding
import Testing

@testable import LupineCore

/// JSON on which RFC 8259 and Foundation's decoder differ.
@Suite struct JSONGuardTests {
  @Test(arguments: [
    (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#"{"a":1,"b":3,"a":2}"#, #"{"a":2,"b":3}"#),
    (#"{"a":1,"\u0061":2}"#, #"{"a":2}"#), (#"{"a":1,"a":2,"a":3}"#, #"{"a":3}"#),
    (#"[{"a":{"b":1,"b":2}},{"a":[],"a":{"a":1}}]"#, #"[{"a":{"b":2}},{"a":{"a":1}}]"#),
    (#"{"a":{"b":1,"b":2},"a":{"c":1,"c":2,"d":3}}"#, #"{"a":{"c":2,"d":3}}"#),
    ("{ \"a\" : \"},{\\\"\" ,\n \"a\" : [1,\n{\"a\":2}] }", #"{"a":[1,{"a":2}]}"#),
    (#"{"a":1,"b":{"a":2},"c":["a","a"]}"#, #"{"a":1,"b":{"a":2},"c":["a","a"]}"#),
    ("\u{FEFF}{\"a\":1,\"a\":2}", #"{"a":2}"#),
    (#"{"\ud83d\ude03":1,"😃":2}"#, #"{"😃":2}"#), (#"{"a\/\"\\\n":1,"a/\u0022\u005C\u000A":2}"#, #"{"a/\"\\\n":2}"#),
  ])
  func `of members with one name the last one counts`(text: String, expected: String) throws {
    #expect(try JSONResponseSerializer().serialize(try received(text)).description == expected)
  }

  @Test(arguments: 2...20)
  func `wherever in an object the two members with one name are`(count: Int) throws {
    for (first, second) in (0..<count).flatMap({ last in (0..<last).map { ($0, last) } }) {
      let names = (0..<count).map { $0 == second ? "member \(first)" : "member \($0)" }
      let text = "{" + names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"
      let value = try JSONResponseSerializer().serialize(try received(text))
      #expect(value["member \(first)"] == .integer(Int64(second)), "\(text)")
    }
  }

  @Test(arguments: [
    String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
  ])
  func `in every encoding of JSON`(encoding: String.Encoding) throws {
    let data = try #require(#"{"a":"é","a":"😃"}"#.data(using: encoding))
    #expect(try JSONResponseSerializer().serialize(try received(data)) == ["a": "😃"])
    let comma = try #require("[1,]".data(using: encoding))
    #expect(try failure(of: .json, try received(comma))?.kind == .serializationFailed)
  }

  @Test func `a type of the program's own gets the last one, too`() throws {
    struct Value: Decodable, Sendable { var name: String }
    let serializer = DecodableResponseSerializer(of: Value.self)
    #expect(try serializer.serialize(try received(#"{"name":"a","name":"b"}"#)).name == "b")
    #expect(try serializer.serialize(try received(#"{"name":7,"name":"b"}"#)).name == "b")
  }

  @Test(arguments: [
    ("[1,]", "byte 3 of the text"), (#"{"a":1,}"#, "byte 7 of the text"), ("[[],]", "`]`"), ("[1 , \n ]", "`]`"),
    (#"{"a":[{"b":[1,2,]}]}"#, "at `a.[0].b`"), (#"[0,{"a":1,}]"#, "at `[1]`"), ("[,]", "Byte 1 (`,`)"),
  ])
  func `a comma before a closing bracket is refused, and the error names its place`(text: String, place: String) throws
  {
    let error = try failure(of: .json, try received(text))
    #expect(error?.kind == .serializationFailed)
    #expect(error?.underlying is DecodingError)
    #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    "[", "]", "{", "}", "[}", #"{"a"}"#, #"{"a":1 "b"}"#, #"["a"#, #"["a\"#, ",", "[1],", "nul", #"{"a":1,"a":2"#,
    #"{"a":1,"a":}"#,
  ])
  func `a body that is no JSON is left to the decoder`(text: String) throws {
    let error = try failure(of: .json, try received(text))
    #expect(error?.underlying is DecodingError)
  }

  @Test func `JSON5 has its own rules`() throws {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    let serializer = DecodableResponseSerializer<[String: [Int]]>(decoder: decoder)
    #expect(try serializer.serialize(try received("{a: [1,2,],}")) == ["a": [1, 2]])
  }

  @Test func `JSON without either is handed on as it is`() throws {
    let data = Data(#" {"a":[1,{"b":"a"}],"b":{"a":null}} "#.utf8)
    #expect(try JSONGuard.check(data) == data)
  }

  /// The test takes minutes if each name is compared with all names before it, or if each object costs as much as the
  /// largest.
  @Test(.timeLimit(.minutes(1))) func `many names, many objects and many repetitions take linear time`() throws {
    let names = (0..<200_000).map { #""n\#($0)":1"# }.joined(separator: ",")
    let escaped = (0..<200_000).map { #""\u006E\#($0)":1"# }.joined(separator: ",")
    _ = try JSONGuard.check(Data("{\(escaped)}".utf8))
    let objects = repeatElement(#"{"a":1}"#, count: 200_000).joined(separator: ",")
    _ = try JSONGuard.check(Data("[{\(names)},\(objects)]".utf8))
    let repeated = repeatElement(#""a":{"b":1}"#, count: 200_000).joined(separator: ",")
    #expect(try JSONGuard.check(Data("{\(repeated)}".utf8)) == Data(#"{"a":{"b":1}}"#.utf8))
  }
}
