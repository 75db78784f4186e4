/// Reads a field value from its first byte to its last; it moves backwards only with `goBack(to:)`.
public struct FieldCursor {
  private let bytes: [UInt8]
  /// The position of the next byte.
  public private(set) var position = 0
  /// The number of bytes read, which shows that a parser is linear.
  public private(set) var steps = 0

  /// Begins at the start of a text.
  public init(_ string: String) { bytes = Array(string.utf8) }

  /// Whether every byte has been read.
  public var isAtEnd: Bool { position == bytes.count }

  /// Returns the next byte without skipping it; `nil` at the end.
  public mutating func peek() -> UInt8? {
    steps += 1
    return isAtEnd ? nil : bytes[position]
  }

  /// Skips the next byte; does nothing at the end.
  public mutating func advance() { position = min(position + 1, bytes.count) }

  /// Returns to an earlier position.
  public mutating func goBack(to earlier: Int) { position = min(earlier, position) }

  /// The bytes of a range as text.
  public func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// Skips the next byte if it equals the given one; returns whether it did.
  public mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    advance()
    return true
  }

  /// Skips spaces and tabs.
  public mutating func skipWhitespace() { run { $0.isBlank } }

  /// Reads a token (RFC 9110 section 5.6.2); `nil` if there is none.
  public mutating func token() -> String? {
    let start = position
    run { $0.isTokenByte }
    return start == position ? nil : text(start..<position)
  }

  /// Reads a quoted string (RFC 9110 section 5.6.4), without its quotes.
  ///
  /// - Parameter mayEndWithField: whether the end of the field also ends the string (RFC 8288 appendix B.4).
  /// - Returns: `nil` if no string begins here, or if it does not end.
  public mutating func quotedString(mayEndWithField: Bool = false) -> String? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    var content: [UInt8] = []
    while true {
      let start = position
      run { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
      content += bytes[start..<position]
      let end = peek()
      if end == nil, !mayEndWithField { return nil }
      if end == nil || end == UInt8(ascii: "\"") {
        if end != nil { advance() }
        return String(decoding: content, as: UTF8.self)
      }
      advance()
      guard let escaped = peek() else { continue }
      advance()
      content.append(escaped)
    }
  }

  /// Reads the text in angle brackets, without the brackets (RFC 8288 appendix B.2).
  ///
  /// `nil` if none begins here. If it does not end, the cursor is at the end of the field.
  public mutating func bracketedReference() -> String? {
    guard take(UInt8(ascii: "<")) else { return nil }
    let start = position
    run { $0 != UInt8(ascii: ">") }
    let end = position
    return take(UInt8(ascii: ">")) ? text(start..<end) : nil
  }

  /// Reads up to the next `;` or `,`, without white space at the end (RFC 8288 appendix B.3).
  public mutating func unquotedValue() -> String {
    let start = position
    run { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
    var end = position
    while end > start, bytes[end - 1].isBlank { end -= 1 }
    return text(start..<end)
  }

  /// Skips matching bytes, in a loop that is also fast without optimization.
  private mutating func run(_ belongs: (UInt8) -> Bool) {
    let start = position
    let end = bytes.withUnsafeBufferPointer { buffer in
      guard let first = buffer.baseAddress else { return start }
      var end = start
      while end < buffer.count, belongs(first[end]) { end += 1 }
      return end
    }
    steps += end - start + 1
    position = end
  }

  /// Moves to the next comma outside a quoted string, or to the end.
  public mutating func skipToComma() {
    while let byte = peek(), byte != UInt8(ascii: ",") {
      if byte == UInt8(ascii: "\"") { _ = quotedString() } else { advance() }
    }
  }
}
