/// A response's body as lines.
public struct LineStream: AsyncSequence, Sendable {
  /// One line, without its end.
  public typealias Element = String

  let base: ByteStream
  let limit: Int
  /// Whether bytes behind the last end of a line are a line.
  var hasLastLine = true

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), splitter: LineSplitter(limit: limit), hasLastLine: hasLastLine)
  }

  /// Reads the lines in order.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: ByteStream.Iterator
    private var splitter: LineSplitter
    private var lines: [String] = []
    private var position = 0
    private var isFinished = false
    private let hasLastLine: Bool

    init(base: ByteStream.Iterator, splitter: LineSplitter, hasLastLine: Bool) {
      self.base = base
      self.splitter = splitter
      self.hasLastLine = hasLastLine
    }

    /// The next line; `nil` at the end.
    ///
    /// - Throws: `LupineError` when the request failed, or a line is longer than the limit; the lines before it have been handed over.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError) -> String? {
      while position == lines.count {
        if isFinished { return nil }
        if let failure = splitter.failure { throw failure }
        position = 0
        if let piece = try await base.next(isolation: isolation) {
          lines = splitter.take(piece)
        } else {
          isFinished = true
          lines = hasLastLine ? splitter.finish().map { [$0] } ?? [] : []
        }
      }
      defer { position += 1 }
      return lines[position]
    }
  }
}
