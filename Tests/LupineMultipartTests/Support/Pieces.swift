/// A stream of pieces of text.
struct Pieces: AsyncSequence, Sendable {
  private let pieces: [[UInt8]]

  init(_ pieces: [String]) { self.pieces = pieces.map { Array($0.utf8) } }

  init(_ pieces: [[UInt8]]) { self.pieces = pieces }

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<[UInt8]>
    mutating func next() async -> [UInt8]? { rest.popFirst() }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: pieces[...]) }
}

/// A stream that begins with a text and never ends.
struct EndlessAfter: AsyncSequence, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  struct AsyncIterator: AsyncIteratorProtocol {
    var text: String?

    mutating func next() async -> [UInt8]? {
      defer { text = nil }
      return text.map { Array($0.utf8) } ?? [UInt8](repeating: 0x78, count: 65_536)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(text: text) }
}

/// A stream that begins with a text and then throws.
struct ThrowingAfter: AsyncSequence, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  struct AsyncIterator: AsyncIteratorProtocol {
    var text: String?

    mutating func next() async throws -> [UInt8]? {
      defer { text = nil }
      guard let text else { throw Throwing.Broken() }
      return Array(text.utf8)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(text: text) }
}
