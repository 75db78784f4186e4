import LupineCore
import LupineSession
import LupineSupport
import Synchronization

/// Holds one request back while the queue has moved more bytes than its bound allows.
///
/// An upload reads its body in pieces, each at the next turn. A download is suspended after a piece until the next turn:
/// the transport then reads no more from its connection.
final class PacedRequest: Interceptor {
  private struct State {
    var request: (any SessionRequest)?
    /// The turn until which the request is suspended.
    var turn: Duration?
  }

  private let pace: BytePace
  private let state = Mutex(State())

  init(_ pace: BytePace) { self.pace = pace }

  /// Paces a request; call it last, so that every part of a resumable upload is paced.
  func install(on request: any SessionRequest) {
    state.withLock { $0.request = request }
    request.interceptor(self)
  }

  /// Releases the request.
  func finish() { state.withLock { $0.request = nil } }

  func intercept(
    _ request: OutgoingRequest, context: TransferContext,
    next: nonisolated(nonsending) (OutgoingRequest) async throws -> TransportResponse
  ) async throws -> TransportResponse {
    try await pace.wait()
    var request = request
    if request.hasBody { request.body = request.body.paced(by: pace) }
    let former = request.options[ExchangeContextChange.self]
    request.options[ExchangeContextChange.self] = { [self] context in
      (former?(context) ?? context).observingArrivals { [self] count in arrived(count) }
    }
    return try await next(request)
  }

  /// Suspends the request until the turn after the bytes that have arrived.
  private func arrived(_ count: Int) {
    let turn = pace.count(count)
    let (request, isFirst) = state.withLock { state in
      defer { state.turn = turn }
      return (state.request, state.turn == nil)
    }
    guard let request else { return }
    // Also if it is suspended already: a timer may be about to resume it.
    request.suspend()
    // A request that has a timer stays suspended until the new turn.
    if isFirst { resume(at: turn) }
  }

  private func resume(at turn: Duration) {
    _ = pace.schedule(at: turn) { [self] in
      let (later, request) = state.withLock { state -> (Duration?, (any SessionRequest)?) in
        if let later = state.turn, later > turn, state.request != nil { return (later, nil) }
        state.turn = nil
        return (nil, state.request)
      }
      if let later { resume(at: later) } else { request?.resume() }
    }
  }
}

extension RequestBody {
  /// Returns the body, read at the pace.
  ///
  /// Its source is a stream, so that no transport gives the file to the system at once.
  func paced(by pace: BytePace) -> RequestBody {
    RequestBody(length: length, through: [self]) { (onReady) throws(LupineError) in
      PacedReader(try makeReader(onReady: onReady), pace, onReady)
    }
  }
}

/// Reads a body in pieces, each at the next turn.
private final class PacedReader: BodyReader {
  private static let piece = 32 << 10

  private let base: any BodyReader
  private let pace: BytePace
  private let onReady: @Sendable () -> Void
  private let timer = Mutex<ScheduledTimer?>(nil)
  /// The turn for which a reader waits; `nil` if none does.
  private let turn = Mutex<Duration?>(nil)

  init(_ base: any BodyReader, _ pace: BytePace, _ onReady: @escaping @Sendable () -> Void) {
    self.base = base
    self.pace = pace
    self.onReady = onReady
  }

  var length: Int64? { base.length }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    // The bytes that others move meanwhile do not postpone the turn of this body.
    let later = turn.withLock { turn -> Duration? in
      let next = turn ?? pace.nextTurn
      turn = pace.isReached(next) ? nil : next
      return turn
    }
    if let later {
      let new = pace.schedule(at: later, onReady)
      let former = timer.withLock { timer in
        defer { timer = new }
        return timer
      }
      former?.cancel()
      return .pending
    }
    let read = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Self.piece)))
    if case .bytes(let count) = read { pace.count(count) }
    return read
  }

  func cancel() {
    timer.withLock { $0.take() }?.cancel()
    base.cancel()
  }
}
