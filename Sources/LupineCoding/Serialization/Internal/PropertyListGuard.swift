import LupineCore
import LupineFoundation
import LupineSupport

/// Checks a property list before Foundation decodes it.
///
/// The decoder recurses once for each level without a limit: in XML while it parses, and in the binary format while it
/// decodes, where a reference may also form a cycle. A response could thus overflow the stack. The parser of the old
/// text format has a limit.
enum PropertyListGuard {
  /// Returns the bytes to decode: the same, or UTF-8 where an XML list is in another encoding.
  static func check(_ data: Data) throws(LupineError) -> Data {
    if data.starts(with: "bplist".utf8) {
      var graph = try BinaryPropertyListGraph(data)
      try graph.check()
      return data
    }
    let text = try xmlInUTF8(data)
    if let first = text.first(where: { !whitespace.contains($0) }), "({/".utf8.contains(first) { return text }
    var scanner = XMLDepthScanner(text)
    try scanner.check()
    return text
  }

  fileprivate static let whitespace: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

  /// Converts an XML list to UTF-8; in another encoding the scanner and the decoder might disagree about the position
  /// of tags.
  private static func xmlInUTF8(_ data: Data) throws(LupineError) -> Data {
    guard let encoding = encoding(of: data) else { return data }
    if encoding == .utf8 { return data.starts(with: ByteOrderMark.utf8.bytes) ? Data(data.dropFirst(3)) : data }
    let text = Data(try encoding.decode(data).utf8)
    guard let declaration = XMLDeclaration(startOf: text) else { return text }
    return Data(text.dropFirst(declaration.length))
  }

  private static func encoding(of data: Data) -> TextEncoding? {
    if let mark = ByteOrderMark(startOf: data) { return mark.encoding }
    if data.starts(with: [0x3C, 0]) { return .utf16LittleEndian }
    if data.starts(with: [0, 0x3C]) { return .utf16BigEndian }
    return XMLDeclaration(startOf: data)?.encoding
  }
}

/// The `<?xml … ?>` at the start of a document.
struct XMLDeclaration {
  /// The length in bytes, including white space before the declaration.
  let length: Int
  /// The encoding that `encoding=` names.
  let encoding: TextEncoding?

  init?(startOf data: Data) {
    let trimmed = data.drop(while: PropertyListGuard.whitespace.contains)
    guard trimmed.starts(with: "<?".utf8), let end = trimmed.firstIndex(of: UInt8(ascii: ">")) else { return nil }
    length = end - data.startIndex + 1
    let text = String(decoding: trimmed[...end].prefix(1_024), as: UTF8.self)
    let parts = text.split(separator: "encoding", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count < 2 ? "" : parts[1].drop { $0 == "=" || $0.isWhitespace }
    let quoted = value.dropFirst().prefix { $0 != value.first }
    encoding = quoted.isEmpty ? nil : TextEncoding(String(quoted))
  }
}

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
