import LupineCore
import LupineFoundation
import Synchronization

/// The content that a writer has taken so far, for readers that do not wait for the writer.
final class WrittenContent: Sendable {
  private struct State {
    /// The content while it is small.
    var small: [UInt8] = []
    var file: ContentFile?
    /// The checksums of the complete blocks.
    var blocks: [UInt64] = []
    /// The number of bytes that were taken.
    var length: Int64 = 0
  }

  private let state = Mutex(State())

  /// The content, unless it has a file.
  var small: [UInt8] { state.withLock { $0.small } }

  func append(_ bytes: Data) { state.withLock { $0.small += bytes } }

  /// Records the number of bytes that were taken, and the checksums of all blocks that are complete.
  func extend(to length: Int64, _ blocks: [UInt64]) {
    state.withLock { state in
      state.length = length
      if state.blocks.count < blocks.count { state.blocks += blocks[state.blocks.count...] }
    }
  }

  /// Records that a file has the content from now on.
  func move(to file: ContentFile) {
    state.withLock { state in
      state.file = file
      state.small = []
    }
  }

  /// Returns bytes that were taken; those of complete blocks are verified.
  func read(_ range: Range<Int64>) async throws(LupineError) -> [UInt8] {
    let (file, small, length) = state.withLock { ($0.file, $0.small, $0.length) }
    guard range.lowerBound >= 0, range.upperBound <= length else { throw Self.failure }
    guard let file else {
      return Array(small[Int(range.lowerBound)..<Int(range.upperBound)])
    }
    return try await BlockingWork.run { [self] () throws(LupineError) in try read(range, in: file) }
  }

  private func read(_ range: Range<Int64>, in file: ContentFile) throws(LupineError) -> [UInt8] {
    let block = Int(range.lowerBound) / BlockChecksums.blockSize
    let start = Int64(block * BlockChecksums.blockSize)
    let bytes = try file.read(Int(range.upperBound - start), at: start)
    var found = BlockChecksums()
    bytes.withUnsafeBytes { found.update($0) }
    // The last of them may be incomplete here and complete in the file.
    let known = state.withLock { Array($0.blocks.dropFirst(block).prefix(found.complete.count)) }
    guard Int64(bytes.count) == range.upperBound - start, found.complete.starts(with: known) else { throw Self.failure }
    return start == range.lowerBound ? bytes : Array(bytes[Int(range.lowerBound - start)...])
  }

  private static var failure: LupineError {
    LupineError(.bodyFailed, "The bytes of the response that is being stored cannot be read, or are damaged.")
  }
}
