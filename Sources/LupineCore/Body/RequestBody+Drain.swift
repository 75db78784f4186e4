public import LupineSupport

extension RequestBody {
  private static let pieceSize = 128 << 10

  /// Reads the whole body outside of any transport, piece by piece.
  ///
  /// - Throws: `LupineError`: what the body or `take` threw, or kind `cancelled` where the task is cancelled.
  public func drain(into take: (UnsafeRawBufferPointer) throws(LupineError) -> Void) async throws(LupineError) {
    let ready = Signal()
    let reader = try makeReader { ready.set() }
    // What was read to its end takes no harm of it.
    defer { reader.cancel() }
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 1)
    defer { space.deallocate() }
    while let count = try await reader.read(into: space, waitingFor: ready) {
      try take(UnsafeRawBufferPointer(rebasing: space[..<count]))
    }
  }
}

extension BodyReader {
  /// Fills the front of the buffer with what comes next, however long that takes; `nil` at the end.
  ///
  /// - Parameter ready: what the reader's maker has it set.
  /// - Throws: `LupineError`: what the body threw, or kind `cancelled` where the task is cancelled.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, waitingFor ready: Signal
  ) async throws(LupineError) -> Int? {
    while true {
      if Task.isCancelled { throw LupineError(.cancelled, "The task that read the body was cancelled.") }
      // Before the reading, so that what comes during it counts.
      ready.clear()
      switch try read(into: buffer) {
      case .bytes(let count): return count
      case .pending: await ready.wait()
      case .end: return nil
      }
    }
  }

  /// Fills the front of an array.
  public func read(into buffer: inout [UInt8]) throws(LupineError) -> BodyRead {
    let result = buffer.withUnsafeMutableBytes { bytes -> Result<BodyRead, LupineError> in
      do throws(LupineError) { return .success(try read(into: bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
