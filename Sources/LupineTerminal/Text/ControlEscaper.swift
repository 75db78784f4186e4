#if Terminal
  /// Makes a text of a server harmless for a terminal, piece by piece.
  ///
  /// Control characters (C0, DEL and C1) and characters that change the direction of a text are written as `\u{1B}`.
  /// Line breaks and tabs stay; CR LF becomes LF. Bytes that are no UTF-8 become U+FFFD.
  struct ControlEscaper {
    /// Whether line breaks and tabs stay.
    private let keepsLines: Bool
    /// The beginning of a character, or a CR, at the end of the last piece.
    private var pending: [UInt8] = []

    init(keepsLines: Bool = true) { self.keepsLines = keepsLines }

    /// Escapes a whole text for one line.
    static func line(_ text: String) -> String {
      var escaper = ControlEscaper(keepsLines: false)
      return String(decoding: escaper.escape(text.utf8) + escaper.finish(), as: UTF8.self)
    }

    /// Escapes a whole text that may have several lines.
    static func lines(_ text: String) -> String {
      var escaper = ControlEscaper()
      return String(decoding: escaper.escape(text.utf8) + escaper.finish(), as: UTF8.self)
    }

    /// Escapes the next piece; an incomplete character at its end waits for the next one.
    mutating func escape(_ piece: some Collection<UInt8>) -> [UInt8] {
      let bytes = pending + piece
      pending = []
      var output: [UInt8] = []
      output.reserveCapacity(bytes.count)
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        if byte == 0x0D, keepsLines {
          guard index + 1 < bytes.count else { break }
          if bytes[index + 1] != 0x0A { Self.append(escaped: 0x0D, to: &output) }
          index += 1
        } else if byte < 0x80 {
          append(ascii: byte, to: &output)
          index += 1
        } else {
          guard let length = append(character: bytes[index...], to: &output) else { break }
          index += length
        }
      }
      pending = Array(bytes[index...])
      return output
    }

    /// Returns what waits for another piece that does not come.
    mutating func finish() -> [UInt8] {
      defer { pending = [] }
      guard pending.first != 0x0D else { return Array(#"\u{D}"#.utf8) }
      return pending.isEmpty ? [] : Self.replacement
    }

    private func append(ascii byte: UInt8, to output: inout [UInt8]) {
      let isControl = byte < 0x20 || byte == 0x7F
      guard isControl, !(keepsLines && (byte == 0x0A || byte == 0x09)) else { return output.append(byte) }
      Self.append(escaped: UInt32(byte), to: &output)
    }

    /// Appends the first character, and returns its length in bytes; `nil` if its end is missing.
    private func append(character bytes: ArraySlice<UInt8>, to output: inout [UInt8]) -> Int? {
      let start = bytes.startIndex
      guard let length = Self.length(ofCharacterWith: bytes[start]) else { return Self.appendReplacement(&output) }
      for offset in 1..<length {
        guard start + offset < bytes.endIndex else { return nil }
        guard bytes[start + offset] & 0xC0 == 0x80 else { return Self.appendReplacement(&output) }
      }
      let character = bytes[start..<start + length]
      guard let scalar = String(validating: character, as: UTF8.self)?.unicodeScalars.first else {
        return Self.appendReplacement(&output)
      }
      if Self.isHarmful(scalar) { Self.append(escaped: scalar.value, to: &output) } else { output += character }
      return length
    }

    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    private static func appendReplacement(_ output: inout [UInt8]) -> Int {
      output += replacement
      return 1
    }

    private static func length(ofCharacterWith lead: UInt8) -> Int? {
      switch lead {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: nil
      }
    }

    /// Whether the character is a control of C1, a line separator, or changes the direction of the text.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x80...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
        true
      default: false
      }
    }

    private static func append(escaped value: UInt32, to output: inout [UInt8]) {
      output += Array("\\u{\(String(value, radix: 16, uppercase: true))}".utf8)
    }
  }
#endif
