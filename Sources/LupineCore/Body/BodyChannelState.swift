import HTTPTypes
import LupineFoundation
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
  var buffer = BodyBuffer()
  /// The stages and the file of a body that has any, with the bytes that wait for them or for observers.
  ///
  /// Stored indirectly: most bodies have none.
  var processing: CopyOnWrite<BodyProcessing>?
  /// The observers of the bytes as they arrived; empty once the observers have received the end.
  var tees: [BodyTee] = []
  /// The stages before those of the sink.
  var stages: [any BodyTransformer] = []
  /// Resumes the transport.
  ///
  /// Released at the end, because it may hold the exchange.
  var resume: (@Sendable () -> Void)?
  private(set) var hasBegun = false
  private var isOpen = false
  private(set) var isAbandoned = false
  private var isSuspended = false
  private var isPaused = false
  /// The end that the transport reported, or a failure.
  private(set) var reportedEnd: End?
  /// Whether `reportedEnd` has the content of a complete body, which no buffer, stage or file has taken yet.
  private var hasWholeContent = false
  /// Whether `reportedEnd` is final: all bytes before it have been processed.
  private(set) var hasEnded = false
  /// The error of a stage, a file or a limit; the transport then ends the body.
  private var fault: LupineError?
  /// The reason for a cancellation that the transport has received; the transport then ends the body.
  private var cancellation: LupineError?
  /// The consumers that wait for bytes or for the end; usually one.
  var waiters: [Waiter] = []
  private var listeners = BodyEndListeners()

  /// Begins the body; returns false if the state already has one.
  mutating func begin(resume: (@Sendable () -> Void)?) -> Bool {
    guard !hasBegun else { return false }
    hasBegun = true
    self.resume = resume
    return true
  }

  /// Begins a body that is complete; returns false if the state already has one.
  mutating func begin(_ end: BodyEnd) -> Bool {
    guard !hasBegun else { return false }
    hasBegun = true
    reportedEnd = .success(end)
    hasWholeContent = true
    return true
  }

  /// Sets the destination of the body, including the bytes that have arrived; only the first call has an effect.
  mutating func open(_ sink: BodySink) -> Effects {
    guard !isOpen else { return Effects() }
    isOpen = true
    var sink = sink
    if !stages.isEmpty, !sink.isDiscarding { sink.stages = stages + sink.stages }
    if hasWholeContent {
      if isTaken(by: sink) {
        hasEnded = true
        return effects()
      }
      moveWholeContent()
    }
    do throws(LupineError) {
      let isProcessed = (sink.needsProcessing || !tees.isEmpty) && !hasEnded
      if isProcessed { processing = CopyOnWrite(try BodyProcessing(sink, early: buffer.takeEarly())) }
      buffer.open(sink.destination)
      if !isProcessed {
        try buffer.checkLimit()
        finishIfProcessed()
      }
      return effects(shouldResume: resumeIfRoom())
    } catch {
      return fail(processing: error)
    }
  }

  /// Whether a sink takes the whole content as it is.
  private func isTaken(by sink: BodySink) -> Bool {
    guard case .collect(let limit) = sink.destination, sink.stages.isEmpty, tees.isEmpty, !hasEnded,
      case .success(let end) = reportedEnd
    else { return false }
    // A consumer expects indices from 0.
    return end.byteCount <= limit && end.data.startIndex == 0
  }

  /// Moves the content of a complete body to the buffer, as if it had been written.
  private mutating func moveWholeContent() {
    guard hasWholeContent else { return }
    hasWholeContent = false
    guard !hasEnded, case .success(let end) = reportedEnd else { return }
    buffer.fill(with: end.data)
    reportedEnd = .success(BodyEnd(trailers: end.trailers, metrics: end.metrics))
  }

  /// Adds an observer of the bytes; an observer that comes after `open` receives an error.
  mutating func add(_ tee: BodyTee) -> Effects {
    if isOpen { return Effects(unserved: ([tee], BodyTee.late)) }
    tees.append(tee)
    return effects()
  }

  /// See `ResponseBody.gathered`.
  func gathered(limit: Int64) -> Data { buffer.gathered(limit: limit) }

  /// Whether a consumer takes the bytes as they arrive, or the destination is not known yet.
  var isStreamed: Bool { !isOpen || buffer.isStreamed }

  /// Whether only the consumer can make the body continue.
  var isHeldBack: Bool { reportedEnd != nil ? finalEnd == nil : isPaused || isCrowded }

  /// Whether the transport continues to write.
  var flow: ResponseBodyWriter.Flow { isPaused ? .pause : .proceed }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    if let fault { throw fault }
    guard reportedEnd == nil, !isAbandoned else { return }
    if processing == nil {
      try buffer.append(bytes)
    } else {
      processing?.value.raw.append(contentsOf: bytes)
    }
    isPaused = isSuspended || isCrowded
  }

  /// Returns the closure that resumes the transport, if it may continue.
  mutating func setSuspended(_ isSuspended: Bool) -> (@Sendable () -> Void)? {
    self.isSuspended = isSuspended
    return reportedEnd == nil && resumeIfRoom() ? resume : nil
  }

  /// Whether the consumer must catch up before more bytes come.
  private var isCrowded: Bool { !isAbandoned && (buffer.isFull || processing?.value.isFull == true) }

  mutating func resumeIfRoom() -> Bool {
    guard isPaused, !isSuspended, !isCrowded, reportedEnd == nil else { return false }
    isPaused = false
    return true
  }
}

// The end
extension BodyChannelState {
  /// The end of the body: a success after the consumer has taken the last byte, a failure at once.
  var finalEnd: End? {
    guard hasEnded else { return nil }
    if case .failure = reportedEnd { return reportedEnd }
    return buffer.isDrained ? reportedEnd : nil
  }

  /// The final end, once its observers have received it.
  var announcedEnd: End? { listeners.isNotifying ? nil : finalEnd }

  /// The final end if it is a success.
  ///
  /// Cheaper than `announcedEnd`.
  var goodEnd: BodyEnd? {
    if hasEnded, !listeners.isNotifying, buffer.isDrained, case .success(let end) = reportedEnd { end } else { nil }
  }

  /// Ends the body after all of it has been written.
  mutating func finish(trailers: HTTPFields?, metrics: TransferMetrics) {
    guard reportedEnd == nil else { return }
    if let fault { return fail(fault.measured(metrics)) }
    reportedEnd = .success(BodyEnd(trailers: trailers, metrics: metrics))
    finishIfProcessed()
    if let cancellation { cancel(cancellation, isForwarded: false) }
  }

  /// Ends the body with an error.
  ///
  /// After a failure of the connection, the bytes that wait are still processed if they go to a stream, a file or an
  /// observer. After a cancellation they are written if they go to a file, so that the download can be resumed after
  /// them, and dropped otherwise. The pieces of a streamed body that were already processed stay for its reader.
  mutating func fail(_ error: LupineError) {
    guard reportedEnd == nil else { return buffer.close() }
    reportedEnd = .failure(fault.map { error.metrics.map($0.measured) ?? $0 } ?? error)
    if error.endsBodyLocally, !hasFile { processing?.value.abandon() }
    finishIfProcessed(isGivenUp: error.endsBodyLocally)
    buffer.close()
  }

  /// Fails the body with the error of a stage, a file or a limit; the exchange is cancelled if it is still running.
  mutating func fail(processing error: LupineError) -> Effects {
    processing?.value.abandon()
    guard let reportedEnd else {
      fault = error
      let mayResume = isPaused && !isSuspended
      isPaused = isSuspended
      var effects = effects(shouldResume: mayResume)
      effects.fault = error
      return effects
    }
    if case .success(let end) = reportedEnd { self.reportedEnd = .failure(error.measured(end.metrics)) }
    hasEnded = true
    buffer.close()
    return effects()
  }

  /// Cancels the body, including one that the transport has ended if some bytes still wait for the consumer.
  ///
  /// - Parameter isForwarded: whether the transport has received the cancellation and ends a body that is not complete.
  mutating func cancel(_ error: LupineError, isForwarded: Bool) {
    guard finalEnd == nil else { return }
    if case .failure = reportedEnd { return }
    guard reportedEnd != nil || !isForwarded else { return cancellation = error }
    moveWholeContent()
    let arrived: BodyEnd? = if case .success(let end) = reportedEnd { end } else { nil }
    reportedEnd = nil
    hasEnded = false
    fail(arrived.map { error.measured($0.metrics) } ?? error)
  }

  /// Drops the body: no consumer takes the rest.
  mutating func abandon() -> Effects {
    moveWholeContent()
    isAbandoned = true
    processing?.value.abandon()
    buffer.abandon()
    finishIfProcessed()
    closeFile()
    return effects(shouldResume: resumeIfRoom())
  }

  /// Drops the body of an exchange that is over, unless the body has ended and some bytes wait for a reader.
  mutating func finishExchange() -> Effects {
    let keepsBody = reportedEnd != nil && buffer.isStreamed
    let isWaiting = isPaused && reportedEnd == nil
    let resume = resume.take()
    var effects = keepsBody ? effects() : abandon()
    // A transport that waits for room continues, and then detects that there is no consumer.
    if !keepsBody, isWaiting { effects.resume = resume } else { effects.released = resume }
    return effects
  }

  /// Ends the body if its end is known and no bytes wait for the stages or the file.
  ///
  /// - Parameters:
  ///   - hasFinished: whether the stages have been finished.
  ///   - isGivenUp: whether this side ended the body, which then ends even without a destination.
  mutating func finishIfProcessed(hasFinished: Bool = false, isGivenUp: Bool = false) {
    guard !hasEnded, isOpen || isAbandoned || isGivenUp, reportedEnd != nil else { return }
    // A write that is under way ends first, so that the file does not change any more.
    if hasFile, isProcessing { return }
    if processing != nil, !isAbandoned, !hasFinished {
      // The waiting bytes are processed first if they go to a file, if the body ended without an error, or if an
      // observed body failed with its exchange.
      guard case .failure(let error) = reportedEnd, !hasFile, tees.isEmpty || buffer.isStreamed || error.endsBodyLocally
      else { return }
    }
    hasEnded = true
    // Taken out, so that the end is not copied.
    switch reportedEnd.take() {
    case .success(var end):
      end.data = buffer.takeCollected()
      end.byteCount = buffer.byteCount
      reportedEnd = .success(end)
    case let failure: reportedEnd = failure
    }
    buffer.close()
  }

  /// Closes the file once nothing more is written to it, so that another download can take it over.
  mutating func closeFile() {
    guard hasEnded || isAbandoned, hasFile, !isProcessing else { return }
    processing?.value.close()
    processing = nil
  }
}

// The listeners of the end
extension BodyChannelState {
  mutating func end(orWaitWith continuation: UnsafeContinuation<End, Never>) -> End? {
    if let announcedEnd { return announcedEnd }
    listeners.add(continuation)
    return nil
  }

  /// Adds an observer that receives the end before the waiters; returns the end if the body has ended.
  mutating func add(_ observer: @escaping BodyEndListeners.Observer) -> End? {
    if let finalEnd { return finalEnd }
    listeners.add(observer)
    return nil
  }

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
}

// The effects of a change
extension BodyChannelState {
  /// The work that the caller does outside the lock.
  struct Effects {
    /// The observers of the bytes whose body has no consumer left, and the error that they receive.
    var unserved: (tees: [BodyTee], error: LupineError)?
    var waiters: [Waiter] = []
    var notification: BodyEndListeners.Notification?
    /// Resumes the transport.
    var resume: (@Sendable () -> Void)?
    /// A closure that is only released.
    var released: (@Sendable () -> Void)?
    /// The error with which the exchange is to be cancelled.
    var fault: LupineError?
  }

  /// The effects of a change after which the body may have ended.
  mutating func effects(shouldResume: Bool = false) -> Effects {
    Effects(
      unserved: takeUnserved(), waiters: takeWaiters(), notification: takeNotification(),
      resume: shouldResume ? resume : nil,
      released: reportedEnd != nil && !shouldResume ? resume.take() : nil)
  }

  /// Returns the consumers to wake after bytes have been written.
  mutating func takeWaiters() -> [Waiter] {
    guard !waiters.isEmpty else { return [] }
    return exchange(&waiters, with: [])
  }

  /// Returns the observers that no consumer passes the rest of the body to.
  private mutating func takeUnserved() -> (tees: [BodyTee], error: LupineError)? {
    guard !tees.isEmpty, !isProcessing else { return nil }
    let isUnprocessed = isAbandoned || processing == nil
    let error: LupineError
    // After other failures the consumer still processes what came before.
    if hasEnded || isAbandoned, case .failure(let failure) = reportedEnd, isUnprocessed || failure.endsBodyLocally {
      error = failure
    } else if isUnprocessed, let fault {
      error = fault
    } else if isAbandoned {
      error = BodyTee.unwanted
    } else {
      return nil
    }
    return (exchange(&tees, with: []), error)
  }
}
