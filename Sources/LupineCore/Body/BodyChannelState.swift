import FoundationEssentials
import HTTPTypes
import LupineSupport

/// The state of a `BodyChannel`.
///
/// Each change returns what to resume outside the lock.
struct BodyChannelState {
  typealias Piece = Result<[UInt8]?, LupineError>
  typealias End = Result<BodyEnd, LupineError>

  /// The stages of a body that has any.
  ///
  /// Stored indirectly: most bodies have none.
  private var decoding: CopyOnWrite<BodyDecoding>?
  private var target = BodyTarget(.discard(limit: 0))
  /// Resumes the transport.
  ///
  /// Released at the end, because it may hold the exchange.
  private(set) var resume: (@Sendable () -> Void)?
  private var isBegun = false
  private var isAbandoned = false
  private var isSuspended = false
  private var isPaused = false
  private var ending: End?
  /// The reason for a cancellation that the transport has received.
  ///
  /// The transport then ends the body.
  private var cancellation: LupineError?
  private var reader: UnsafeContinuation<Piece, Never>?
  /// The observers and waiters of the end; `nil` if there are none.
  private var listeners: Listeners?
  /// Whether observers are receiving the end.
  ///
  /// Until they have, the end is not visible to waiters.
  private var isTelling = false

  /// Begins the body; returns false if the state already has one.
  mutating func begin(_ sink: BodySink, resume: @escaping @Sendable () -> Void) -> Bool {
    guard !isBegun else { return false }
    isBegun = true
    self.resume = resume
    if !sink.stages.isEmpty { decoding = CopyOnWrite(BodyDecoding(sink.stages)) }
    target = BodyTarget(sink.destination)
    return true
  }

  /// The end of the body: a success after the consumer has taken the last byte, a failure at once.
  var finalEnd: End? {
    if case .failure = ending { return ending }
    return target.isDrained ? ending : nil
  }

  /// See `ResponseBody.gathered`.
  func gathered(limit: Int64) -> Data { target.gathered(limit: limit) }

  /// Whether the transport or a failure has ended the body, even if some bytes still wait for the consumer.
  var hasEnding: Bool { ending != nil || decoding?.value.arrived != nil }

  /// Whether a consumer takes the bytes as they arrive.
  var isStreamed: Bool { target.isStreamed }

  /// Whether only the reader can make the body continue.
  var isHeldBack: Bool { hasEnding ? finalEnd == nil : isPaused }

  /// The final end, once its observers have received it.
  var toldEnd: End? { isTelling ? nil : finalEnd }

  /// The final end if it is a success.
  ///
  /// Cheaper than `toldEnd`.
  var goodEnd: BodyEnd? {
    if !isTelling, target.isDrained, case .success(let end) = ending { end } else { nil }
  }

  /// Whether the transport continues to write.
  var flow: ResponseBodyWriter.Flow { isPaused ? .pause : .proceed }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    guard ending == nil, !isAbandoned else { return }
    if decoding == nil {
      try target.take(bytes)
    } else {
      try decoding?.value.take(bytes, into: &target)
    }
    isPaused = isSuspended || isCrowded
  }

  mutating func write(_ data: Data) throws(LupineError) {
    guard ending == nil, !isAbandoned else { return }
    if decoding == nil, try target.keep(data) {
      isPaused = isSuspended
      return
    }
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in try write(bytes) }
    }
    try result.get()
  }

  mutating func finish(trailers: HTTPFields?, metrics: TransferMetrics) {
    guard ending == nil else { return }
    let end = BodyEnd(data: Data(), byteCount: 0, trailers: trailers, metrics: metrics)
    if isUndecoded { decoding?.value.arrived = end } else { complete(end) }
    if let cancellation { cancel(cancellation, isTold: false) }
  }

  /// Drops the body; returns whether the paused transport may continue.
  mutating func abandon() -> Bool {
    isAbandoned = true
    decoding?.value.drop()
    target.abandon()
    completeIfDecoded()
    return resumeIfRoom()
  }

  mutating func fail(_ error: LupineError) {
    if ending == nil { ending = .failure(error) }
    if error.givesUp { decoding?.value.drop() }
    target.close()
  }

  /// Cancels the body, including one that the transport has ended if some bytes still wait for the consumer.
  ///
  /// - Parameter isTold: whether the transport has received the cancellation and ends a body that is not complete.
  mutating func cancel(_ error: LupineError, isTold: Bool) {
    guard finalEnd == nil else { return }
    guard hasEnding || !isTold else { return cancellation = error }
    let arrived = if case .success(let end) = ending { end } else { decoding?.value.arrived }
    ending = nil
    fail(arrived.map { error.measured($0.metrics) } ?? error)
  }

  /// Returns the next piece if one is available, and whether the transport may continue.
  mutating func next() -> (Piece?, shouldResume: Bool) {
    target.reclaim()
    catchUp()
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

  /// Returns whether the paused transport may continue.
  mutating func setSuspended(_ isSuspended: Bool) -> Bool {
    self.isSuspended = isSuspended
    return hasEnding ? false : resumeIfRoom()
  }

  /// Returns the closure that resumes a waiting reader, if there is something for it.
  mutating func takeReader() -> (@Sendable () -> Void)? {
    guard let reader else { return nil }
    guard let piece = next().0 else { return nil }
    self.reader = nil
    return { reader.resume(returning: piece) }
  }

  /// Returns the effects of written bytes.
  ///
  /// A waiting reader may take them at once, which makes room again.
  mutating func hasWritten() -> (ResponseBodyWriter.Flow, wake: (@Sendable () -> Void)?) {
    let wake = takeReader()
    return (flow, wake)
  }

  /// The effects of the end of a body, and the values to release outside the lock.
  ///
  /// A separate type, because a closure in a tuple would be allocated.
  struct Settlement {
    let wake: (@Sendable () -> Void)?
    let audience: Audience?
    let resume: (@Sendable () -> Void)?
  }

  mutating func settle() -> Settlement {
    Settlement(wake: takeReader(), audience: takeAudience(), resume: hasEnding ? resume.take() : nil)
  }

  /// Drops the body of an exchange that is over, unless the body has ended and some bytes wait for the consumer.
  mutating func leave() -> Settlement {
    let mayGoOn = hasEnding ? false : abandon()
    let resume = resume.take()
    return Settlement(wake: mayGoOn ? resume : nil, audience: takeAudience(), resume: resume)
  }

  /// Returns the closure that resumes a waiting reader, and whether the transport may continue.
  mutating func deliver() -> ((@Sendable () -> Void)?, shouldResume: Bool) {
    guard let reader else { return (nil, false) }
    let (piece, shouldResume) = next()
    guard let piece else { return (nil, shouldResume) }
    self.reader = nil
    return ({ reader.resume(returning: piece) }, shouldResume)
  }

  /// The receivers of the end: first the observers, then the waiters.
  struct Audience {
    let end: End
    let listeners: Listeners
  }

  struct Listeners {
    var observers: [@Sendable (End) -> Void] = []
    var waiters: [UnsafeContinuation<End, Never>] = []
  }

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
  private var isCrowded: Bool { target.isFull || isUndecoded }

  private var isUndecoded: Bool { decoding?.value.isWaiting == true }

  private mutating func resumeIfRoom() -> Bool {
    guard isPaused, !isSuspended, !isCrowded, ending == nil else { return false }
    isPaused = false
    return true
  }

  /// Decodes the waiting bytes as far as there is room, also for a body that has failed.
  private mutating func catchUp() {
    guard isUndecoded, !target.isFull else { return }
    do throws(LupineError) {
      try decoding?.value.catchUp(into: &target)
      completeIfDecoded()
    } catch {
      decoding?.value.drop()
      if ending == nil { ending = .failure(decoding?.value.arrived.map { error.measured($0.metrics) } ?? error) }
    }
  }

  /// Ends the body once the transport has ended it and all bytes are decoded.
  private mutating func completeIfDecoded() {
    if ending == nil, !isUndecoded, let arrived = decoding?.value.arrived { complete(arrived) }
  }

  /// - Parameter end: the end that the transport reported.
  private mutating func complete(_ end: consuming BodyEnd) {
    do throws(LupineError) {
      if decoding != nil, !isAbandoned { try decoding?.value.finish(into: &target) }
      end.data = target.takeCollected()
      end.byteCount = target.byteCount
      ending = .success(end)
    } catch {
      ending = .failure(error.measured(end.metrics))
    }
    target.close()
  }
}

extension LupineError {
  /// Whether this side ended the body, so that the rest is not decoded.
  ///
  /// After other failures it is.
  fileprivate var givesUp: Bool {
    switch kind {
    case .cancelled, .timedOut, .sessionShutDown: true
    default: false
    }
  }
}
