import LupineCore
import LupineFraming

/// Looks for the end of content that libcurl does not hand over, because it answers the challenge before it.
struct HeldContent {
  private var chunks: ChunkReader?
  /// Bytes that are still to come, where a Content-Length says so.
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

  /// Whether the end is still to come, which is not known of content that the connection ends.
  var isUnfinished: Bool {
    if let rest { return rest > 0 }
    return chunks?.isFinished == false
  }

  /// Notes that libcurl has dropped bytes behind the end.
  mutating func noteSurplus() { hasSurplus = true }

  /// Takes bytes as they came off the wire.
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
