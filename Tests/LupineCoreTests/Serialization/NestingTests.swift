import Foundation
import Testing

@testable import LupineCore
@testable import LupineCoding

/// Values that are nested too deeply are an error, and never overflow the stack.
@Suite struct NestingTests {
  private static let levels = 100_000

  private static func nested(_ open: String, _ close: String, _ levels: Int = levels) -> String {
    String(repeating: open, count: levels) + String(repeating: close, count: levels)
  }

  private static func plist(_ content: String) -> String { "<?xml version=\"1.0\"?><plist>\(content)</plist>" }

  // The test prints every argument, so the arguments are the short units and not the texts of megabytes.
  @Test(arguments: [("[", "]"), ("[", ""), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")])
  func `deep JSON exceeds the limit of nesting`(open: String, close: String) throws {
    let response = try received(Self.nested(open, close))
    #expect(try failure(of: .json, response)?.kind == .limitExceeded(.nesting))
    #expect(try failure(of: .decodable(of: [Int].self), response)?.kind == .limitExceeded(.nesting))
  }

  @Test func `JSON of 512 levels is decoded`() throws {
    let value = try JSONResponseSerializer().serialize(try received(Self.nested("[", "]", 512)))
    #expect(!value.isDeeper(than: 512))
    #expect(value.isDeeper(than: 511))
  }

  @Test func `brackets inside a string are no levels`() {
    #expect(NestingDepth.json(Data(#"["[[[\"[[[", {"a": "{{"}]"#.utf8)) == 2)
  }

  @Test(arguments: [
    ("<array>", "</array>"), ("<array>", ""), ("<arrayed a=\"b\">", "</array>"), ("<dict><key>a</key>", "</dict>"),
    ("<array><!-- </array> -->", ""), ("<array><? </array> ?>", ""),
    ("<array><string><![CDATA[</array>]]></string>", ""), ("<plist>", "</plist>"),
  ])
  func `a deep XML property list exceeds the limit of nesting`(open: String, close: String) throws {
    let response = try received(Self.plist(Self.nested(open, close)))
    #expect(try failure(of: .propertyList, response)?.kind == .limitExceeded(.nesting))
    let serializer = DecodableResponseSerializer<[Int]>(decoder: PropertyListDecoder())
    #expect(try failure(of: serializer, response)?.kind == .limitExceeded(.nesting))
  }

  @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian])
  func `a deep property list in UTF-16 exceeds it as well`(encoding: String.Encoding) throws {
    let xml = try #require(Self.plist(Self.nested("<array>", "</array>")).data(using: encoding))
    #expect(try failure(of: .propertyList, try received(xml))?.kind == .limitExceeded(.nesting))
  }

  @Test func `tags hidden by a declared encoding count as the decoder will see them`() throws {
    let start = #"<?xml version="1.0" encoding="UTF-7"?><plist>"#
    let xml = start + Self.nested("+ADw-array+AD4-", "+ADw-/array+AD4-")
    #expect(try failure(of: .propertyList, try received(xml))?.kind == .limitExceeded(.nesting))
  }

  @Test func `an empty processing instruction is refused`() throws {
    let error = try failure(of: .propertyList, try received(Self.plist(Self.nested("<array><?></array>?>", ""))))
    #expect(error?.kind == .serializationFailed)
  }

  @Test func `an XML property list of 512 levels is decoded`() throws {
    let response = try received(Self.plist(Self.nested("<array>", "</array>", 512)))
    var value: PropertyListValue? = try PropertyListResponseSerializer().serialize(response)
    var levels = 0
    while case .array(let elements)? = value {
      levels += 1
      value = elements.first
    }
    #expect(levels == 512)
  }

  @Test(arguments: [("(", ")"), ("{a=", ";}")])
  func `the old text format has its own limit`(open: String, close: String) throws {
    #expect(try failure(of: .propertyList, try received(Self.nested(open, close))) != nil)
  }

  @Test func `a deep binary property list exceeds the limit of nesting`() throws {
    let list = BinaryList((0..<Self.levels).map { $0 + 1 < Self.levels ? [$0 + 1] : [] })
    #expect(try failure(of: .propertyList, try received(list.bytes))?.kind == .limitExceeded(.nesting))
  }

  @Test(arguments: [[[0]], [[1], [2], [0]], [[1, 2], [], [1, 2]]])
  func `a binary container that holds itself is refused`(arrays: [[Int]]) throws {
    let error = try failure(of: .propertyList, try received(BinaryList(arrays).bytes))
    #expect(error?.kind == .serializationFailed)
    #expect(error?.message.contains("contains itself") == true)
  }

  @Test func `shared binary containers that unfold without end are refused`() throws {
    let list = BinaryList((0..<64).map { $0 < 63 ? [$0 + 1, $0 + 1] : [] })
    let error = try failure(of: .propertyList, try received(list.bytes))
    #expect(error?.message.contains("expand to too many values") == true)
  }

  @Test func `a deep part that is reached by a short and by a long way counts the long one`() throws {
    // Object 0 refers to the first chain directly, and again through a second chain. Each chain has 300 levels.
    var arrays = [[1, 301]]
    for index in 1...600 { arrays.append(index == 600 ? [] : [index + 1]) }
    arrays[300] = []
    arrays[600] = [1]
    #expect(try failure(of: .propertyList, try received(BinaryList(arrays).bytes))?.kind == .limitExceeded(.nesting))
  }

  @Test func `shared containers within reason are decoded`() throws {
    let value = try PropertyListResponseSerializer().serialize(try received(BinaryList([[1, 1], []]).bytes))
    #expect(value == .array([.array([]), .array([])]))
  }

  @Test func `a binary property list cut anywhere is an error or a value, and never a crash`() throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let whole = try encoder.encode(PropertyListValue.dictionary(["a": .array([.integer(1), .string("b")])]))
    for count in 8..<whole.count {
      #expect(try failure(of: .propertyList, try received(whole.prefix(count))) != nil)
    }
  }
}

/// A binary property list of arrays, each given by the indices of its elements.
private struct BinaryList {
  var bytes = Array("bplist00".utf8)

  init(_ arrays: [[Int]]) {
    var offsets: [Int] = []
    for array in arrays {
      offsets.append(bytes.count)
      bytes.append(0xA0 | UInt8(array.count))
      for reference in array { bytes += Self.bigEndian(reference, 4) }
    }
    let table = bytes.count
    for offset in offsets { bytes += Self.bigEndian(offset, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 4]
    bytes += Self.bigEndian(arrays.count, 8) + Self.bigEndian(0, 8) + Self.bigEndian(table, 8)
  }

  private static func bigEndian(_ value: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
  }
}
