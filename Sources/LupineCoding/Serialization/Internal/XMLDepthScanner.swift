import FoundationEssentials
import LupineCore

/// Counts the nesting of elements in an XML property list, in one pass without a stack.
struct XMLDepthScanner {
  /// The limit for elements; `plist` around the value and `key` or `string` inside it add two levels.
  private static let limit = NestingDepth.limit + 2
  private let bytes: Data
  private var position: Data.Index
  private var depth = 0
  /// The number of bytes read, which shows that the scan is linear.
  private(set) var steps = 0

  init(_ bytes: Data) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  mutating func check() throws(LupineError) {
    while let next = find(UInt8(ascii: "<")) {
      position = next + 1
      if skip(from: "!--", through: "-->") || skip(from: "![CDATA[", through: "]]>") { continue }
      if begins(with: "?") { try skipInstruction() } else { try readTag() }
    }
  }

  private mutating func readTag() throws(LupineError) {
    let first = position
    guard let end = find(UInt8(ascii: ">")) else { return position = bytes.endIndex }
    position = end + 1
    switch bytes[first] {
    case UInt8(ascii: "!"): break
    case UInt8(ascii: "/"): depth -= 1
    default: if bytes[end - 1] != UInt8(ascii: "/") { try open() }
    }
  }

  private mutating func open() throws(LupineError) {
    depth += 1
    guard depth <= Self.limit else { throw NestingDepth.exceeded }
  }

  /// Skips a processing instruction; `<?>` is refused, because parsers disagree whether it ends there.
  private mutating func skipInstruction() throws(LupineError) {
    guard !begins(with: "?>") else {
      throw LupineError(.serializationFailed, "The property list's XML is malformed: an empty processing instruction.")
    }
    _ = skip(from: "?", through: "?>")
  }

  private mutating func skip(from start: StaticString, through end: StaticString) -> Bool {
    guard begins(with: start) else { return false }
    position += start.utf8CodeUnitCount
    while position < bytes.endIndex, !begins(with: end) { position += 1 }
    position = min(position + end.utf8CodeUnitCount, bytes.endIndex)
    return true
  }

  private mutating func begins(with text: StaticString) -> Bool {
    steps += text.utf8CodeUnitCount
    return bytes[position...].starts(with: text.bytes)
  }

  private mutating func find(_ byte: UInt8) -> Data.Index? {
    let index = bytes[position...].firstIndex(of: byte)
    steps += (index ?? bytes.endIndex) - position + 1
    return index
  }
}

extension StaticString {
  fileprivate var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}
