import FoundationEssentials
import HTTPTypes

/// What a `BodyChannel` knows; each change says whom to wake.
struct BodyChannelState {
  typealias Piece = Result<[UInt8]?, LupineError>
  typealias End = Result<BodyEnd, LupineError>

  /// Coded bytes that are decoded at once: a bomb's slice of this size is as much as is ever held over the window.
  private static let slice = 1_024

  private let stages: [any BodyTransformer]
  private var target: BodyTarget
  /// What came when the window was full already; it is decoded when the consumer has made room.
  private var undecoded: ArraySlice<UInt8> = []
  /// How the transport ended the body, while some of it is still undecoded.
  private var arrived: Arrival?
  private var isAbandoned = false
  private var isSuspended = false
  private var isPaused = false
  private var ending: End?
  private var reader: UnsafeContinuation<Piece, Never>?
  private var waiters: [UnsafeContinuation<End, Never>] = []
  private var observers: [@Sendable (End) -> Void] = []
  /// Whether observers hear of the end just now; for those who wait it has not come yet.
  private var isTelling = false

  init(sink: BodySink) {
    stages = sink.stages
    target = BodyTarget(sink.destination)
  }

  /// The end: a good one once the last byte has been taken as well, a bad one at once.
  var finalEnd: End? {
    if case .failure = ending { return ending }
    return target.isDrained ? ending : nil
  }

  /// Whether the transport, or a failure, has ended the body, be it that some of it waits to be taken.
  var hasEnding: Bool { ending != nil || arrived != nil }

  /// The final end, once its observers have heard of it.
  var toldEnd: End? { isTelling ? nil : finalEnd }

  /// The same where it is a good one, as most are: one that may be bad costs more to hand on.
  var goodEnd: BodyEnd? {
    if !isTelling, target.isDrained, case .success(let end) = ending { end } else { nil }
  }

  /// Whether the transport goes on writing.
  var flow: IncomingBodyWriter.Flow { isPaused ? .pause : .proceed }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(LupineError) {
    guard ending == nil, !isAbandoned else { return }
    if stages.isEmpty {
      try target.take(bytes)
    } else if undecoded.isEmpty {
      undecoded = ArraySlice(UnsafeRawBufferPointer(rebasing: bytes[try decode(bytes)...]))
    } else {
      undecoded.append(contentsOf: bytes)
    }
    isPaused = isSuspended || isCrowded
  }

  mutating func write(_ data: Data) throws(LupineError) {
    guard ending == nil, !isAbandoned else { return }
    if stages.isEmpty, try target.keep(data) {
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
    let arrival = Arrival(trailers: trailers, metrics: metrics)
    if undecoded.isEmpty { complete(arrival) } else { arrived = arrival }
  }

  /// Drops the body; returns whether the transport was paused and may go on.
  mutating func abandon() -> Bool {
    isAbandoned = true
    undecoded = []
    target.abandon()
    completeIfDecoded()
    return resumeIfRoom()
  }

  mutating func fail(_ error: LupineError) {
    if ending == nil { ending = .failure(error) }
    if error.givesUp { undecoded = [] }
    target.close()
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

  /// The wake-up of the reader who waits, and whether the transport may go on since the reader takes what was there.
  mutating func deliver() -> ((() -> Void)?, shouldResume: Bool) {
    guard let reader else { return (nil, false) }
    let (piece, shouldResume) = next()
    guard let piece else { return (nil, shouldResume) }
    self.reader = nil
    return ({ reader.resume(returning: piece) }, shouldResume)
  }

  /// Who is to hear of the end: the observers first, and whoever waits once they have.
  struct Audience {
    let end: End
    let observers: [@Sendable (End) -> Void]
    let waiters: [UnsafeContinuation<End, Never>]
  }

  /// Those who are to hear of the end, when it has come; `hasTold` follows where observers are among them.
  mutating func takeAudience() -> Audience? {
    guard !isTelling, !waiters.isEmpty || !observers.isEmpty, let end = finalEnd else { return nil }
    let audience = Audience(end: end, observers: observers, waiters: waiters)
    isTelling = !observers.isEmpty
    observers = []
    waiters = []
    return audience
  }

  /// Notes that the observers have heard of the end; returns those who came to wait for it meanwhile.
  mutating func hasTold() -> Audience? {
    isTelling = false
    return takeAudience()
  }

  /// Whether the consumer should catch up before more comes.
  private var isCrowded: Bool { target.isFull || !undecoded.isEmpty }

  private mutating func resumeIfRoom() -> Bool {
    guard isPaused, !isSuspended, !isCrowded, ending == nil else { return false }
    isPaused = false
    return true
  }

  /// Decodes slice by slice until the window is full; returns how many of the bytes it took.
  private mutating func decode(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> Int {
    var position = 0
    while position < bytes.count, !target.isFull {
      let end = min(position + Self.slice, bytes.count)
      let slice = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
      try BodyStages.pass(slice, through: stages[...]) { (piece) throws(LupineError) in try target.take(piece) }
      position = end
    }
    return position
  }

  /// Decodes what had to wait, as far as there is room now, also of a body that has broken off.
  private mutating func catchUp() {
    guard !undecoded.isEmpty, !target.isFull else { return }
    do throws(LupineError) {
      let waiting = undecoded
      let count = try waiting.withUnsafeBufferPointer { (bytes) throws(LupineError) in
        try decode(UnsafeRawBufferPointer(bytes))
      }
      undecoded = waiting.dropFirst(count)
      completeIfDecoded()
    } catch {
      undecoded = []
      if ending == nil { ending = .failure(arrived.map { error.measured($0.metrics) } ?? error) }
    }
  }

  /// Ends the body once the transport has and all of it is decoded.
  private mutating func completeIfDecoded() {
    if let arrived, undecoded.isEmpty, ending == nil { complete(arrived) }
  }

  private mutating func complete(_ arrived: consuming Arrival) {
    do throws(LupineError) {
      if !isAbandoned {
        try BodyStages.finish(stages[...]) { (piece) throws(LupineError) in try target.take(piece) }
      }
      ending = .success(
        BodyEnd(
          data: target.takeCollected(), byteCount: target.byteCount, trailers: arrived.trailers,
          metrics: arrived.metrics))
    } catch {
      ending = .failure(error.measured(arrived.metrics))
    }
    target.close()
  }

  /// What the transport said at the body's end.
  private struct Arrival {
    let trailers: HTTPFields?
    let metrics: TransferMetrics
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
