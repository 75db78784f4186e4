public import LupineSupport

extension RequestBody {
  private static let pieceSize = 128 << 10

  /// Reads the whole body without a transport, piece by piece.
  ///
  /// `take` is called in the calling task, with one piece after another. The pointer is valid only during the call.
  ///
  /// - Throws: the `LupineError` of the body or of `take`, or kind `cancelled` if the task is cancelled.
  public func drain(into take: (UnsafeRawBufferPointer) throws(LupineError) -> Void) async throws(LupineError) {
    let ready = Signal()
    let reader = try await BlockingWork.run { () throws(LupineError) in try makeReader { ready.set() } }
    // Has no effect after the end.
    defer { reader.cancel() }
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 1)
    defer { space.deallocate() }
    while let count = try await reader.read(into: space, waitingFor: ready) {
      try take(UnsafeRawBufferPointer(rebasing: space[..<count]))
    }
  }
}

extension BodyReader {
  /// Fills the front of the buffer with the next bytes and waits for them if necessary; returns `nil` at the end.
  ///
  /// - Parameter ready: the signal that the reader's `onReady` closure sets.
  /// - Throws: the `LupineError` of the body, or kind `cancelled` if the task is cancelled.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, waitingFor ready: Signal
  ) async throws(LupineError) -> Int? {
    while true {
      if Task.isCancelled { throw LupineError(.cancelled, "The task that read the body was cancelled.") }
      // Before the read, so that a signal during the read counts.
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
