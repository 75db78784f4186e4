/// Cuts bytes into lines, whatever their ends: LF, CRLF or CR.
struct LineSplitter: Sendable {
  private let limit: Int
  private var line: [UInt8] = []
  private var skipsLineFeed = false

  init(limit: Int) { self.limit = limit }

  /// Takes a piece and returns the lines that it completes.
  mutating func take(_ piece: [UInt8]) throws(LupineError) -> [String] {
    var lines: [String] = []
    var start = piece.startIndex
    for index in piece.indices {
      let byte = piece[index]
      guard byte == 0x0A || byte == 0x0D else {
        skipsLineFeed = false
        continue
      }
      if byte == 0x0A, skipsLineFeed {
        skipsLineFeed = false
      } else {
        try append(piece[start..<index])
        lines.append(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
        skipsLineFeed = byte == 0x0D
      }
      start = index + 1
    }
    try append(piece[start...])
    return lines
  }

  /// The last line, where the body does not end with a line's end.
  mutating func finish() -> String? {
    guard !line.isEmpty else { return nil }
    defer { line = [] }
    return String(decoding: line, as: UTF8.self)
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) throws(LupineError) {
    guard line.count + bytes.count <= limit else {
      throw LupineError(
        .limitExceeded(.line), "A line of the response is longer than \(limit) bytes, the limit line that was given.")
    }
    line += bytes
  }
}
