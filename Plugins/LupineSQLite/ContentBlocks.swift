import LupineCore

/// The bytes of a content's file, as its reader asks for them; each block is verified before its first byte is
/// returned.
struct ContentBlocks: AsyncSequence, Sendable {
  typealias Element = [UInt8]

  let file: ContentFile
  /// The checksums of the whole content.
  let blocks: [UInt8]
  /// The length of the whole content.
  let length: Int64
  let range: Range<Int64>
  /// Called if a block is damaged.
  let onDamage: @Sendable () async -> Void

  /// The number of bytes that are read at a time: whole blocks.
  private static let pieceSize = Int64(4 * BlockChecksums.blockSize)

  func makeAsyncIterator() -> Iterator { Iterator(content: self, position: range.lowerBound) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let content: ContentBlocks
    fileprivate var position: Int64

    mutating func next() async throws -> [UInt8]? {
      guard position < content.range.upperBound else { return nil }
      let piece = try await BlockingWork.run { [content, position] () throws(LupineError) in
        try content.piece(at: position)
      }
      guard let piece else {
        await content.onDamage()
        throw LupineError(
          .bodyFailed, "The stored content of the response is damaged, so it was removed; request it again.")
      }
      position += Int64(piece.count)
      return piece
    }
  }

  /// Returns bytes of the range from a position on; `nil` if they are damaged.
  private func piece(at position: Int64) throws(LupineError) -> [UInt8]? {
    let blockSize = Int64(BlockChecksums.blockSize)
    let start = position / blockSize * blockSize
    // Whole blocks, also behind the range's end.
    let last = (Swift.min(start + Self.pieceSize, range.upperBound) + blockSize - 1) / blockSize * blockSize
    let count = Int(Swift.min(last, length) - start)
    let bytes = try file.read(count, at: start)
    guard bytes.count == count, BlockChecksums.verify(bytes, from: Int(start / blockSize), blocks) else { return nil }
    let end = Swift.min(count, Int(range.upperBound - start))
    let first = Int(position - start)
    return first == 0 && end == count ? bytes : Array(bytes[first..<end])
  }
}
