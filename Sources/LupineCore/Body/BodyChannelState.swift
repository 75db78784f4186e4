import FoundationEssentials
import HTTPTypes

/// What a `BodyChannel` knows; each change says whom to wake.
struct BodyChannelState {
  typealias Piece = Result<[UInt8]?, LupineError>
  typealias End = Result<BodyEnd, LupineError>

  private let stages: [any BodyTransformer]
  private var target: BodyTarget
  private var isSuspended = false
  private var isPaused = false
  private var ending: End?
  private var reader: UnsafeContinuation<Piece, Never>?
  private var waiters: [UnsafeContinuation<End, Never>] = []
  private var observers: [@Sendable (End) -> Void] = []

  init(sink: BodySink) {
    stages = sink.stages
    target = BodyTarget(sink.destination)
  }

  /// The end: a good one once the last byte has been taken as well, a bad one at once.
  var finalEnd: End? {
    if case .failure = ending { return ending }
    return target.isDrained ? ending : nil
  }

  /// Whether the transport goes on writing.
  var flow: IncomingBodyWriter.Flow { isPaused ? .pause : .proceed }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    guard ending == nil else { return }
    if stages.isEmpty {
      try target.take(bytes)
    } else {
      try BodyStages.pass(bytes, through: stages[...]) { (piece) throws(LupineError) in try target.take(piece) }
    }
    isPaused = isSuspended || target.isFull
  }

  mutating func finish(collected: Data?, trailers: HTTPFields?, metrics: TransferMetrics) {
    guard ending == nil else { return }
    do throws(LupineError) {
      try BodyStages.finish(stages[...]) { (piece) throws(LupineError) in try target.take(piece) }
      ending = .success(
        BodyEnd(
          data: collected ?? target.takeCollected(), byteCount: collected.map { Int64($0.count) } ?? target.byteCount,
          trailers: trailers, metrics: metrics))
    } catch {
      ending = .failure(error.measured(metrics))
    }
  }

  /// Drops the body; returns whether the transport was paused and may go on.
  mutating func abandon() -> Bool {
    target.abandon()
    return resumeIfRoom()
  }

  mutating func fail(_ error: LupineError) {
    if ending == nil { ending = .failure(error) }
  }

  /// The next piece if one is at hand, and whether the transport may go on.
  mutating func next() -> (Piece?, shouldResume: Bool) {
    if let piece = target.takePiece() { return (.success(piece), resumeIfRoom()) }
    switch ending {
    case .success: return (.success(nil), false)
    case .failure(let error): return (.failure(error), false)
    case nil: return (nil, resumeIfRoom())
    }
  }

  mutating func next(orWaitWith continuation: UnsafeContinuation<Piece, Never>) -> (Piece?, shouldResume: Bool) {
    let (piece, shouldResume) = next()
    if piece == nil { reader = continuation }
    return (piece, shouldResume)
  }

  mutating func end(orWaitWith continuation: UnsafeContinuation<End, Never>) -> End? {
    if let finalEnd { return finalEnd }
    waiters.append(continuation)
    return nil
  }

  /// Adds who hears of the end before those who wait for it; returns it where it has come.
  mutating func add(_ observer: @escaping @Sendable (End) -> Void) -> End? {
    if let finalEnd { return finalEnd }
    observers.append(observer)
    return nil
  }

  /// Returns whether the transport was paused and may go on.
  mutating func setSuspended(_ isSuspended: Bool) -> Bool {
    self.isSuspended = isSuspended
    return resumeIfRoom()
  }

  /// The wake-up of the reader who waits, when there is something for it.
  mutating func takeReader() -> (() -> Void)? {
    guard let reader else { return nil }
    guard let piece = next().0 else { return nil }
    self.reader = nil
    return { reader.resume(returning: piece) }
  }

  /// The wake-ups of those who wait for the end, when it has come.
  mutating func takeWaiter() -> (() -> Void)? {
    guard !waiters.isEmpty || !observers.isEmpty, let end = finalEnd else { return nil }
    let (waiters, observers) = (waiters, observers)
    self.waiters = []
    self.observers = []
    return {
      for observer in observers { observer(end) }
      for waiter in waiters { waiter.resume(returning: end) }
    }
  }

  private mutating func resumeIfRoom() -> Bool {
    guard isPaused, !isSuspended, !target.isFull, ending == nil else { return false }
    isPaused = false
    return true
  }
}
