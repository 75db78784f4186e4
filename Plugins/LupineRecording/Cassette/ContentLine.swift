import LupineFoundation
import LupineSupport

/// The line of a body: in the form that is easiest to read and from which the same bytes can be made.
enum ContentLine {
  /// The kinds of lines that a body can have.
  static let kinds: Set<String> = ["json", "text", "base64", "file", "digest"]

  /// Writes the line; `nil` for an empty body.
  static func line(_ content: Cassette.Content) -> [UInt8]? {
    var builder = LineBuilder()
    switch content {
    case .none: return nil
    case .inline(let data):
      guard !data.isEmpty else { return nil }
      write(Array(data), to: &builder)
    case .file(let file):
      builder.add("file", file.name)
      builder.add("length", file.length)
      builder.add("sha256", Hexadecimal.text(Array(file.sha256)))
    case .digest(let length, let sha256):
      builder.add("digest", Hexadecimal.text(Array(sha256)))
      builder.add("length", length)
    }
    return builder.line
  }

  private static func write(_ bytes: [UInt8], to builder: inout LineBuilder) {
    guard let text = text(bytes) else { return builder.add("base64", Data(bytes).base64EncodedString()) }
    if let document = JSONDocument(bytes) {
      builder.add("json", json: document.compact)
      if let name = document.style.name { builder.add("style", name) }
      builder.add("newline", flag: document.hasNewline)
    } else {
      builder.add("text", lines(text))
    }
  }

  /// Returns the bytes as text; `nil` if they are not UTF-8 or contain a zero byte.
  static func text(_ bytes: [UInt8]) -> String? {
    bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }

  /// Cuts a text after each line feed.
  private static func lines(_ text: String) -> [String] {
    var lines: [String] = []
    var start = text.startIndex
    while let feed = text.utf8[start...].firstIndex(of: 0x0A) {
      let end = text.utf8.index(after: feed)
      lines.append(String(text[start..<end]))
      start = end
    }
    if start < text.endIndex { lines.append(String(text[start...])) }
    return lines
  }

  /// Reads a line.
  static func content(_ line: inout CassetteLine) throws(CassetteLine.Fault) -> Cassette.Content {
    switch line.kind {
    case "json": return try json(&line)
    case "text":
      let text = try CassetteLine.needed(line.strings("text"), "text")
      return inline(Data(text.joined().utf8))
    case "base64":
      let data = try CassetteLine.needed(line.data("base64"), "base64")
      return inline(data)
    case "file": return .file(try file(&line))
    default:
      let sha256 = try CassetteLine.needed(line.digest("digest"), "digest")
      return .digest(length: try length(&line), sha256: sha256)
    }
  }

  private static func inline(_ data: Data) -> Cassette.Content { data.isEmpty ? .none : .inline(data) }

  private static func length(_ line: inout CassetteLine) throws(CassetteLine.Fault) -> Int64 {
    try CassetteLine.needed(line.count("length"), "length")
  }

  private static func json(_ line: inout CassetteLine) throws(CassetteLine.Fault) -> Cassette.Content {
    var style = JSONStyle.compact
    let document = line.json("json") ?? []
    if let name = try line.string("style") {
      guard let named = JSONStyle(name: name) else { throw line.fault("the style of the JSON document is unknown") }
      style = named
    }
    let hasNewline = try line.flag("newline")
    guard var text = style.applied(to: document.withoutJSONSpace(), limit: CassetteReader.maximumLineLength) else {
      throw line.fault("the JSON document has more than \(CassetteReader.maximumLineLength) bytes in its style")
    }
    if hasNewline { text.append(0x0A) }
    return inline(Data(text))
  }

  private static func file(_ line: inout CassetteLine) throws(CassetteLine.Fault) -> Cassette.FileContent {
    let name = try CassetteLine.needed(line.string("file"), "file")
    guard Cassette.FileContent.isName(name) else {
      throw line.fault("a file's name must not contain a path, begin with a dot or contain a control character")
    }
    let length = try length(&line)
    let sha256 = try CassetteLine.needed(line.digest("sha256"), "sha256")
    return Cassette.FileContent(name: name, length: length, sha256: sha256)
  }
}

extension Cassette.FileContent {
  /// Whether a file in the folder of a cassette can have this name.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 255 && name.utf8.first != .dot && !name.contains("..")
      && name.utf8.allSatisfy { !$0.isControl && $0 != .slash && $0 != .backslash }
  }
}

extension Cassette.Content {
  /// The number of bytes.
  public var length: Int64 {
    switch self {
    case .none: 0
    case .inline(let data): Int64(data.count)
    case .file(let file): file.length
    case .digest(let length, _): length
    }
  }

  /// The file that has the bytes; `nil` if they stand elsewhere.
  var file: Cassette.FileContent? { if case .file(let file) = self { file } else { nil } }
}

extension Cassette.Entry {
  /// The files beside the cassette that have the bodies.
  var bodyFiles: [Cassette.FileContent] { [request.body.file, response?.body.file].compactMap(\.self) }
}

/// A JSON array or object that can be kept as its tokens and the style of its white space.
struct JSONDocument {
  /// The document without white space.
  let compact: [UInt8]
  let style: JSONStyle
  /// Whether a line feed follows the document.
  let hasNewline: Bool

  /// Returns `nil` if the text is not JSON in one of the styles, or contains characters that are not shown.
  init?(_ text: [UInt8]) {
    guard text.first == UInt8(ascii: "{") || text.first == .openBracket else { return nil }
    var cursor = JSONCursor(text)
    do throws(JSONCursor.Fault) {
      _ = try cursor.skipValue()
      try cursor.end()
    } catch {
      return nil
    }
    hasNewline = text.last == 0x0A
    let document = hasNewline ? text.dropLast() : text[...]
    compact = text.withoutJSONSpace()
    if compact.count == document.count {
      style = .compact
    } else if let found = JSONStyle(of: document) {
      style = found
    } else {
      return nil
    }
    guard let again = style.applied(to: compact, limit: document.count), document.elementsEqual(again),
      !String(decoding: compact, as: UTF8.self).unicodeScalars.contains(where: \.isHidden)
    else { return nil }
  }
}
