/// The bytes of a sequence in pieces of 16 KiB.
struct CollectedBytes<Bytes: AsyncSequence & Sendable>: AsyncSequence, Sendable where Bytes.Element == UInt8 {
  private static var size: Int { 16 << 10 }

  let bytes: Bytes

  func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

  struct Iterator: AsyncIteratorProtocol {
    var bytes: Bytes.AsyncIterator

    mutating func next(isolation: isolated (any Actor)?) async throws(Bytes.Failure) -> [UInt8]? {
      var piece: [UInt8] = []
      while piece.count < CollectedBytes.size, let byte = try await bytes.next(isolation: isolation) {
        piece.append(byte)
      }
      return piece.isEmpty ? nil : piece
    }
  }
}
