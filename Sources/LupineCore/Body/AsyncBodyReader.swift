import LupineSupport

/// Reads a body and suspends the calling task until bytes arrive.
///
/// Use it in code that reads a body outside a transport, such as a body that contains other bodies. A transport uses a
/// `BodyReader`, which never waits. The calls of `read(into:)` do not overlap.
public struct AsyncBodyReader: Sendable {
  private let base: any BodyReader
  private let ready: Signal

  /// Opens a body: `try AsyncBodyReader(body.makeReader)`.
  ///
  /// - Parameter open: makes the reader, with the closure that the reader calls each time it has bytes again. Called once,
  ///   before the initializer returns.
  /// - Throws: the error of `open`.
  public init<Failure: Error>(
    _ open: (_ onReady: @escaping @Sendable () -> Void) throws(Failure) -> any BodyReader
  ) throws(Failure) {
    let ready = Signal()
    base = try open { ready.set() }
    self.ready = ready
  }

  /// The length of the body in bytes; `nil` if it is not known before the first read.
  public var length: Int64? { base.length }

  /// Fills the front of the buffer with the next bytes and waits for them if necessary; returns `nil` at the end.
  ///
  /// - Throws: the `LupineError` of the body, or kind `cancelled` if the task is cancelled.
  public func read(into buffer: UnsafeMutableRawBufferPointer) async throws(LupineError) -> Int? {
    while true {
      if Task.isCancelled { throw LupineError(.cancelled, "The task that read the body was cancelled.") }
      // Cleared before the read, so that a signal during the read is not lost.
      ready.clear()
      switch try base.read(into: buffer) {
      case .bytes(let count): return count
      case .pending: await ready.wait()
      case .end: return nil
      }
    }
  }

  /// Releases the body; no effect after the end.
  ///
  /// It may be called from any thread, also while `read(into:)` waits.
  public func cancel() { base.cancel() }
}
