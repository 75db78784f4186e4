import HTTPTypes
import LupineFoundation
import LupineSupport

/// The state of a `BodyChannel`.
///
/// Each change returns what to do outside the lock. The state itself never runs a decoder and never waits for a disk:
/// bytes that need one of them wait in `content` until the consumer has taken them out.
struct BodyChannelState {
  typealias Piece = Result<[UInt8]?, LupineError>
  typealias End = Result<BodyEnd, LupineError>
  typealias Waiter = UnsafeContinuation<Void, Never>

  /// The bytes that have arrived.
  var content = BodyContent()
  /// The observers of the bytes as they arrived; empty once the observers have received the end.
  var tees: [BodyTee] = []
  /// Resumes the transport.
  ///
  /// Released at the end, because it may hold the exchange.
  var resume: (@Sendable () -> Void)?
  private(set) var hasBegun = false
  private var isOpen = false
  private(set) var isAbandoned = false
  private var isSuspended = false
  var isPaused = false
  /// The end that the transport reported, or a failure.
  var ending: End?
  /// Whether all bytes before the end have been processed.
  var isSettled = false
  /// The error of a stage, a file or a limit; the transport then ends the body.
  private var fault: LupineError?
  /// The reason for a cancellation that the transport has received; the transport then ends the body.
  private var cancellation: LupineError?
  /// The consumers that wait for bytes or for the end; usually one.
  var waiters: [Waiter] = []
  var listeners = BodyEndListeners()

  /// Begins the body; returns false if the state already has one.
  mutating func begin(resume: @escaping @Sendable () -> Void) -> Bool {
    guard !hasBegun else { return false }
    hasBegun = true
    self.resume = resume
    return true
  }

  /// Sets the destination of the body, including the bytes that have arrived; only the first call has an effect.
  mutating func open(_ sink: BodySink) -> Effects {
    guard !isOpen else { return Effects() }
    isOpen = true
    do throws(LupineError) {
      try content.open(sink, isProcessed: (sink.needsProcessing || !tees.isEmpty) && !isSettled)
      if !content.isProcessed { settleIfProcessed() }
      return effects(shouldResume: resumeIfRoom())
    } catch {
      return fail(processing: error)
    }
  }

  /// Adds an observer of the bytes; an observer that comes after `open` receives an error.
  mutating func add(_ tee: BodyTee) -> Effects {
    if isOpen { return Effects(unserved: ([tee], BodyTee.late)) }
    tees.append(tee)
    return effects()
  }

  /// The end of the body: a success after the consumer has taken the last byte, a failure at once.
  var finalEnd: End? {
    guard isSettled else { return nil }
    if case .failure = ending { return ending }
    return content.isDrained ? ending : nil
  }

  /// See `ResponseBody.gathered`.
  func gathered(limit: Int64) -> Data { content.gathered(limit: limit) }

  /// Whether a consumer takes the bytes as they arrive, or the destination is not known yet.
  var isStreamed: Bool { !isOpen || content.isStreamed }

  /// Whether only the consumer can make the body continue.
  var isHeldBack: Bool { ending != nil ? finalEnd == nil : isPaused || isCrowded }

  /// The final end, once its observers have received it.
  var visibleEnd: End? { listeners.isNotifying ? nil : finalEnd }

  /// The final end if it is a success.
  ///
  /// Cheaper than `visibleEnd`.
  var goodEnd: BodyEnd? {
    if isSettled, !listeners.isNotifying, content.isDrained, case .success(let end) = ending { end } else { nil }
  }

  /// Whether the transport continues to write.
  var flow: ResponseBodyWriter.Flow { isPaused ? .pause : .proceed }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    if let fault { throw fault }
    guard ending == nil, !isAbandoned else { return }
    try content.write(bytes)
    isPaused = isSuspended || isCrowded
  }

  mutating func write(_ data: Data) throws(LupineError) {
    if let fault { throw fault }
    guard ending == nil, !isAbandoned else { return }
    try content.write(data)
    isPaused = isSuspended || isCrowded
  }

  mutating func finish(trailers: HTTPFields?, metrics: TransferMetrics) {
    guard ending == nil else { return }
    if let fault { return fail(fault.measured(metrics)) }
    ending = .success(BodyEnd(data: Data(), byteCount: 0, trailers: trailers, metrics: metrics))
    settleIfProcessed()
    if let cancellation { cancel(cancellation, isForwarded: false) }
  }

  /// Ends the body with an error.
  ///
  /// After a failure of the connection, the bytes that wait are still processed. After a cancellation they are written
  /// if they go to a file, so that the download can be resumed after them, and dropped otherwise. The pieces of a
  /// streamed body that were already processed stay for its reader.
  mutating func fail(_ error: LupineError) {
    guard ending == nil else { return content.close() }
    ending = .failure(fault.map { error.metrics.map($0.measured) ?? $0 } ?? error)
    if error.endsBodyLocally, !content.hasFile { content.dropUnprocessed() }
    settleIfProcessed(isGivenUp: error.endsBodyLocally)
    content.close()
  }

  /// Drops the body; returns whether the paused transport may continue.
  private mutating func drop() -> Bool {
    isAbandoned = true
    content.abandon()
    settleIfProcessed()
    releaseFile()
    return resumeIfRoom()
  }

  /// Drops the body: no consumer takes the rest.
  mutating func abandon() -> Effects {
    let shouldResume = drop()
    return effects(shouldResume: shouldResume)
  }

  /// Cancels the body, including one that the transport has ended if some bytes still wait for the consumer.
  ///
  /// - Parameter isForwarded: whether the transport has received the cancellation and ends a body that is not complete.
  mutating func cancel(_ error: LupineError, isForwarded: Bool) {
    guard finalEnd == nil else { return }
    if case .failure = ending { return }
    guard ending != nil || !isForwarded else { return cancellation = error }
    let arrived: BodyEnd? = if case .success(let end) = ending { end } else { nil }
    ending = nil
    isSettled = false
    fail(arrived.map { error.measured($0.metrics) } ?? error)
  }

  mutating func end(orWaitWith continuation: UnsafeContinuation<End, Never>) -> End? {
    if let visibleEnd { return visibleEnd }
    listeners.add(continuation)
    return nil
  }

  /// Adds an observer that receives the end before the waiters; returns the end if the body has ended.
  mutating func add(_ observer: @escaping @Sendable (End) -> Void) -> End? {
    if let finalEnd { return finalEnd }
    listeners.add(observer)
    return nil
  }

  /// Returns the closure that resumes the transport, if it may continue.
  mutating func setSuspended(_ isSuspended: Bool) -> (@Sendable () -> Void)? {
    self.isSuspended = isSuspended
    return ending == nil && resumeIfRoom() ? resume : nil
  }

  /// Drops the body of an exchange that is over, unless the body has ended and some bytes wait for a reader.
  mutating func endExchange() -> Effects {
    let keepsBody = ending != nil && content.isStreamed
    let isWaiting = isPaused && ending == nil
    // A transport that waits for room continues, and then detects that there is no consumer.
    let mayGoOn = keepsBody ? false : drop() || isWaiting
    let resume = resume.take()
    var effects = effects()
    if mayGoOn { effects.resume = resume } else { effects.released = resume }
    return effects
  }

  /// Returns the consumers to wake after bytes have been written.
  mutating func takeWaiters() -> [Waiter] {
    guard !waiters.isEmpty else { return [] }
    return exchange(&waiters, with: [])
  }

  /// The effects of a change after which the body may have ended.
  mutating func effects(shouldResume: Bool = false) -> Effects {
    Effects(
      unserved: takeUnserved(), waiters: takeWaiters(), notification: takeNotification(),
      resume: shouldResume ? resume : nil,
      released: ending != nil && !shouldResume ? resume.take() : nil)
  }

  /// Returns the observers that no consumer passes the rest of the body to.
  private mutating func takeUnserved() -> (tees: [BodyTee], error: LupineError)? {
    guard !tees.isEmpty, !content.isRunning else { return nil }
    let isDropped = isAbandoned || !content.isProcessed
    let error: LupineError
    // After other failures the consumer still processes what came before.
    if isSettled || isAbandoned, case .failure(let failure) = ending, isDropped || failure.endsBodyLocally {
      error = failure
    } else if isDropped, let fault {
      error = fault
    } else if isAbandoned {
      error = BodyTee.unwanted
    } else {
      return nil
    }
    return (exchange(&tees, with: []), error)
  }
}

extension BodyChannelState {
  /// Returns the end and its listeners once the body has ended; if observers are among them, a call of
  /// `observersReturned()` must follow.
  mutating func takeNotification() -> BodyEndListeners.Notification? {
    guard listeners.mustNotify, let end = finalEnd else { return nil }
    return listeners.take(end)
  }

  /// Records that the observers have received the end; returns the waiters that came meanwhile.
  mutating func observersReturned() -> BodyEndListeners.Notification? {
    listeners.observersReturned()
    return takeNotification()
  }

  /// Whether the consumer must catch up before more bytes come.
  private var isCrowded: Bool { !isAbandoned && content.isFull }

  mutating func resumeIfRoom() -> Bool {
    guard isPaused, !isSuspended, !isCrowded, ending == nil else { return false }
    isPaused = false
    return true
  }

  /// Ends the body if its end is known and no bytes wait for the stages or the file.
  ///
  /// - Parameters:
  ///   - hasFinished: whether the stages have been finished.
  ///   - isGivenUp: whether this side ended the body, before its destination was known.
  mutating func settleIfProcessed(hasFinished: Bool = false, isGivenUp: Bool = false) {
    guard !isSettled, isOpen || isAbandoned || isGivenUp, ending != nil else { return }
    // A write that is under way ends first, so that the file does not change any more.
    if content.hasFile, content.isRunning { return }
    if content.isProcessed, !isAbandoned, !hasFinished {
      // The waiting bytes are processed first if they go to a file, if the body ended without an error, or if an
      // observed body failed with its exchange.
      guard case .failure(let error) = ending, !content.hasFile,
        tees.isEmpty || content.isStreamed || error.endsBodyLocally
      else { return }
    }
    isSettled = true
    // Taken out, so that the end is not copied.
    switch ending.take() {
    case .success(var end):
      end.data = content.takeCollected()
      end.byteCount = content.byteCount
      ending = .success(end)
    case let failure: ending = failure
    }
    content.close()
  }

  /// Closes the file once nothing more is written to it, so that another download can take it over.
  mutating func releaseFile() {
    if isSettled || isAbandoned { content.closeFile() }
  }

  /// Fails the body with the error of a stage, a file or a limit; the exchange is cancelled if it is still running.
  mutating func fail(processing error: LupineError) -> Effects {
    content.dropUnprocessed()
    guard let ending else {
      fault = error
      let mayResume = isPaused && !isSuspended
      isPaused = isSuspended
      var effects = effects(shouldResume: mayResume)
      effects.fault = error
      return effects
    }
    if case .success(let end) = ending { self.ending = .failure(error.measured(end.metrics)) }
    isSettled = true
    content.close()
    return effects()
  }
}
