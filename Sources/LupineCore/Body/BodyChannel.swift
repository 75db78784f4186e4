import HTTPTypes
import LupineFoundation
import Synchronization

/// Passes a response's body from the transport, which writes it, to the consumer, which awaits it.
///
/// It is part of the `ExchangeControl` of the body. The transport's thread only stores bytes in memory. Stages, such as
/// decoders, run on the consumer's task. If the body has a file or an observer, a thread of `BlockingWork` runs the
/// stages, writes the file and calls the observers, while the consumer's task waits.
struct BodyChannel: ~Copyable, Sendable {
  private let state = Mutex(BodyChannelState())

  /// Begins the body; returns false if the channel already has one.
  ///
  /// - Parameter end: the end of a body that is complete; `nil` for one that the transport writes.
  func begin(_ end: BodyEnd?, resume: (@Sendable () -> Void)?) -> Bool {
    state.withLock { state in
      if let end { state.begin(end) } else { state.begin(resume: resume) }
    }
  }

  /// Whether the channel has a body.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// Sets the destination of the body; only the first call has an effect.
  ///
  /// - Returns: the error with which the exchange is to be cancelled.
  func open(_ sink: BodySink) -> LupineError? { perform { $0.open(sink) } }

  /// Adds an observer of the bytes.
  func add(_ tee: BodyTee) { perform { $0.add(tee) } }

  /// Adds a stage before those of the sink.
  func add(_ stage: any BodyTransformer) { state.withLock { $0.stages.append(stage) } }

  /// - Parameter hasMore: whether a waiting consumer sleeps on, because more bytes follow at once.
  func write(_ bytes: UnsafeRawBufferPointer, hasMore: Bool) throws(LupineError) -> ResponseBodyWriter.Flow {
    let (flow, waiters) = try state.withLock { (state) throws(LupineError) in
      try state.write(bytes)
      return (state.flow, hasMore ? [] : state.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    return flow
  }

  /// Wakes a consumer that waits for the written bytes.
  func deliver() {
    for waiter in state.withLock({ $0.takeWaiters() }) { waiter.resume() }
  }

  /// Ends the body.
  func finish(trailers: HTTPFields? = nil, metrics: TransferMetrics) {
    perform { state in
      state.finish(trailers: trailers, metrics: metrics)
      return state.effects()
    }
  }

  /// Ends the body with an error.
  func fail(_ error: LupineError) {
    perform { state in
      state.fail(error)
      return state.effects()
    }
  }

  /// Cancels the body, including one that the transport has ended if some bytes still wait for the consumer.
  ///
  /// - Parameter isForwarded: whether the transport has received the cancellation and ends a body that is not complete.
  func cancel(_ error: LupineError, isForwarded: Bool) {
    perform { state in
      state.cancel(error, isForwarded: isForwarded)
      return state.effects()
    }
  }

  /// Whether a consumer takes the bytes as they arrive, or the destination is not known yet.
  var isStreamed: Bool { state.withLock { $0.isStreamed } }

  /// Whether no consumer takes the rest.
  var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

  /// Whether only the consumer can make the body continue.
  var isHeldBack: Bool { state.withLock { $0.isHeldBack } }

  /// Changes the state and performs the effects outside the lock.
  @discardableResult
  private func perform(_ change: (inout BodyChannelState) -> BodyChannelState.Effects) -> LupineError? {
    var effects = state.withLock { change(&$0) }
    if let (tees, error) = effects.unserved { for tee in tees { tee.failLater(error) } }
    effects.resume?()
    for waiter in effects.waiters { waiter.resume() }
    if let notification = effects.notification.take() { notify(notification) }
    return effects.fault
  }

  /// Reports the end: first to the observers, then to the waiters, including those that came meanwhile.
  private func notify(_ notification: BodyEndListeners.Notification) {
    var late: BodyEndListeners.Notification?
    if let observer = notification.observer {
      observer(notification.end)
      late = state.withLock { $0.observersReturned() }
    }
    for waiter in notification.waiters { waiter.resume(returning: notification.end) }
    if let late { notify(late) }
  }

  /// See `ResponseBody.gathered`.
  func gathered(limit: Int64) -> Data { state.withLock { $0.gathered(limit: limit) } }

  /// The end of the body; `nil` if it has not ended.
  var finalEnd: Result<BodyEnd, LupineError>? { state.withLock { $0.finalEnd } }

  /// The end of the body if it ended without an error and its observers have received the end.
  var goodEnd: BodyEnd? { state.withLock { $0.goodEnd } }

  /// Calls the observer at the end, before the waiters continue.
  ///
  /// If the body has ended, it calls the observer at once.
  func onEnd(_ observer: @escaping @Sendable (Result<BodyEnd, LupineError>) -> Void) {
    if let end = state.withLock({ $0.add(observer) }) { observer(end) }
  }

  /// Drops the body: no consumer takes the rest.
  func abandon() { perform { $0.abandon() } }

  /// Drops the body because its exchange is over.
  ///
  /// A body that has ended stays if some bytes may still wait for a reader.
  func finishExchange() { perform { $0.finishExchange() } }

  /// Suspends or resumes the transport.
  func setSuspended(_ isSuspended: Bool) {
    let resume = state.withLock { $0.setSuspended(isSuspended) }
    resume?()
  }
}

// The consumer's side

extension BodyChannel {
  /// Returns the next piece of a streamed body; `nil` at its end.
  ///
  /// - Parameter exchange: the exchange of the body, which is cancelled after an error of a stage.
  func next(in exchange: ExchangeControl) async -> Result<[UInt8]?, LupineError> {
    while true {
      let (step, resume, notification) = state.withLock { state in
        let (step, resume) = state.next()
        return (step, resume, state.takeNotification())
      }
      resume?()
      if let notification { notify(notification) }
      switch step {
      case .deliver(let piece): return piece
      case .process(let work): await process(work, exchange)
      case .wait, .nothing: await wait()
      }
    }
  }

  /// Processes the body up to its end, and waits for the end.
  ///
  /// - Parameter exchange: the exchange of the body, which is cancelled after an error of a stage, the file or a limit.
  func end(in exchange: ExchangeControl) async -> Result<BodyEnd, LupineError> {
    if let end = state.withLock({ $0.announcedEnd }) { return end }
    while true {
      let (step, resume) = state.withLock { $0.nextBeforeEnd() }
      resume?()
      switch step {
      case .process(let work): await process(work, exchange)
      case .wait: await wait()
      case .deliver, .nothing:
        return await withUnsafeContinuation { continuation in
          let end = state.withLock { $0.end(orWaitWith: continuation) }
          if let end { continuation.resume(returning: end) }
        }
      }
    }
  }

  /// Waits until the bytes that have arrived are in the body's file, if it has one; does not wait for more.
  func flush(in exchange: ExchangeControl) async {
    while true {
      switch state.withLock({ $0.nextForFile() }) {
      case .process(let work): await process(work, exchange)
      case .wait: await wait()
      case .deliver, .nothing: return
      }
    }
  }

  private func wait() async {
    await withUnsafeContinuation { waiter in
      if !state.withLock({ $0.wait(waiter) }) { waiter.resume() }
    }
  }

  private func store(_ piece: UnsafeRawBufferPointer) throws(LupineError) -> Bool {
    try state.withLock { (state) throws(LupineError) in try state.store(piece) }
  }

  private func process(_ work: consuming BodyWork, _ exchange: ExchangeControl) async {
    let done: (work: BodyWork, error: LupineError?)
    if work.mayBlock {
      let taken = work
      done = await BlockingWork.run {
        taken.result { (piece) throws(LupineError) in try exchange.channel.store(piece) }
      }
    } else {
      done = work.result { (piece) throws(LupineError) in try store(piece) }
    }
    if done.error == nil, done.work.processor.hasFile { exchange.didWrite(done.work.processor.consumed) }
    if let fault = perform({ $0.putBack(done.work, done.error) }) { exchange.cancel(fault) }
  }
}
