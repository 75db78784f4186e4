public import LupineCore

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
    Iterator(
      LineReader(base.makeAsyncIterator(), LineSplitter(limit: limit, ends: .any), hasLastLine: hasLastLine) {
        String(decoding: $0, as: UTF8.self)
      })
  }

  /// Reads the lines in order.
  public struct Iterator: AsyncIteratorProtocol {
    private var reader: LineReader<String>

    init(_ reader: LineReader<String>) { self.reader = reader }

    /// The next line; `nil` at the end.
    ///
    /// - Throws: `LupineError` when the request failed, or a line is longer than the limit; the lines before it
    ///   have been handed over.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError) -> String? {
      if let line = reader.ready() { return line }
      return try await reader.next(isolation: isolation)
    }
  }
}
