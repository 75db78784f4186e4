import LupineCore
import LupineFoundation
import Synchronization

extension RequestBody {
  /// Returns the first bytes of the body.
  ///
  /// - Parameter count: the number of bytes, not more than the body has.
  func prefix(_ count: Int64) -> RequestBody {
    switch source {
    case .bytes(let data): .bytes(data.prefix(Int(clamping: count)))
    case .file(let path, let offset): .file(path, offset: offset, length: count)
    case .none, .stream, .sequence:
      RequestBody(length: count, through: [self]) { (onReady) throws(LupineError) in
        PrefixReader(try makeReader(onReady: onReady), count)
      }
    }
  }
}

/// Reads the first bytes of a body.
private final class PrefixReader: BodyReader {
  let length: Int64?
  private let base: any BodyReader
  private let left: Mutex<Int64>

  init(_ base: any BodyReader, _ count: Int64) {
    self.base = base
    length = count
    left = Mutex(count)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let left = left.withLock { $0 }
    guard left > 0 else {
      base.cancel()
      return .end
    }
    let read = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: left))))
    switch read {
    case .bytes(let count): self.left.withLock { $0 -= Int64(count) }
    case .end: throw LupineError(.bodyFailed, "The body ended \(left) bytes before the end of the part to send.")
    case .pending: break
    }
    return read
  }

  func cancel() { base.cancel() }
}
