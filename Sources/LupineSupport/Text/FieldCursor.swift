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

  /// Skips the next byte.
  public mutating func advance() { position += 1 }

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

  /// Reads a quoted string (RFC 9110 section 5.6.4), without its quotes; `nil` if none begins here or it does not end.
  public mutating func quotedString() -> String? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    var content: [UInt8] = []
    while true {
      let start = position
      run { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
      content += bytes[start..<position]
      guard let end = peek() else { return nil }
      advance()
      if end == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
      guard let escaped = peek() else { return nil }
      advance()
      content.append(escaped)
    }
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
