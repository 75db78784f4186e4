import LupineSupport

/// Breaks the long lines of a cassette, so that a difference between two cassettes shows single elements.
enum LineLayout {
  /// The number of bytes from which a line is broken.
  static let width = 100

  /// Breaks a JSON object without white space into a line and its continuation lines, which begin with blanks.
  ///
  /// Arrays and objects inside it that do not fit into a line have one element a line.
  static func broken(_ line: [UInt8]) -> [UInt8] {
    guard line.count > width else { return line }
    var text: [UInt8] = []
    text.reserveCapacity(line.count + line.count / 8)
    var lineStart = 0
    // The outermost object, which is not broken, has level 0.
    var level = -1
    var position = 0
    func breakLine(_ blanks: Int) {
      text.append(UInt8(ascii: "\n"))
      lineStart = text.count
      text.append(contentsOf: repeatElement(.space, count: blanks))
    }
    while position < line.count {
      let byte = line[position]
      switch byte {
      case UInt8(ascii: "\""):
        let end = endOfString(line, from: position)
        text += line[position..<end]
        position = end
        continue
      case UInt8(ascii: "{"), .openBracket:
        if level >= 0, let end = endOfContainer(line, from: position, room: width - (text.count - lineStart)) {
          text += line[position..<end]
          position = end
          continue
        }
        text.append(byte)
        level += 1
        if level > 0 { breakLine(2 * level) }
      case UInt8(ascii: "}"), .closeBracket:
        level -= 1
        if level >= 0 { breakLine(max(1, 2 * level)) }
        text.append(byte)
      case UInt8(ascii: ","):
        text.append(byte)
        if level > 0 { breakLine(2 * level) }
      default: text.append(byte)
      }
      position += 1
    }
    return text
  }

  /// Returns the position after a string.
  private static func endOfString(_ text: [UInt8], from start: Int) -> Int {
    var position = start + 1
    while position < text.count, text[position] != UInt8(ascii: "\"") {
      position += text[position] == .backslash ? 2 : 1
    }
    return min(position + 1, text.count)
  }

  /// Returns the position after an array or object; `nil` if it is longer than the room.
  private static func endOfContainer(_ text: [UInt8], from start: Int, room: Int) -> Int? {
    var position = start
    var depth = 0
    while position < text.count, position - start < room {
      switch text[position] {
      case UInt8(ascii: "\""):
        position = endOfString(text, from: position)
        continue
      case UInt8(ascii: "{"), .openBracket: depth += 1
      case UInt8(ascii: "}"), .closeBracket:
        depth -= 1
        if depth == 0 { return position + 1 }
      default: break
      }
      position += 1
    }
    return nil
  }
}
