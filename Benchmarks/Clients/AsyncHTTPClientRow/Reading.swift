import Glibc
import NIOCore
import Row

/// The bytes of a file, piece by piece.
struct Reading: AsyncSequence, Sendable {
  private static let size = 256 << 10
  let length: Int64
  private let descriptor: Int32

  init(path: String) throws {
    descriptor = open(path, O_RDONLY)
    var facts = stat()
    guard descriptor >= 0, fstat(descriptor, &facts) == 0 else { throw WorkError("\(path) cannot be read") }
    length = Int64(facts.st_size)
  }

  func makeAsyncIterator() -> Iterator { Iterator(descriptor: descriptor, position: 0) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let descriptor: Int32
    fileprivate var position: off_t

    mutating func next() async throws -> ByteBuffer? {
      var buffer = ByteBufferAllocator().buffer(capacity: size)
      let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) {
        Swift.max(0, pread(descriptor, $0.baseAddress, size, position))
      }
      guard count > 0 else {
        close(descriptor)
        return nil
      }
      position += off_t(count)
      return buffer
    }
  }
}
