import Synchronization

/// Reads a body that may not be sent: it reports no progress and no events until the transport calls `reportSent()`.
public final class QuietReader: BodyReader {
  private struct State {
    /// The reads that have not been reported.
    var reads: [BodyRead] = []
    /// Receives the reads from `reportSent()` on.
    var report: UploadReport?
  }

  private let base: any BodyReader
  private let part: UploadPart
  private let control: ExchangeControl
  private let onEnd: @Sendable (Int64) -> Void
  private let state = Mutex(State())

  /// - Parameter onEnd: receives the number of bytes of the body; see `UploadReport`.
  init(
    _ base: any BodyReader, as part: UploadPart, control: ExchangeControl, onEnd: @escaping @Sendable (Int64) -> Void
  ) {
    self.base = base
    self.part = part
    self.control = control
    self.onEnd = onEnd
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
    let report = state.withLock { state in
      if state.report == nil { state.reads.append(read) }
      return state.report
    }
    if let report { report.add(read) } else { control.touch() }
    return read
  }

  /// Reports the bytes that have been read, and from now on each read.
  public func reportSent() {
    guard state.withLock({ $0.report }) == nil else { return }
    let report = UploadReport(of: part, length: base.length, control: control, onEnd: onEnd)
    let reads = state.withLock { state in
      if state.report != nil { return [BodyRead]() }
      defer { state = State(report: report) }
      return state.reads
    }
    for read in reads { report.add(read) }
  }

  /// Cancels the body.
  public func cancel() { base.cancel() }
}
