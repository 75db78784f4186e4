#if Terminal
  import HTTPTypes
  import LupineCore

  /// Writes the content of a request or a response as it arrives.
  ///
  /// An output that is no terminal gets the bytes unchanged. A terminal gets text whose control characters are escaped,
  /// JSON laid out, and a line in the place of content that is no text.
  struct ContentPrinter {
    private let output: StandardOutput
    private let type: MediaType?
    private let length: Int64?
    /// The way of showing; `nil` before the first bytes.
    private var kind: ContentKind?
    private var escaper = ControlEscaper()
    private var layout: JSONLayout
    private var endsLine = true

    /// Makes a printer for content with these fields.
    init(_ fields: HTTPFields, length: Int64?, to output: StandardOutput) {
      self.output = output
      type = fields[.contentType].flatMap { MediaType($0) }
      self.length = length
      layout = JSONLayout(hasColours: output.hasColours)
    }

    /// Writes a piece.
    ///
    /// - Returns: whether further pieces would be written.
    mutating func write(_ piece: [UInt8]) throws -> Bool {
      guard output.isTerminal else {
        try output.write(piece)
        return true
      }
      let kind = self.kind ?? ContentKind(type, beginning: piece)
      self.kind = kind
      switch kind {
      case .binary:
        try show(Array(note.utf8))
        return false
      case .latin: try show(escaper.escape(Self.decodedLatin(piece)))
      case .text: try show(escaper.escape(piece))
      case .json: try show(layout.layOut(escaper.escape(piece)))
      }
      return true
    }

    /// Writes what is left, and ends the last line on a terminal.
    mutating func finish() throws {
      guard output.isTerminal, kind != nil else { return }
      let rest = escaper.finish()
      try show(kind == .json ? layout.layOut(rest) + layout.finish() : rest)
      if !endsLine { try output.write("\n") }
      endsLine = true
    }

    private mutating func show(_ bytes: [UInt8]) throws {
      guard let last = bytes.last else { return }
      endsLine = last == 0x0A
      try output.write(bytes)
    }

    /// The line in the place of content that is no text.
    private var note: String {
      let name = ControlEscaper.line(type?.essence ?? "unknown type")
      let size = length.map { "\($0) bytes" } ?? "of unknown length"
      let text = TextLines.broken(
        "(\(name), \(size), is no text. Redirect the output, or use: lupine download)", width: output.width)
      return Style.faint.paint(text, if: output.hasColours) + "\n"
    }

    private static func decodedLatin(_ piece: [UInt8]) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(piece.count)
      for byte in piece {
        if byte < 0x80 { bytes.append(byte) } else { bytes += [0xC0 | byte >> 6, 0x80 | byte & 0x3F] }
      }
      return bytes
    }
  }
#endif
