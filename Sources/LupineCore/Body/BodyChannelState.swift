import FoundationEssentials
import HTTPTypes
import LupineSupport

/// What a `BodyChannel` knows; each change says whom to wake.
struct BodyChannelState {
  typealias Piece = Result<[UInt8]?, LupineError>
  typealias End = Result<BodyEnd, LupineError>

  /// What a body passes through first, where it does; behind a pointer that others have not.
  private var decoding: CopyOnWrite<BodyDecoding>?
  private var target = BodyTarget(.discard(limit: 0))
  /// What lets the transport go on, which is let go of with the end: it may hold the exchange.
  private(set) var resume: (@Sendable () -> Void)?
  private var isBegun = false
  private var isAbandoned = false
  private var isSuspended = false
  private var isPaused = false
  private var ending: End?
  /// Why its own side has given the body up, which the transport has been told and ends it for.
  private var cancellation: LupineError?
  private var reader: UnsafeContinuation<Piece, Never>?
  /// Who waits for the end, of a body that has any.
  private var listeners: Listeners?
  /// Whether observers hear of the end just now; for those who wait it has not come yet.
  private var isTelling = false

  /// Begins the body; false where another one was begun before.
  mutating func begin(_ sink: BodySink, resume: @escaping @Sendable () -> Void) -> Bool {
    guard !isBegun else { return false }
    isBegun = true
    self.resume = resume
    if !sink.stages.isEmpty { decoding = CopyOnWrite(BodyDecoding(sink.stages)) }
    target = BodyTarget(sink.destination)
    return true
  }

  /// The end: a good one once the last byte has been taken as well, a bad one at once.
  var finalEnd: End? {
    if case .failure = ending { return ending }
    return target.isDrained ? ending : nil
  }

  /// See `ResponseBody.gathered`.
  func gathered(limit: Int64) -> Data { target.gathered(limit: limit) }

  /// Whether the transport, or a failure, has ended the body, be it that some of it waits to be taken.
  var hasEnding: Bool { ending != nil || decoding?.value.arrived != nil }

  /// Whether a consumer takes it as it comes.
  var isStreamed: Bool { target.isStreamed }

  /// Whether it waits for its reader alone.
  var isHeldBack: Bool { hasEnding ? finalEnd == nil : isPaused }

  /// The final end, once its observers have heard of it.
  var toldEnd: End? { isTelling ? nil : finalEnd }

  /// The same where it is a good one, as most are: one that may be bad costs more to hand on.
  var goodEnd: BodyEnd? {
    if !isTelling, target.isDrained, case .success(let end) = ending { end } else { nil }
  }

  /// Whether the transport goes on writing.
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

  /// Drops the body; returns whether the transport was paused and may go on.
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

  /// Ends the body for its own side, also one that the transport has ended and of which some waits to be taken.
  ///
  /// - Parameter isTold: whether the transport has been told, and ends a body that still comes.
  mutating func cancel(_ error: LupineError, isTold: Bool) {
    guard finalEnd == nil else { return }
    guard hasEnding || !isTold else { return cancellation = error }
    let arrived = if case .success(let end) = ending { end } else { decoding?.value.arrived }
    ending = nil
    fail(arrived.map { error.measured($0.metrics) } ?? error)
  }

  /// The next piece if one is at hand, and whether the transport may go on.
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

  /// Adds who hears of the end before those who wait for it; returns it where it has come.
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

  /// Returns whether the transport was paused and may go on.
  mutating func setSuspended(_ isSuspended: Bool) -> Bool {
    self.isSuspended = isSuspended
    return hasEnding ? false : resumeIfRoom()
  }

  /// The wake-up of the reader who waits, when there is something for it.
  mutating func takeReader() -> (@Sendable () -> Void)? {
    guard let reader else { return nil }
    guard let piece = next().0 else { return nil }
    self.reader = nil
    return { reader.resume(returning: piece) }
  }

  /// What follows from bytes that were written: a reader that waits may take them at once, and then there is room again.
  mutating func hasWritten() -> (ResponseBodyWriter.Flow, wake: (@Sendable () -> Void)?) {
    let wake = takeReader()
    return (flow, wake)
  }

  /// What follows from the end that the transport, or a failure, has brought; what is let go of then, outside the lock, is
  /// in it as well.
  ///
  /// A type of its own, since a closure in a tuple costs an allocation.
  struct Settlement {
    let wake: (@Sendable () -> Void)?
    let audience: Audience?
    let resume: (@Sendable () -> Void)?
  }

  mutating func settle() -> Settlement {
    Settlement(wake: takeReader(), audience: takeAudience(), resume: hasEnding ? resume.take() : nil)
  }

  /// Drops a body whose exchange is over, unless it has ended and some of it waits to be taken.
  mutating func leave() -> Settlement {
    let mayGoOn = hasEnding ? false : abandon()
    let resume = resume.take()
    return Settlement(wake: mayGoOn ? resume : nil, audience: takeAudience(), resume: resume)
  }

  /// The wake-up of the reader who waits, and whether the transport may go on since the reader takes what was there.
  mutating func deliver() -> ((@Sendable () -> Void)?, shouldResume: Bool) {
    guard let reader else { return (nil, false) }
    let (piece, shouldResume) = next()
    guard let piece else { return (nil, shouldResume) }
    self.reader = nil
    return ({ reader.resume(returning: piece) }, shouldResume)
  }

  /// Who is to hear of the end: the observers first, and whoever waits once they have.
  struct Audience {
    let end: End
    let listeners: Listeners
  }

  struct Listeners {
    var observers: [@Sendable (End) -> Void] = []
    var waiters: [UnsafeContinuation<End, Never>] = []
  }

  /// Those who are to hear of the end, when it has come; `hasTold` follows where observers are among them.
  mutating func takeAudience() -> Audience? {
    guard !isTelling, listeners != nil, let end = finalEnd, let listeners = listeners.take() else { return nil }
    isTelling = !listeners.observers.isEmpty
    return Audience(end: end, listeners: listeners)
  }

  /// Notes that the observers have heard of the end; returns those who came to wait for it meanwhile.
  mutating func hasTold() -> Audience? {
    isTelling = false
    return takeAudience()
  }

  /// Whether the consumer should catch up before more comes.
  private var isCrowded: Bool { target.isFull || isUndecoded }

  private var isUndecoded: Bool { decoding?.value.isWaiting == true }

  private mutating func resumeIfRoom() -> Bool {
    guard isPaused, !isSuspended, !isCrowded, ending == nil else { return false }
    isPaused = false
    return true
  }

  /// Decodes what had to wait, as far as there is room now, also of a body that has broken off.
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

  /// Ends the body once the transport has and all of it is decoded.
  private mutating func completeIfDecoded() {
    if ending == nil, !isUndecoded, let arrived = decoding?.value.arrived { complete(arrived) }
  }

  /// - Parameter end: what the transport said of it.
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
  /// Whether it was this side that ended the body, which wants no more work done for it; what broke off is still decoded.
  fileprivate var givesUp: Bool {
    switch kind {
    case .cancelled, .timedOut, .sessionShutDown: true
    default: false
    }
  }
}
