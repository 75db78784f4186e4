/// Cuts bytes into lines, whatever their ends: LF, CRLF or CR.
struct LineSplitter: Sendable {
  private let limit: Int
  private var line: [UInt8] = []
  private var skipsLineFeed = false
  /// Why no more lines come, where one is longer than the limit; the lines before it have been returned.
  private(set) var failure: LupineError?

  init(limit: Int) { self.limit = limit }

  /// Takes a piece and returns the lines that it completes, up to one that is too long.
  mutating func take(_ piece: [UInt8]) -> [String] {
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
        guard append(piece[start..<index]) else { return lines }
        lines.append(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
        skipsLineFeed = byte == 0x0D
      }
      start = index + 1
    }
    _ = append(piece[start...])
    return lines
  }

  /// The last line, where the body does not end with a line's end.
  mutating func finish() -> String? {
    guard !line.isEmpty else { return nil }
    defer { line = [] }
    return String(decoding: line, as: UTF8.self)
  }

  /// Adds to the line; false where it becomes too long.
  private mutating func append(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard line.count + bytes.count <= limit else {
      failure = LupineError(
        .limitExceeded(.line), "A line of the response is longer than \(limit) bytes, the limit line that was given.")
      return false
    }
    line += bytes
    return true
  }
}
