import LupineCore
import Synchronization

/// Reads the pieces of a multipart in sequence, directly into the transport's buffer.
final class MultipartReader: BodyReader {
  let length: Int64?
  private let onReady: @Sendable () -> Void
  private let state: Mutex<State>

  private struct State {
    /// Absent during a read, so that no piece's reader is called under the lock.
    var cursor: PieceCursor?
    /// The reader to cancel when the body is cancelled.
    var reader: (any BodyReader)?
    var isCancelled = false
  }

  /// Measures the files; each is opened when its piece is read.
  init(_ pieces: [Piece], onReady: @escaping @Sendable () -> Void) throws(LupineError) {
    let pieces = try Piece.measured(pieces)
    length = Piece.knownLength(of: pieces)
    self.onReady = onReady
    state = Mutex(State(cursor: PieceCursor(pieces)))
  }

  deinit { cancel() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    let taken = state.withLock { state in
      defer { state.cursor = nil }
      return state.isCancelled ? nil : state.cursor
    }
    guard var cursor = taken else {
      throw LupineError(.cancelled, "The multipart body was cancelled, or has failed already.")
    }
    // A cursor that threw is not restored: the rest of the body would not match the announced length.
    let read = try cursor.read(into: buffer, onReady: onReady) { [self] reader in adopt(reader) }
    putBack(cursor)
    return read
  }

  func cancel() {
    let reader = state.withLock { state in
      state.isCancelled = true
      state.cursor = nil
      defer { state.reader = nil }
      return state.reader
    }
    reader?.cancel()
  }

  /// Stores the reader of the current piece; returns false if the body is cancelled.
  private func adopt(_ reader: (any BodyReader)?) -> Bool {
    state.withLock { state in
      guard !state.isCancelled else { return false }
      state.reader = reader
      return true
    }
  }

  private func putBack(_ cursor: consuming PieceCursor) {
    state.withLock { [cursor] state in
      if !state.isCancelled { state.cursor = cursor }
    }
  }
}
