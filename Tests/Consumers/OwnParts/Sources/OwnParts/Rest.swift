import Foundation

/// The unread rest of a text.
final class Rest: @unchecked Sendable {
  // Sendable because each access holds the lock.
  private let lock = NSLock()
  private var bytes: ArraySlice<UInt8>

  init(_ text: String) { bytes = Array(text.utf8)[...] }

  /// Moves as many bytes to the buffer as it has room for; returns their number.
  func move(to buffer: UnsafeMutableRawBufferPointer) -> Int {
    lock.withLock {
      let count = min(bytes.count, buffer.count)
      buffer.copyBytes(from: bytes.prefix(count))
      bytes = bytes.dropFirst(count)
      return count
    }
  }
}
