/// A stream that yields one piece and then throws.
struct Throwing: AsyncSequence, Sendable {
  struct Broken: Error {}

  struct AsyncIterator: AsyncIteratorProtocol {
    var hasYielded = false

    mutating func next() async throws -> [UInt8]? {
      if hasYielded { throw Broken() }
      hasYielded = true
      return Array("beginning".utf8)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
