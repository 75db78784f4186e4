import FoundationEssentials
import Synchronization

/// Reads bytes that are in memory.
final class BytesReader: BodyReader {
  let length: Int64?
  private let data: Data
  private let position = Mutex(0)

  init(_ data: Data) {
    self.data = data
    length = Int64(data.count)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    position.withLock { position in
      let count = min(buffer.count, data.count - position)
      guard count > 0 else { return .end }
      data.withUnsafeBytes { bytes in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
      }
      position += count
      return .bytes(count)
    }
  }

  func cancel() {}
}
