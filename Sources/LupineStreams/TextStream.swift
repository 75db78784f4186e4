public import LupineCore
import LupineSupport

/// A response's body as text, piece by piece.
public struct TextStream: AsyncSequence, Sendable {
  /// Some text; never empty.
  public typealias Element = String

  let base: ByteStream

  /// Returns the iterator; the request starts when the first text is read.
  public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

  /// Reads the text in order.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: ByteStream.Iterator
    private var rest: [UInt8] = []
    private var isAtStart = true

    init(base: ByteStream.Iterator) { self.base = base }

    /// The next text; `nil` at the end.
    ///
    /// - Throws: `LupineError` if the request fails.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(LupineError) -> String? {
      while let piece = try await base.next(isolation: isolation) {
        rest += piece
        let count = rest.count - Self.cutLength(rest)
        guard count > 0 else { continue }
        defer { rest.removeFirst(count) }
        let text = withoutMark(rest[..<count])
        if !text.isEmpty { return String(decoding: text, as: UTF8.self) }
      }
      guard !rest.isEmpty else { return nil }
      defer { rest = [] }
      return String(decoding: rest, as: UTF8.self)
    }

    /// Removes a byte order mark if the bytes are the first of the body.
    private mutating func withoutMark(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      guard isAtStart else { return bytes }
      isAtStart = false
      let mark = ByteOrderMark.utf8.bytes
      return bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes
    }

    /// The number of bytes at the end that begin an incomplete character; at most three.
    private static func cutLength(_ bytes: [UInt8]) -> Int {
      for length in 1...3 where length <= bytes.count {
        let byte = bytes[bytes.count - length]
        if byte < 0x80 { return 0 }
        guard byte >= 0xC0 else { continue }
        let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
        return needed > length ? length : 0
      }
      return 0
    }
  }
}
