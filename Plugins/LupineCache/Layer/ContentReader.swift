import LupineCore
import LupineFoundation
import Synchronization

/// Reads the content of a stored response piece by piece.
final class ContentReader: Sendable {
  private let reader: AsyncBodyReader

  init(_ content: RequestBody) { reader = AsyncBodyReader(content.makeDeferredReader) }

  // Has no effect after the end.
  deinit { reader.cancel() }

  /// Returns the next bytes; `nil` at the end.
  func next() async throws(LupineError) -> Data? {
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 1)
    defer { space.deallocate() }
    guard let count = try await reader.read(into: space) else { return nil }
    return Data(UnsafeRawBufferPointer(rebasing: space[..<count]))
  }
}

extension RequestBody {
  /// Makes a body that reads several bodies, one after the other.
  static func sequence(_ bodies: [RequestBody], length: Int64) -> RequestBody {
    RequestBody(length: length, through: bodies) { (onReady) throws(LupineError) in
      SequenceReader(bodies.map { $0.makeDeferredReader(onReady: onReady) }, length: length)
    }
  }
}

/// Reads several bodies as one.
private final class SequenceReader: BodyReader {
  let length: Int64?
  private let readers: [any BodyReader]
  private let index = Atomic(0)

  init(_ readers: [any BodyReader], length: Int64) {
    self.readers = readers
    self.length = length
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    for reader in readers[index.load(ordering: .relaxed)...] {
      let read = try reader.read(into: buffer)
      if read != .end { return read }
      // Reads do not overlap.
      index.add(1, ordering: .relaxed)
    }
    return .end
  }

  func cancel() { for reader in readers { reader.cancel() } }
}
