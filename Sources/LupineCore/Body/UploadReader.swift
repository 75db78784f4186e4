import Synchronization

/// Reads a request's body for one sending, and counts bytes as sent when the transport reads them.
public final class UploadReader: BodyReader {
  private struct State {
    /// Whether reads are reported; until then they wait in `reads`.
    var isReporting: Bool
    var reads: [BodyRead] = []
    /// The number of bytes that have been reported.
    var sent: Int64 = 0

    /// Adds a read that is reported; returns the number of bytes so far.
    mutating func count(_ read: BodyRead) -> Int64 {
      if case .bytes(let count) = read { sent += Int64(count) }
      return sent
    }
  }

  private let base: any BodyReader
  private let context: TransferContext
  private let state: Mutex<State>

  /// - Parameter isReporting: whether each read is reported; otherwise those before `reportSent()` wait for it.
  init(_ base: any BodyReader, in context: TransferContext, isReporting: Bool) {
    self.base = base
    self.context = context
    state = Mutex(State(isReporting: isReporting))
    if isReporting { context.willSend(base.length) }
  }

  /// A transport may drop the reader without `cancel()`.
  deinit { base.cancel() }

  /// The length of the body in bytes; `nil` if it is not known.
  public var length: Int64? { base.length }

  /// Reads the next bytes.
  ///
  /// - Throws: the error of the body.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let read = try base.read(into: buffer)
    guard read != .pending else { return read }
    let sum = state.withLock { state -> Int64? in
      if state.isReporting { return state.count(read) }
      state.reads.append(read)
      return nil
    }
    if let sum { context.didSend(read, sum: sum, of: length) } else { context.touch() }
    return read
  }

  /// Reports the bytes that have been read, and from now on each read.
  public func reportSent() {
    guard state.withLock({ !$0.isReporting }) else { return }
    context.willSend(length)
    let reads = state.withLock { state -> [(BodyRead, sum: Int64)] in
      state.isReporting = true
      defer { state.reads = [] }
      return state.reads.map { ($0, state.count($0)) }
    }
    for (read, sum) in reads { context.didSend(read, sum: sum, of: length) }
  }

  /// Cancels the body.
  public func cancel() { base.cancel() }
}
