import FoundationEssentials
import HTTPTypes
import Synchronization

/// The meeting point of the transport, which writes a body, and of the consumer, who awaits it.
///
/// A part of the exchange that the body belongs to, as whose life it is known to both.
struct BodyChannel: ~Copyable, Sendable {
  private let state = Mutex(BodyChannelState())

  /// Begins the body; false where another one was begun before.
  func begin(_ sink: BodySink, resume: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { $0.begin(sink, resume: resume) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> ResponseBodyWriter.Flow {
    let (flow, wake) = try state.withLock { (state) throws(LupineError) in
      try state.write(bytes)
      return state.hasWritten()
    }
    wake?()
    return flow
  }

  func write(_ data: Data) throws(LupineError) -> ResponseBodyWriter.Flow {
    let (flow, wake) = try state.withLock { (state) throws(LupineError) in
      try state.write(data)
      return state.hasWritten()
    }
    wake?()
    return flow
  }

  /// Takes bytes without a word to a reader who waits.
  func append(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> ResponseBodyWriter.Flow {
    try state.withLock { (state) throws(LupineError) in
      try state.write(bytes)
      return state.flow
    }
  }

  /// Hands what has been appended to a reader who waits.
  func deliver() {
    let (wake, shouldResume) = state.withLock { $0.deliver() }
    wake?()
    if shouldResume { resume() }
  }

  func finish(trailers: HTTPFields? = nil, metrics: TransferMetrics) {
    settle { $0.finish(trailers: trailers, metrics: metrics) }
  }

  /// Ends the body before its time.
  func fail(_ error: LupineError) { settle { $0.fail(error) } }

  /// Ends the body for its own side, also one that the transport has ended and of which some waits to be taken.
  ///
  /// - Parameter isTold: whether the transport has been told, and ends a body that still comes.
  func cancel(_ error: LupineError, isTold: Bool) { settle { $0.cancel(error, isTold: isTold) } }

  /// Whether a consumer takes it as it comes.
  var isStreamed: Bool { state.withLock { $0.isStreamed } }

  /// Whether it waits for its reader alone, and nothing else can move it.
  var isHeldBack: Bool { state.withLock { $0.isHeldBack } }

  private func settle(_ change: (inout BodyChannelState) -> Void) {
    let settled = state.withLock { state in
      change(&state)
      return state.settle()
    }
    settled.wake?()
    if let audience = settled.audience { tell(audience) }
  }

  /// Tells of the end; whoever waits for it goes on once the observers have heard of it, also who comes meanwhile.
  private func tell(_ audience: BodyChannelState.Audience) {
    let listeners = audience.listeners
    for observer in listeners.observers { observer(audience.end) }
    let late = listeners.observers.isEmpty ? nil : state.withLock { $0.hasTold() }
    for waiter in listeners.waiters { waiter.resume(returning: audience.end) }
    if let late { tell(late) }
  }

  func next() async -> Result<[UInt8]?, LupineError> {
    let (piece, shouldResume, audience) = state.withLock { state in
      let (piece, shouldResume) = state.next()
      return (piece, shouldResume, state.takeAudience())
    }
    if shouldResume { resume() }
    if let audience { tell(audience) }
    if let piece { return piece }
    return await withUnsafeContinuation { continuation in
      let (ready, shouldResume) = state.withLock { $0.next(orWaitWith: continuation) }
      if shouldResume { resume() }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  /// See `ResponseBody.gathered`.
  func gathered(limit: Int64) -> Data { state.withLock { $0.gathered(limit: limit) } }

  /// The end, where it has come.
  var ended: Result<BodyEnd, LupineError>? { state.withLock { $0.finalEnd } }

  /// The end, where it has come, its observers have heard of it, and it is a good one.
  var goodEnd: BodyEnd? { state.withLock { $0.goodEnd } }

  func end() async -> Result<BodyEnd, LupineError> {
    if let end = state.withLock({ $0.toldEnd }) { return end }
    return await withUnsafeContinuation { continuation in
      let end = state.withLock { $0.end(orWaitWith: continuation) }
      if let end { continuation.resume(returning: end) }
    }
  }

  /// Calls the observer at the end, before those who wait for it go on; at once where it has come.
  func onEnd(_ observer: @escaping @Sendable (Result<BodyEnd, LupineError>) -> Void) {
    if let end = state.withLock({ $0.add(observer) }) { observer(end) }
  }

  /// Drops the body: nobody will take it.
  func abandon() {
    let (shouldResume, audience) = state.withLock { state in
      let shouldResume = state.abandon()
      return (shouldResume, state.takeAudience())
    }
    if shouldResume { resume() }
    if let audience { tell(audience) }
  }

  /// Drops the body as its exchange is over, unless it has ended: some of it may still wait to be taken then.
  func leave() {
    let left = state.withLock { $0.leave() }
    left.wake?()
    if let audience = left.audience { tell(audience) }
  }

  /// Holds the transport back, or lets it go on.
  func setSuspended(_ isSuspended: Bool) {
    if state.withLock({ $0.setSuspended(isSuspended) }) { resume() }
  }

  /// Lets the transport go on that was paused.
  private func resume() { state.withLock { $0.resume }?() }
}
