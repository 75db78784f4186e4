import FoundationEssentials

/// Takes an XML property list apart, and gives up where another reader might see something else in it.
struct PropertyListScanner {
  /// What says that a list cannot be followed.
  struct Obscurity: Error {}

  /// What a piece is; an element goes by its name.
  enum Kind: Equatable {
    case text
    /// The text between `<![CDATA[` and `]]>`.
    case verbatim
    /// A comment, an instruction or the type of the document.
    case aside
    case opening(String)
    case closing(String)
    case empty(String)
  }

  struct Piece {
    let kind: Kind
    let bytes: ArraySlice<UInt8>

    var isBlank: Bool { bytes.allSatisfy(PropertyListScanner.isBlank) }
  }

  private static let elements: Set<String> = [
    "plist", "dict", "array", "key", "string", "data", "date", "integer", "real", "true", "false",
  ]
  /// Encodings in which every byte of a tag is the one of ASCII.
  private static let encodings: Set<String> = ["utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1"]

  private let bytes: [UInt8]
  private var position = 0

  /// - Throws: where the bytes are no XML, or in an encoding in which tags may look otherwise.
  init(_ data: Data) throws(Obscurity) {
    bytes = [UInt8](data)
    let text = data.starts(with: ByteOrderMark.utf8.bytes) ? data.dropFirst(3) : data
    guard let first = text.first(where: { !Self.isBlank($0) }) else { return }
    let encoding = XMLDeclaration(startOf: text)?.encoding?.name.lowercased()
    guard first == UInt8(ascii: "<"), Self.encodings.contains(encoding ?? "utf-8") else { throw Obscurity() }
  }

  /// The next piece; `nil` at the end.
  mutating func next() throws(Obscurity) -> Piece? {
    guard position < bytes.count else { return nil }
    let start = position
    let kind = try pass()
    return Piece(kind: kind, bytes: bytes[start..<position])
  }

  private mutating func pass() throws(Obscurity) -> Kind {
    let start = position
    guard bytes[start] == UInt8(ascii: "<") else {
      position = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
      return .text
    }
    if skip("<![CDATA[", through: "]]>") { return .verbatim }
    if skip("<!--", through: "-->") || skip("<?", through: "?>") {
      // Markup in it may be a value that is no longer wanted, or count for another reader.
      guard !bytes[(start + 1)..<position].contains(UInt8(ascii: "<")) else { throw Obscurity() }
      return .aside
    }
    if skip("<!DOCTYPE", through: ">") {
      // Between brackets it defines entities.
      let type = bytes[start..<position]
      guard !type.contains(UInt8(ascii: "[")), Self.isQuoted(type) else { throw Obscurity() }
      return .aside
    }
    guard skip("<", through: ">") else { throw Obscurity() }
    return try Self.kind(of: bytes[(start + 1)..<(position - 1)])
  }

  /// Passes over what has this beginning and this end; false where either is not there.
  private mutating func skip(_ start: String, through end: String) -> Bool {
    guard bytes[position...].starts(with: start.utf8) else { return false }
    var index = position + start.utf8.count
    while index < bytes.count, !bytes[index...].starts(with: end.utf8) { index += 1 }
    guard index < bytes.count else { return false }
    position = index + end.utf8.count
    return true
  }

  private static func kind(of tag: ArraySlice<UInt8>) throws(Obscurity) -> Kind {
    let isClosing = tag.first == UInt8(ascii: "/")
    let isEmpty = !isClosing && tag.last == UInt8(ascii: "/")
    let inside = isClosing ? tag.dropFirst() : isEmpty ? tag.dropLast() : tag
    let end = inside.firstIndex(where: isBlank) ?? inside.endIndex
    let name = String(decoding: inside[..<end], as: UTF8.self)
    // Attributes have only the outermost element; one whose quotes are not closed has a `>` in it.
    let isWhole = name == "plist" ? isQuoted(inside[end...]) : inside[end...].allSatisfy(isBlank)
    guard elements.contains(name), isWhole else { throw Obscurity() }
    return isClosing ? .closing(name) : isEmpty ? .empty(name) : .opening(name)
  }

  /// Whether every quote that is opened is closed.
  private static func isQuoted(_ attributes: ArraySlice<UInt8>) -> Bool {
    "\"'".utf8.allSatisfy { quote in attributes.count { $0 == quote }.isMultiple(of: 2) }
  }

  static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
