import LupineCoding
import LupineCore

/// Cuts bytes into lines; a byte order mark at the start is none of them.
struct LineSplitter: Sendable {
  /// What ends a line.
  enum Ends {
    /// LF, CRLF or CR.
    case any
    /// LF or CRLF: a CR alone is white space in JSON (RFC 8259 section 2).
    case lineFeed
  }

  private let limit: Int
  private let ends: Ends
  private var line: [UInt8] = []
  private var isFirst = true
  private var skipsLineFeed = false
  /// Why no more lines come, where one is longer than the limit; the lines before it have been returned.
  private(set) var failure: LupineError?

  init(limit: Int, ends: Ends) {
    self.limit = limit
    self.ends = ends
  }

  /// Takes a piece and returns the lines that it completes, up to one that is too long.
  mutating func take<Line>(_ piece: [UInt8], _ make: ([UInt8]) -> Line) -> [Line] {
    var lines: [Line] = []
    var start = piece.startIndex
    for index in piece.indices {
      let byte = piece[index]
      guard byte == 0x0A || byte == 0x0D && ends == .any else {
        skipsLineFeed = false
        continue
      }
      if byte == 0x0A, skipsLineFeed {
        skipsLineFeed = false
      } else {
        guard append(piece[start..<index]) else { return lines }
        trim()
        lines.append(make(line))
        line.removeAll(keepingCapacity: true)
        skipsLineFeed = byte == 0x0D
      }
      start = index + 1
    }
    _ = append(piece[start...])
    return lines
  }

  /// The last line, where the body does not end with a line's end.
  mutating func finish<Line>(_ make: ([UInt8]) -> Line) -> Line? {
    trim()
    guard !line.isEmpty else { return nil }
    defer { line = [] }
    return make(line)
  }

  /// Takes away what is around a line that is complete.
  private mutating func trim() {
    if isFirst {
      isFirst = false
      let mark = ByteOrderMark.utf8.bytes
      if line.starts(with: mark) { line.removeFirst(mark.count) }
    }
    if ends == .lineFeed, line.last == 0x0D { line.removeLast() }
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
