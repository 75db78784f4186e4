import LupineCore
import LupineFoundation
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
      throw LupineError(.cancelled, "The multipart body was cancelled or has failed.")
    }
    // A cursor that threw is not restored: the rest of the body would not match the announced length.
    let read = try cursor.read(into: buffer, onReady: onReady) { [self] reader in setReader(reader) }
    restore(cursor)
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
  private func setReader(_ reader: (any BodyReader)?) -> Bool {
    state.withLock { state in
      guard !state.isCancelled else { return false }
      state.reader = reader
      return true
    }
  }

  private func restore(_ cursor: consuming PieceCursor) {
    state.withLock { [cursor] state in
      if !state.isCancelled { state.cursor = cursor }
    }
  }
}

/// The position of a read in a list of pieces.
struct PieceCursor: Sendable {
  typealias SetReader = ((any BodyReader)?) -> Bool

  private let pieces: [Piece]
  private var index = 0
  /// The number of bytes read from the current piece.
  private var position: Int64 = 0
  private var reader: (any BodyReader)?

  init(_ pieces: [Piece]) { self.pieces = pieces }

  /// Fills the buffer with the available bytes.
  ///
  /// - Parameter adopt: receives each opened reader, and `nil` at its end; returns false to end the reading.
  mutating func read(
    into buffer: UnsafeMutableRawBufferPointer, onReady: @escaping @Sendable () -> Void, setReader: SetReader
  ) throws(LupineError) -> BodyRead {
    var filled = 0
    while filled < buffer.count, index < pieces.count {
      let piece = pieces[index]
      // A read from a stream starts at the front of the buffer, so that its `pending` reaches the transport.
      if piece.isStream, filled > 0 { break }
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let read: BodyRead
      do throws(LupineError) {
        read = try self.read(piece, into: room, onReady: onReady, setReader: setReader)
      } catch {
        reader?.cancel()
        throw piece.label?.prepended(to: error) ?? error
      }
      switch read {
      case .bytes(let count):
        filled += count
        if piece.isStream { return .bytes(filled) }
      case .pending: return filled > 0 ? .bytes(filled) : .pending
      case .end: _ = advance(setReader)
      }
    }
    return filled > 0 ? .bytes(filled) : .end
  }

  private mutating func read(
    _ piece: Piece, into room: UnsafeMutableRawBufferPointer, onReady: @escaping @Sendable () -> Void,
    setReader: SetReader
  ) throws(LupineError) -> BodyRead {
    if case .bytes(let data) = piece.content { return copy(data, into: room) }
    if reader == nil { reader = try open(piece, onReady, setReader) }
    guard let reader else { return .end }
    let read = try reader.read(into: room)
    if case .bytes(let count) = read { position += Int64(count) }
    try check(piece, isComplete: read == .end)
    return read
  }

  private func open(
    _ piece: Piece, _ onReady: @escaping @Sendable () -> Void, _ setReader: SetReader
  ) throws(LupineError) -> (any BodyReader)? {
    let opened = piece.makeReader(onReady: onReady)
    guard setReader(opened) else {
      opened?.cancel()
      throw LupineError(.cancelled, "The body was cancelled.")
    }
    return opened
  }

  /// Throws if the reader yields more or fewer bytes than the announced length.
  private func check(_ piece: Piece, isComplete: Bool) throws(LupineError) {
    guard let length = piece.length else { return }
    guard position <= length, !isComplete || position == length else {
      throw LupineError(
        .bodyFailed,
        "It has \(isComplete ? "\(position)" : "at least \(position)") bytes but \(length) were announced.")
    }
  }

  private mutating func copy(_ data: Data, into room: UnsafeMutableRawBufferPointer) -> BodyRead {
    let start = Int(position)
    let count = min(room.count, data.count - start)
    guard count > 0 else { return .end }
    data.withUnsafeBytes { bytes in
      room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
    }
    position += Int64(count)
    return .bytes(count)
  }

  private mutating func advance(_ setReader: SetReader) -> Bool {
    index += 1
    position = 0
    guard reader != nil else { return true }
    reader = nil
    return setReader(nil)
  }
}
