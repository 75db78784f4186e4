import LupineSupport

/// The white space between the tokens of a JSON document.
///
/// A cassette keeps the tokens of a document as they are and the name of the style, so that the document's bytes can be
/// made again.
enum JSONStyle: Equatable {
  /// No white space.
  case compact
  /// A blank after each comma and colon, as Python writes.
  case spaced
  /// A line for each member and element, indented by a number of blanks for each level; a blank after each colon.
  case indented(Int)
  /// The same with a tab for each level.
  case tabbed

  private static let widths = 1...8

  /// The name in the file; `nil` for the style that the file does not name.
  var name: String? {
    switch self {
    case .compact: nil
    case .spaced: "spaced"
    case .indented(let width): "indented-\(width)"
    case .tabbed: "tabbed"
    }
  }

  init?(name: String) {
    switch name {
    case "spaced": self = .spaced
    case "tabbed": self = .tabbed
    default:
      guard let width = Self.widths.first(where: { name == "indented-\($0)" }) else { return nil }
      self = .indented(width)
    }
  }

  /// Guesses the style of an array or object with white space from the byte after its bracket.
  init?(of document: ArraySlice<UInt8>) {
    let rest = document.dropFirst()
    guard rest.first == UInt8(ascii: "\n") else {
      self = .spaced
      return
    }
    let width = rest.dropFirst().prefix { $0 == .space }.count
    if Self.widths.contains(width) {
      self = .indented(width)
    } else if rest.dropFirst().first == 0x09 {
      self = .tabbed
    } else {
      return nil
    }
  }

  /// Adds the white space to a document without any.
  ///
  /// - Parameter limit: the maximum number of bytes of the result.
  /// - Returns: `nil` if the result is longer.
  func applied(to compact: [UInt8], limit: Int) -> [UInt8]? {
    if self == .compact { return compact.count > limit ? nil : compact }
    var text: [UInt8] = []
    text.reserveCapacity(min(limit, compact.count + compact.count / 4))
    var depth = 0
    for (position, isInString) in JSONStructure(compact) {
      let byte = compact[position]
      if text.count > limit { return nil }
      guard !isInString else {
        text.append(byte)
        continue
      }
      switch byte {
      case UInt8(ascii: "{"), .openBracket:
        text.append(byte)
        depth += 1
        if !compact.isClosing(position + 1) { breakLine(&text, depth) }
      case UInt8(ascii: "}"), .closeBracket:
        depth -= 1
        if !compact.isOpening(position - 1) { breakLine(&text, depth) }
        text.append(byte)
      case UInt8(ascii: ","):
        text.append(byte)
        if self == .spaced { text.append(.space) } else { breakLine(&text, depth) }
      case .colon: text += [byte, .space]
      default: text.append(byte)
      }
    }
    return text.count > limit ? nil : text
  }

  private func breakLine(_ text: inout [UInt8], _ depth: Int) {
    switch self {
    case .compact, .spaced: break
    case .indented(let width): text += Self.blanks[...(depth * width)]
    case .tabbed: text += Self.tabs[...depth]
    }
  }

  /// A line feed and the indentation of the deepest level.
  private static let blanks = [0x0A] + [UInt8](repeating: .space, count: JSONCursor.maximumDepth * widths.upperBound)
  private static let tabs = [0x0A] + [UInt8](repeating: 0x09, count: JSONCursor.maximumDepth)
}

/// The positions of a valid JSON text, each with whether it belongs to a string (its quotation marks included).
struct JSONStructure: Sequence, IteratorProtocol {
  private let text: [UInt8]
  private var position = 0
  private var isInString = false
  private var isEscaped = false

  init(_ text: [UInt8]) { self.text = text }

  mutating func next() -> (position: Int, isInString: Bool)? {
    guard position < text.count else { return nil }
    defer { position += 1 }
    guard isInString else {
      isInString = text[position] == UInt8(ascii: "\"")
      return (position, isInString)
    }
    if isEscaped {
      isEscaped = false
    } else if text[position] == .backslash {
      isEscaped = true
    } else if text[position] == UInt8(ascii: "\"") {
      isInString = false
    }
    return (position, true)
  }
}

extension [UInt8] {
  /// Returns a valid JSON text without the white space between its tokens.
  func withoutJSONSpace() -> [UInt8] {
    var compact: [UInt8] = []
    compact.reserveCapacity(count)
    for (position, isInString) in JSONStructure(self) where isInString || self[position] > .space {
      compact.append(self[position])
    }
    return compact
  }

  /// Whether the byte ends an array or object.
  fileprivate func isClosing(_ position: Int) -> Bool {
    position < count && (self[position] == UInt8(ascii: "}") || self[position] == .closeBracket)
  }

  /// Whether the byte begins an array or object.
  fileprivate func isOpening(_ position: Int) -> Bool {
    position >= 0 && (self[position] == UInt8(ascii: "{") || self[position] == .openBracket)
  }
}
