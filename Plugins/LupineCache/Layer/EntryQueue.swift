import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Passes the bytes of a response to the task that stores them, without making the transfer wait for the store.
///
/// It holds a bounded number of bytes. Over the limit the response is not stored; it still arrives completely.
final class EntryQueue: Sendable {
  /// The most bytes that wait for the store: 1 MiB.
  static let limit = 1 << 20

  enum Piece: Sendable {
    case bytes(Data)
    /// Every byte has passed.
    case end(HTTPFields?)
    /// The transfer has ended before the response was complete.
    case interruption
    /// The response is not stored, for this reason.
    case failure(StoringRefusal)
  }

  private static let overflow = StoringRefusal(reason: "more than 1 MiB of it waits for the store")
  private static let failed = StoringRefusal(reason: "its transfer has failed")

  /// How often a full queue lets other threads run before it gives the response up: some tens of microseconds in all, if
  /// no thread is ready.
  private static let mostYields = 200

  private struct State {
    /// The bytes that wait; the store takes all of them at once.
    var bytes = Data()
    var end: Piece?
  }

  private let state = Mutex(State())
  private let ready = Signal()

  /// Whether more bytes would exceed the limit.
  private func isFull(for count: Int) -> Bool {
    state.withLock { $0.end == nil && !$0.bytes.isEmpty && $0.bytes.count + count > Self.limit }
  }

  /// Adds bytes; `false` if they are not wanted any more, or too many wait.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // The threads of the store may be ready to run, on the same core. This does not wait for them if the disk is slow.
    var yields = 0
    while yields < Self.mostYields, isFull(for: bytes.count) {
      SystemThread.yield()
      yields += 1
    }
    let isTaken = state.withLock { state in
      guard state.end == nil else { return false }
      guard state.bytes.count + bytes.count <= Self.limit else {
        state = State(end: .failure(Self.overflow))
        return false
      }
      state.bytes.append(contentsOf: bytes)
      return true
    }
    ready.set()
    return isTaken
  }

  /// Ends the queue after the bytes that it holds; only the first end counts.
  func finish(_ trailers: HTTPFields?) { end(.end(trailers)) }

  /// Ends the queue after the bytes that it holds, which are not all.
  func interrupt() { end(.interruption) }

  /// Ends the queue without its bytes, unless it has ended.
  func fail() { end(.failure(Self.failed)) }

  private func end(_ piece: Piece) {
    state.withLock { state in
      guard state.end == nil else { return }
      state.end = piece
      if case .failure = piece { state.bytes = Data() }
    }
    ready.set()
  }

  /// Returns the next piece and waits for it; a failure if the task is cancelled.
  func next() async -> Piece {
    while !Task.isCancelled {
      // Before the look at the state, which may change after it.
      ready.clear()
      let piece = state.withLock { state -> Piece? in
        guard !state.bytes.isEmpty else { return state.end }
        defer { state.bytes = Data() }
        return .bytes(state.bytes)
      }
      if let piece { return piece }
      await ready.wait()
    }
    return .failure(StoringRefusal(reason: "the session was shut down"))
  }
}

/// Passes the bytes of one response to its queue.
final class StoringObserver: BodyObserver {
  struct Refused: Error {}

  private let queue: EntryQueue
  private let writing: EntryWriting

  init(_ queue: EntryQueue, _ writing: EntryWriting) {
    self.queue = queue
    self.writing = writing
  }

  // If the body had no end.
  deinit { queue.fail() }

  func receive(_ bytes: UnsafeRawBufferPointer) throws {
    guard queue.append(bytes) else { throw Refused() }
  }

  func end(_ result: Result<BodyEnd, LupineError>) {
    // Before the consumer sees the end: a request that it makes then waits for the commit.
    switch result {
    case .success(let end):
      writing.hasArrived()
      queue.finish(end.trailers)
    case .failure(let error):
      writing.interrupt()
      if error.isInterruption { queue.interrupt() } else { queue.fail() }
    }
  }
}

/// A response that is being stored.
final class EntryWriting: Sendable {
  private struct State {
    var hasArrived = false
    var isInvalidated = false
    var isInterrupted = false
  }

  private let state = Mutex(State())
  /// Set once the response is stored, or is given up.
  let isOver = Signal()

  func hasArrived() { state.withLock { $0.hasArrived = true } }

  /// Keeps the response from being stored, because a request has changed its resource.
  func invalidate() { state.withLock { $0.isInvalidated = true } }

  /// Records that the transfer has ended before the response was complete.
  func interrupt() { state.withLock { ($0.hasArrived, $0.isInterrupted) = (true, true) } }

  var isInvalidated: Bool { state.withLock { $0.isInvalidated } }
  var isInterrupted: Bool { state.withLock { $0.isInterrupted } }
  /// Whether no more bytes arrive, so that only the store is waited for.
  var isCommitting: Bool { state.withLock { $0.hasArrived } }
}

extension LupineError {
  /// Whether a body broke off, and the bytes before are those of the server.
  var isInterruption: Bool {
    switch kind {
    case .cancelled, .timedOut: true
    default: isLostConnection
    }
  }
}
