import FoundationEssentials
import HTTPTypes
import Synchronization

/// Passes a response's body from the transport, which writes it, to the consumer, which awaits it.
///
/// It is part of the `ExchangeControl` of the body.
struct BodyChannel: ~Copyable, Sendable {
  private let state = Mutex(BodyChannelState())

  /// Begins the body; returns false if the channel already has one.
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

  /// Takes bytes without waking a waiting reader.
  func append(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> ResponseBodyWriter.Flow {
    try state.withLock { (state) throws(LupineError) in
      try state.write(bytes)
      return state.flow
    }
  }

  /// Passes the appended bytes to a waiting reader.
  func deliver() {
    let (wake, shouldResume) = state.withLock { $0.deliver() }
    wake?()
    if shouldResume { resume() }
  }

  func finish(trailers: HTTPFields? = nil, metrics: TransferMetrics) {
    settle { $0.finish(trailers: trailers, metrics: metrics) }
  }

  /// Ends the body with an error.
  func fail(_ error: LupineError) { settle { $0.fail(error) } }

  /// Cancels the body, including one that the transport has ended if some bytes still wait for the consumer.
  ///
  /// - Parameter isTold: whether the transport has received the cancellation and ends a body that is not complete.
  func cancel(_ error: LupineError, isTold: Bool) { settle { $0.cancel(error, isTold: isTold) } }

  /// Whether a consumer takes the bytes as they arrive.
  var isStreamed: Bool { state.withLock { $0.isStreamed } }

  /// Whether only the reader can make the body continue.
  var isHeldBack: Bool { state.withLock { $0.isHeldBack } }

  private func settle(_ change: (inout BodyChannelState) -> Void) {
    let settled = state.withLock { state in
      change(&state)
      return state.settle()
    }
    settled.wake?()
    if let audience = settled.audience { tell(audience) }
  }

  /// Reports the end: first to the observers, then to the waiters, including those that came meanwhile.
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

  /// The end of the body; `nil` if it has not ended.
  var ended: Result<BodyEnd, LupineError>? { state.withLock { $0.finalEnd } }

  /// The end of the body if it ended without an error and its observers have received the end.
  var goodEnd: BodyEnd? { state.withLock { $0.goodEnd } }

  func end() async -> Result<BodyEnd, LupineError> {
    if let end = state.withLock({ $0.toldEnd }) { return end }
    return await withUnsafeContinuation { continuation in
      let end = state.withLock { $0.end(orWaitWith: continuation) }
      if let end { continuation.resume(returning: end) }
    }
  }

  /// Calls the observer at the end, before the waiters continue.
  ///
  /// If the body has ended, it calls the observer at once.
  func onEnd(_ observer: @escaping @Sendable (Result<BodyEnd, LupineError>) -> Void) {
    if let end = state.withLock({ $0.add(observer) }) { observer(end) }
  }

  /// Drops the body: no consumer takes the rest.
  func abandon() {
    let (shouldResume, audience) = state.withLock { state in
      let shouldResume = state.abandon()
      return (shouldResume, state.takeAudience())
    }
    if shouldResume { resume() }
    if let audience { tell(audience) }
  }

  /// Drops the body because its exchange is over.
  ///
  /// A body that has ended stays, because some bytes may still wait for the consumer.
  func leave() {
    let left = state.withLock { $0.leave() }
    left.wake?()
    if let audience = left.audience { tell(audience) }
  }

  /// Suspends or resumes the transport.
  func setSuspended(_ isSuspended: Bool) {
    if state.withLock({ $0.setSuspended(isSuspended) }) { resume() }
  }

  /// Resumes the paused transport.
  private func resume() { state.withLock { $0.resume }?() }
}
