import FoundationEssentials
import HTTPTypes
import LupineSupport

/// The state of a `BodyChannel`.
///
/// Each change returns what to do outside the lock. The state itself never runs a decoder and never waits for a disk:
/// bytes that need one of them wait in `processing` until the consumer has taken them out.
struct BodyChannelState {
  typealias Piece = Result<[UInt8]?, LupineError>
  typealias End = Result<BodyEnd, LupineError>
  typealias Waiter = UnsafeContinuation<Void, Never>

  /// The bytes in memory.
  private var target = BodyTarget()
  /// The stages and the file of a body that has any, with the bytes that wait for them.
  ///
  /// Stored indirectly: most bodies have none.
  private var processing: CopyOnWrite<BodyProcessing>?
  /// The observers of the bytes as they arrived; empty once the observers have received the end.
  private var tees: [BodyTee] = []
  /// Resumes the transport.
  ///
  /// Released at the end, because it may hold the exchange.
  private var resume: (@Sendable () -> Void)?
  private var isBegun = false
  private var isOpen = false
  private(set) var isAbandoned = false
  private var isSuspended = false
  private var isPaused = false
  /// The end that the transport reported, or a failure.
  private var ending: End?
  /// Whether all bytes before the end have been processed.
  private var isSettled = false
  /// The error of a stage, a file or a limit; the transport then ends the body.
  private var fault: LupineError?
  /// The reason for a cancellation that the transport has received; the transport then ends the body.
  private var cancellation: LupineError?
  /// The consumers that wait for bytes or for the end; usually one.
  private var waiters: [Waiter] = []
  /// The observers and waiters of the end; `nil` if there are none.
  private var listeners: Listeners?
  /// Whether observers are receiving the end.
  ///
  /// Until they have, the end is not visible to waiters.
  private var isTelling = false

  /// Begins the body; returns false if the state already has one.
  mutating func begin(resume: @escaping @Sendable () -> Void) -> Bool {
    guard !isBegun else { return false }
    isBegun = true
    self.resume = resume
    return true
  }

  var hasBegun: Bool { isBegun }

  /// Sets the destination of the body, including the bytes that have arrived; only the first call has an effect.
  mutating func open(_ sink: BodySink) -> Effects {
    guard !isOpen else { return Effects() }
    isOpen = true
    do throws(LupineError) {
      if sink.needsProcessing || !tees.isEmpty, !isSettled {
        processing = CopyOnWrite(try BodyProcessing(sink, early: target.takeEarly()))
        target.become(sink.destination)
      } else {
        target.become(sink.destination)
        try target.checkLimit()
        settleIfProcessed()
      }
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
    return target.isDrained ? ending : nil
  }

  /// See `ResponseBody.gathered`.
  func gathered(limit: Int64) -> Data { target.gathered(limit: limit) }

  /// Whether a consumer takes the bytes as they arrive, or the destination is not known yet.
  var isStreamed: Bool { !isOpen || target.isStreamed }

  /// Whether only the consumer can make the body continue.
  var isHeldBack: Bool { ending != nil ? finalEnd == nil : isPaused || isCrowded }

  /// The final end, once its observers have received it.
  var toldEnd: End? { isTelling ? nil : finalEnd }

  /// The final end if it is a success.
  ///
  /// Cheaper than `toldEnd`.
  var goodEnd: BodyEnd? {
    if isSettled, !isTelling, target.isDrained, case .success(let end) = ending { end } else { nil }
  }

  /// Whether the transport continues to write.
  var flow: ResponseBodyWriter.Flow { isPaused ? .pause : .proceed }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    if let fault { throw fault }
    guard ending == nil, !isAbandoned else { return }
    if processing == nil {
      try target.take(bytes)
    } else {
      processing?.value.raw.append(contentsOf: bytes)
    }
    isPaused = isSuspended || isCrowded
  }

  mutating func write(_ data: Data) throws(LupineError) {
    if fault == nil, ending == nil, !isAbandoned, processing == nil, try target.keep(data) {
      isPaused = isSuspended || isCrowded
      return
    }
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in try write(bytes) }
    }
    try result.get()
  }

  mutating func finish(trailers: HTTPFields?, metrics: TransferMetrics) {
    guard ending == nil else { return }
    if let fault { return fail(fault.measured(metrics)) }
    ending = .success(BodyEnd(data: Data(), byteCount: 0, trailers: trailers, metrics: metrics))
    settleIfProcessed()
    if let cancellation { cancel(cancellation, isTold: false) }
  }

  /// Ends the body with an error.
  ///
  /// After a failure of the connection, the bytes that wait are still processed. After a cancellation they are written
  /// if they go to a file, so that the download can be resumed after them, and dropped otherwise.
  mutating func fail(_ error: LupineError) {
    guard ending == nil else { return target.close() }
    ending = .failure(fault.map { error.metrics.map($0.measured) ?? $0 } ?? error)
    if error.givesUp, processing?.value.hasFile != true { processing?.value.drop() }
    settleIfProcessed(isGivenUp: error.givesUp)
    target.close()
  }

  /// Drops the body; returns whether the paused transport may continue.
  private mutating func drop() -> Bool {
    isAbandoned = true
    processing?.value.drop()
    target.abandon()
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
  /// - Parameter isTold: whether the transport has received the cancellation and ends a body that is not complete.
  mutating func cancel(_ error: LupineError, isTold: Bool) {
    guard finalEnd == nil else { return }
    if case .failure = ending { return }
    guard ending != nil || !isTold else { return cancellation = error }
    let arrived: BodyEnd? = if case .success(let end) = ending { end } else { nil }
    ending = nil
    isSettled = false
    fail(arrived.map { error.measured($0.metrics) } ?? error)
  }

  /// Returns the next step of the reader of a streamed body, and the closure that resumes the transport.
  mutating func next() -> (Step, resume: (@Sendable () -> Void)?) {
    target.reclaim()
    if let piece = target.takePiece() { return (.deliver(.success(piece)), resumeIfRoom() ? resume : nil) }
    // After a failure, the reader still gets what came before it.
    if let work = takeWork() { return (.process(work), resumeIfRoom() ? resume : nil) }
    if isSettled, let ending { return (.deliver(ending.map { _ in nil }), nil) }
    return (.wait, resumeIfRoom() ? resume : nil)
  }

  /// Returns the next step of a task that awaits the end of a body, and the closure that resumes the transport.
  ///
  /// A streamed body is processed by its reader alone.
  mutating func nextBeforeEnd() -> (Step, resume: (@Sendable () -> Void)?) {
    guard !isSettled, let processing, !target.isStreamed, !processing.value.isRunning else { return (.leave, nil) }
    return (takeWork().map { .process($0) } ?? .wait, resumeIfRoom() ? resume : nil)
  }

  /// Takes out the bytes that wait for the stages or the file.
  private mutating func takeWork() -> BodyWork? {
    processing?.value.take(before: ending, tees)
  }

  /// Returns the next step until the bytes that have arrived are in the file.
  mutating func nextForFile() -> Step {
    guard let processing, processing.value.hasFile else { return .leave }
    if processing.value.isRunning { return .wait }
    return processing.value.raw.isEmpty ? .leave : takeWork().map { .process($0) } ?? .leave
  }

  /// Stores a piece that the stages have produced; returns whether there is room for more.
  mutating func store(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> Bool {
    try target.take(bytes)
    return !target.isFull
  }

  /// Ends a step of processing.
  mutating func putBack(_ work: consuming BodyWork, _ error: LupineError?) -> Effects {
    if work.processor.hasFile { target.count(work.processor.byteCount) }
    let isLast = work.isLast
    if isLast || error != nil { tees = [] }
    processing?.value.putBack(work)
    if isAbandoned { processing?.value.drop() }
    defer { releaseFile() }
    if let error { return fail(processing: error) }
    if isLast || isAbandoned { settleIfProcessed(hasFinished: isLast) }
    return effects(shouldResume: resumeIfRoom())
  }

  /// Adds a consumer that waits; returns false if there is something to do for it.
  mutating func wait(_ waiter: Waiter) -> Bool {
    let isRunning = processing?.value.isRunning == true
    guard isRunning || (!isSettled && target.isDrained && processing?.value.canBeTaken(before: ending) != true) else {
      return false
    }
    waiters.append(waiter)
    return true
  }

  mutating func end(orWaitWith continuation: UnsafeContinuation<End, Never>) -> End? {
    if let toldEnd { return toldEnd }
    hear { $0.waiters.append(continuation) }
    return nil
  }

  /// Adds an observer that receives the end before the waiters; returns the end if the body has ended.
  mutating func add(_ observer: @escaping @Sendable (End) -> Void) -> End? {
    if let finalEnd { return finalEnd }
    hear { $0.observers.append(observer) }
    return nil
  }

  private mutating func hear(_ add: (inout Listeners) -> Void) {
    var changed = listeners.take() ?? Listeners()
    add(&changed)
    listeners = changed
  }

  /// Returns the closure that resumes the transport, if it may continue.
  mutating func setSuspended(_ isSuspended: Bool) -> (@Sendable () -> Void)? {
    self.isSuspended = isSuspended
    return ending == nil && resumeIfRoom() ? resume : nil
  }

  /// Drops the body of an exchange that is over, unless the body has ended and some bytes wait for a reader.
  mutating func leave() -> Effects {
    let keepsBody = ending != nil && target.isStreamed
    let isWaiting = isPaused && ending == nil
    // A transport that waits for room learns that there is no consumer any more.
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
      unserved: takeUnserved(), waiters: takeWaiters(), audience: takeAudience(), resume: shouldResume ? resume : nil,
      released: ending != nil && !shouldResume ? resume.take() : nil)
  }

  /// Returns the observers that no consumer passes the rest of the body to.
  private mutating func takeUnserved() -> (tees: [BodyTee], error: LupineError)? {
    guard !tees.isEmpty, processing?.value.isRunning != true else { return nil }
    let isDropped = isAbandoned || processing == nil
    let error: LupineError
    // After other failures the consumer still processes what came before.
    if isSettled || isAbandoned, case .failure(let failure) = ending, isDropped || failure.givesUp {
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
  /// Returns the receivers of the end once the body has ended; if observers are among them, a call of `hasTold` must
  /// follow.
  mutating func takeAudience() -> Audience? {
    guard !isTelling, listeners != nil, let end = finalEnd, let listeners = listeners.take() else { return nil }
    isTelling = !listeners.observers.isEmpty
    return Audience(end: end, listeners: listeners)
  }

  /// Records that the observers have received the end; returns the waiters that came meanwhile.
  mutating func hasTold() -> Audience? {
    isTelling = false
    return takeAudience()
  }

  /// Whether the consumer must catch up before more bytes come.
  private var isCrowded: Bool { !isAbandoned && (target.isFull || processing?.value.isFull == true) }

  private mutating func resumeIfRoom() -> Bool {
    guard isPaused, !isSuspended, !isCrowded, ending == nil else { return false }
    isPaused = false
    return true
  }

  /// Ends the body if its end is known and no bytes wait for the stages or the file.
  ///
  /// - Parameters:
  ///   - hasFinished: whether the stages have been finished.
  ///   - isGivenUp: whether this side ended the body, before its destination was known.
  private mutating func settleIfProcessed(hasFinished: Bool = false, isGivenUp: Bool = false) {
    guard let ending, !isSettled, isOpen || isAbandoned || isGivenUp else { return }
    // A write that is under way ends first, so that the file does not change any more.
    if let processing, processing.value.hasFile, processing.value.isRunning { return }
    if let processing, !isAbandoned, !hasFinished {
      // The consumer of a file or of a good end processes the bytes that wait first, and so does that of an observed
      // body whose exchange failed.
      guard case .failure(let error) = ending, !processing.value.hasFile,
        tees.isEmpty || target.isStreamed || error.givesUp
      else { return }
    }
    isSettled = true
    if case .success(var end) = ending {
      end.data = target.takeCollected()
      end.byteCount = target.byteCount
      self.ending = .success(end)
    }
    target.close()
  }

  /// Closes the file once nothing more is written to it, so that another download can take it over.
  private mutating func releaseFile() {
    guard isSettled || isAbandoned, let processing, processing.value.hasFile, !processing.value.isRunning else {
      return
    }
    self.processing?.value.close()
    self.processing = nil
  }

  /// Fails the body with the error of a stage, a file or a limit; the exchange is cancelled if it is still running.
  private mutating func fail(processing error: LupineError) -> Effects {
    processing?.value.drop()
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
    target.close()
    return effects()
  }
}
