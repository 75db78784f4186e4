import Foundation
import LupineCore
import LupineCoding
import Testing

@Suite struct JSONValueTests {
  @Test func `a literal may nest and mix`() {
    let value: JSONValue = ["a": [1, 2.5, true, nil, "x"], "b": ["c": -1]]
    #expect(value["a"]?[0] == .integer(1))
    #expect(value["a"]?[1] == .number(2.5))
    #expect(value["a"]?[2] == .bool(true))
    #expect(value["a"]?[3]?.isNull == true)
    #expect(value["a"]?[4]?.string == "x")
    #expect(value["b"]?["c"]?.int == -1)
  }

  @Test func `a name that stands twice in a literal keeps its last value`() {
    let value: JSONValue = ["a": 1, "a": 2]
    #expect(value == ["a": 2])
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615"])
  func `integers of 64 bits survive exactly`(text: String) throws {
    let value = try JSONDecoder().decode(JSONValue.self, from: Data("[\(text)]".utf8))
    #expect(value.description == "[\(text)]")
    #expect(try String(decoding: JSONEncoder().encode(value), as: UTF8.self) == "[\(text)]")
  }

  @Test func `any integer can be kept`() {
    #expect(JSONValue(UInt64.max) == .unsignedInteger(.max))
    #expect(JSONValue(Int8(-1)) == .integer(-1))
    #expect(JSONValue(Int128.max).double == Double(Int128.max))
  }

  @Test(arguments: [
    #"{"a":[1,2.5,"x",true,false,null,{}],"b":{"c":[]}}"#, #""text""#, "null", "true", "-3", "[[[]]]", "{}",
  ])
  func `decoding and describing give the text back`(text: String) throws {
    let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    #expect(value.description == text)
  }

  @Test func `encoding and decoding give the value back`() throws {
    let value: JSONValue = ["a": [1, 2.5, nil, true, "é😃"], "b": ["c": -1, "d": [:], "e": []]]
    let decoded = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    #expect(decoded == value)
    #expect(decoded.hashValue == value.hashValue)
  }

  @Test func `a property list decodes too`() throws {
    let data = try PropertyListEncoder().encode(["a": [1, 2]])
    #expect(try PropertyListDecoder().decode(JSONValue.self, from: data) == ["a": [1, 2]])
  }

  @Test func `keys keep their spelling whatever the strategy`() throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let value: JSONValue = ["oneTwo": 1]
    #expect(try String(decoding: encoder.encode(value), as: UTF8.self) == #"{"oneTwo":1}"#)
  }

  @Test(
    arguments: [
      (JSONValue.integer(1), JSONValue.number(1)), (.integer(1), .unsignedInteger(1)),
      (.unsignedInteger(1 << 63), .number(9_223_372_036_854_775_808)), (.number(0), .number(-0.0)),
    ] as [(JSONValue, JSONValue)])
  func `numbers are equal when they mean the same`(left: JSONValue, right: JSONValue) {
    #expect(left == right)
    #expect(right == left)
    #expect(left.hashValue == right.hashValue)
  }

  @Test(
    arguments: [
      (JSONValue.integer(1), JSONValue.bool(true)), (.integer(1), .number(1.5)), (.null, .integer(0)),
      (.string("1"), .integer(1)), (.array([]), .object([:])), (["a": 1], ["a": 2]), (["a": 1], ["b": 1]),
      ([1, 2], [2, 1]), ([1], [1, 1]), (.number(.nan), .number(.nan)), (.integer(.max), .number(0x1p63)),
    ] as [(JSONValue, JSONValue)])
  func `other values differ`(left: JSONValue, right: JSONValue) {
    #expect(left != right)
  }

  @Test func `an accessor of another kind is nil`() {
    let value: JSONValue = 1.5
    #expect(value.int == nil)
    #expect(value.unsigned == nil)
    #expect(value.bool == nil)
    #expect(value.string == nil)
    #expect(value.array == nil)
    #expect(value.object == nil)
    #expect(value["a"] == nil)
    #expect(value[0] == nil)
    #expect(JSONValue.array([1])[1] == nil)
    #expect(JSONValue.array([1])[-1] == nil)
    #expect(JSONValue.unsignedInteger(.max).int == nil)
    #expect(JSONValue.unsignedInteger(.max).unsigned == .max)
    #expect(JSONValue.integer(2).double == 2)
  }

  @Test func `a description escapes what JSON must escape`() {
    #expect(JSONValue.string("\"\\\n\r\t\u{1}\u{7f}é/").description == #""\"\\\n\r\t\u0001\u007Fé/""#)
    #expect(JSONValue.number(.infinity).description == "null")
    #expect(JSONValue(["b": 1, "a": 1.5]).description == #"{"a":1.5,"b":1}"#)
  }

  @Test func `511 levels encode and decode`() throws {
    let value = JSONValue.nested(levels: 511)
    let data = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
  }

  /// The test takes minutes if the decoder describes the whole path of each level.
  @Test(.timeLimit(.minutes(1))) func `many deep values take the time of flat ones`() throws {
    let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    let text = "[" + repeatElement(deep, count: 100).joined(separator: ",") + "]"
    #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)).array?.count == 100)
  }

  @Test func `100,000 levels are an error, not a crash`() throws {
    var value = JSONValue.nested(levels: 100_000)
    #expect(throws: LupineError.self) { try JSONEncoder().encode(value) }
    #expect(throws: EncodingError.self) { try PropertyListEncoder().encode(value) }
    var copy = JSONValue.nested(levels: 100_000)
    #expect(value == copy)
    #expect(value.hashValue == copy.hashValue)
    #expect(value.description.hasPrefix("[[[["))
    #expect(value.description.contains("…"))
    value.dismantle()
    copy.dismantle()
  }

  @Test func `encoding throws the errors of its documentation`() {
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSONValue.nested(levels: 512)) }
    #expect(throws: LupineError.self) { try JSONEncoder().encode(JSONValue.nested(levels: 513)) }
    #expect(throws: EncodingError.self) { try PropertyListEncoder().encode(JSONValue.nested(levels: 513)) }
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSONValue.number(.nan)) }
  }

  @Test func `decoding throws the errors of its documentation`() {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSONValue.self, from: Data("[1e999]".utf8)) }
    let date = try? PropertyListEncoder().encode(["a": Date(timeIntervalSince1970: 0)])
    #expect(throws: DecodingError.self) { try PropertyListDecoder().decode(JSONValue.self, from: date ?? Data()) }
  }

  @Test(arguments: [#"["#, #"{"a":"#])
  func `text of 100,000 levels is an error, not a crash`(opening: String) {
    let text = String(repeating: opening, count: 100_000)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }
  }
}

extension JSONValue {
  init(_ members: [String: JSONValue]) { self = .object(members) }

  static func nested(levels: Int) -> JSONValue {
    var value = JSONValue.array([])
    for _ in 1..<levels { value = .array([value]) }
    return value
  }

  /// Takes a deep value apart level by level, because releasing the whole value at once recurses.
  mutating func dismantle() {
    while case .array(let elements) = self { self = elements.first ?? .null }
  }
}
