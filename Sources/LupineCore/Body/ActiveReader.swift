import Synchronization

/// Reports the bytes that it reads, and the end of the body, to the exchange.
final class ActiveReader: BodyReader {
  private let base: any BodyReader
  private let control: ExchangeControl
  private let sent = Atomic<Int64>(0)
  private let onEnd: @Sendable (Int64) -> Void

  init(
    _ base: any BodyReader, as part: UploadPart, control: ExchangeControl, onEnd: @escaping @Sendable (Int64) -> Void
  ) {
    self.base = base
    self.control = control
    self.onEnd = onEnd
    control.willSend(part, length: base.length)
  }

  var length: Int64? { base.length }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let read = try base.read(into: buffer)
    report(read)
    return read
  }

  func report(_ read: BodyRead) {
    switch read {
    case .bytes(let count):
      let sum = sent.add(Int64(count), ordering: .relaxed).newValue
      control.didSend(count, sum: sum)
      if sum == base.length { onEnd(sum) }
    // A body with a known length has reported its end at its last byte.
    case .end where base.length == nil: onEnd(sent.load(ordering: .relaxed))
    default: break
    }
  }

  func cancel() { base.cancel() }
}

/// Reads a body that may not be sent: it reports no progress and no events until the transport calls `reportSent()`.
public final class QuietReader: BodyReader {
  private struct State {
    var reads: [BodyRead] = []
    var active: ActiveReader?
  }

  private let base: any BodyReader
  private let part: UploadPart
  private let control: ExchangeControl
  private let onEnd: @Sendable (Int64) -> Void
  private let state = Mutex(State())

  init(
    _ base: any BodyReader, as part: UploadPart, control: ExchangeControl, onEnd: @escaping @Sendable (Int64) -> Void
  ) {
    self.base = base
    self.part = part
    self.control = control
    self.onEnd = onEnd
  }

  /// The length of the body in bytes; `nil` if it is not known.
  public var length: Int64? { base.length }

  /// Reads the next bytes.
  ///
  /// - Throws: the error of the body.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    if let active = state.withLock({ $0.active }) { return try active.read(into: buffer) }
    let read = try base.read(into: buffer)
    guard read != .pending else { return read }
    control.touch()
    let active = state.withLock { state in
      if state.active == nil { state.reads.append(read) }
      return state.active
    }
    active?.report(read)
    return read
  }

  /// Reports the bytes that have been read, and from now on each read.
  public func reportSent() {
    guard state.withLock({ $0.active }) == nil else { return }
    let active = ActiveReader(base, as: part, control: control, onEnd: onEnd)
    let reads = state.withLock { state in
      if state.active != nil { return [BodyRead]() }
      defer { state = State(active: active) }
      return state.reads
    }
    for read in reads { active.report(read) }
  }

  /// Cancels the body.
  public func cancel() { base.cancel() }
}

/// The position of a request's body in a longer upload.
struct UploadPart: Sendable {
  /// The number of bytes before the body.
  var offset: Int64 = 0
  /// The number of bytes of the whole upload; `nil` if it ends with the body.
  var total: Int64?

  /// The number of bytes from the offset to the end of the upload; `nil` if it ends with the body.
  var rest: Int64? { total.map { max(0, $0 - offset) } }
}
