import Foundation
import Testing

@testable import LupineCore
@testable import LupineCoding

@Suite struct PropertyListValueTests {
  private static let value = PropertyListValue.dictionary([
    "text": .string("a"), "null": .string("$null"), "integer": .integer(-1), "large": .unsignedInteger(.max),
    "real": .real(1.5), "yes": .bool(true), "no": .bool(false), "one": .integer(1),
    "date": .date(Date(timeIntervalSince1970: 86_400)), "data": .data(Data([1, 2])),
    "array": .array([.integer(1), .array([])]), "empty": .dictionary([:]),
  ])

  @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
  func `every kind of value comes back`(format: PropertyListDecoder.PropertyListFormat) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    var value = Self.value
    if case .dictionary(var members) = value {
      // Foundation decodes the string "$null" in a binary list as an absent value.
      if format == .binary { members["null"] = nil }
      value = .dictionary(members)
    }
    let response = try received(try encoder.encode(value))
    #expect(try PropertyListResponseSerializer().serialize(response) == value)
  }

  @Test func `a list in UTF-16 is decoded`() throws {
    let xml = #"<?xml version="1.0" encoding="UTF-16"?><plist><string>é</string></plist>"#
    let data = try #require(xml.data(using: .utf16))
    #expect(try PropertyListResponseSerializer().serialize(try received(data)) == .string("é"))
  }

  @Test(arguments: ["windows-1251", "koi8-r"])
  func `a list in the encoding it declares is decoded`(charset: String) throws {
    var data = Data(#"<?xml version="1.0" encoding="\#(charset)"?><plist><string>"#.utf8)
    data.append(charset == "koi8-r" ? 0xF0 : 0xCF)
    data += Data("</string></plist>".utf8)
    #expect(try PropertyListResponseSerializer().serialize(try received(data)) == .string("П"))
  }

  @Test func `members and elements are found by name and by place`() {
    #expect(Self.value["array"]?[0] == .integer(1))
    #expect(Self.value["array"]?[2] == nil)
    #expect(Self.value["missing"] == nil)
    #expect(Self.value[0] == nil)
  }
}
