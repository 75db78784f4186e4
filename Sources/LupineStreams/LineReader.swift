import LupineCore

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
  ///   - hasLastLine: whether bytes behind the last end of a line are a line.
  ///   - make: makes a line of its bytes.
  init(
    _ base: ByteStream.Iterator, _ splitter: LineSplitter, hasLastLine: Bool = true,
    _ make: @escaping @Sendable ([UInt8]) -> Line
  ) {
    self.base = base
    self.splitter = splitter
    self.hasLastLine = hasLastLine
    self.make = make
  }

  /// A line that is at hand already.
  mutating func ready() -> Line? {
    guard position < lines.count else { return nil }
    defer { position += 1 }
    return lines[position]
  }

  /// Ends the request, as by a line that is not what its reader takes; returns the error with what the request knows.
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
