import LupineCore
import LupineFraming

/// Finds the end of a challenge's content that libcurl does not pass on, because it answers the challenge itself.
struct HeldContent {
  private var chunks: ChunkReader?
  /// The number of bytes that are still missing according to Content-Length; `nil` without a known length.
  private var rest: Int64?
  /// Whether bytes followed the end of the content, or the end could not be determined.
  private(set) var hasSurplus = false

  init(_ head: ReceivedHead, isEmpty: Bool, _ limits: Limits) {
    if isEmpty {
      rest = 0
    } else if head.framing.isChunked {
      chunks = ChunkReader(limits)
    } else {
      rest = head.framing.contentLength
    }
  }

  /// Whether the end of the content has not arrived; false for content that the end of the connection delimits.
  var isUnfinished: Bool {
    if let rest { return rest > 0 }
    return chunks?.isFinished == false
  }

  /// Records that libcurl has discarded bytes after the end.
  mutating func noteSurplus() { hasSurplus = true }

  /// Processes raw bytes of the content.
  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    if let rest {
      self.rest = rest - Int64(bytes.count)
      if rest < bytes.count { hasSurplus = true }
    } else if chunks != nil {
      hasSurplus = hasSurplus || !isWithinChunks(bytes)
    }
  }

  private mutating func isWithinChunks(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    do throws(LupineError) { while try chunks?.next(in: bytes, from: &position) != nil {} } catch { return false }
    return position == bytes.count
  }
}
