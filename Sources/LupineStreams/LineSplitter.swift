import LupineCore
import LupineSupport

/// Splits bytes into lines and removes a byte order mark at the start.
struct LineSplitter: Sendable {
  /// The ends of lines that the splitter knows.
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
  /// The error for a line that exceeds the limit; the lines before it have been returned.
  private(set) var failure: LupineError?

  init(limit: Int, ends: Ends) {
    self.limit = limit
    self.ends = ends
  }

  /// Consumes a piece and returns the lines that it completes, up to one that exceeds the limit.
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

  /// Returns the last line if the body does not end with a line end.
  mutating func finish<Line>(_ make: ([UInt8]) -> Line) -> Line? {
    trim()
    guard !line.isEmpty else { return nil }
    defer { line = [] }
    return make(line)
  }

  /// Removes the byte order mark of the first line and, with `Ends.lineFeed`, a trailing CR.
  private mutating func trim() {
    if isFirst {
      isFirst = false
      let mark = ByteOrderMark.utf8.bytes
      if line.starts(with: mark) { line.removeFirst(mark.count) }
    }
    if ends == .lineFeed, line.last == 0x0D { line.removeLast() }
  }

  /// Appends to the line; returns false if the line exceeds the limit.
  private mutating func append(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard line.count + bytes.count <= limit else {
      failure = LupineError(
        .limitExceeded(.line), "A line of the response is longer than its limit of \(limit) bytes (limit line).")
      return false
    }
    line += bytes
    return true
  }
}

/// Reads a body line by line, each as text or as bytes.
struct LineReader<Line: Sendable> {
  private var base: ByteStream.Iterator
  private var splitter: LineSplitter
  private let make: @Sendable ([UInt8]) -> Line
  private let hasLastLine: Bool
  private var lines: [Line] = []
  private var position = 0
  private var isFinished = false

  /// - Parameters:
  ///   - hasLastLine: whether bytes after the last line end are a line.
  ///   - make: makes a line from its bytes.
  init(
    _ base: ByteStream.Iterator, _ splitter: LineSplitter, hasLastLine: Bool = true,
    _ make: @escaping @Sendable ([UInt8]) -> Line
  ) {
    self.base = base
    self.splitter = splitter
    self.hasLastLine = hasLastLine
    self.make = make
  }

  /// Returns the next line that is already split.
  mutating func ready() -> Line? {
    guard position < lines.count else { return nil }
    defer { position += 1 }
    return lines[position]
  }

  /// The `Content-Type` field of the response; an empty text if there is none.
  var contentType: String { base.contentType }

  /// Ends the request because a line is invalid; returns the error with the details of the request.
  func end(with error: LupineError) async -> LupineError { await base.end(with: error) }

  /// The next line; `nil` at the end.
  mutating func next(isolation: isolated (any Actor)?) async throws(LupineError) -> Line? {
    while position == lines.count {
      if isFinished { return nil }
      if let failure = splitter.failure { throw await end(with: failure) }
      position = 0
      if let piece = try await base.next(isolation: isolation) {
        lines = splitter.take(piece, make)
      } else {
        isFinished = true
        lines = hasLastLine ? splitter.finish(make).map { [$0] } ?? [] : []
      }
    }
    return ready()
  }
}
