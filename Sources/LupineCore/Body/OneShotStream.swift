import LupineFoundation
import Synchronization

/// A stream that can be opened once and passes from one sending to the next until a part of it has been read.
///
/// A retry after a failed connection thus still has the body.
final class OneShotStream: Sendable {
  private struct State {
    var opening: RequestBody.Opening?
    var reader: (any BodyReader)?
    var isRead = false
    /// The number of the last sending that has the stream, and the callback that reports available bytes to it.
    var sending = 0
    var onReady: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>

  init(_ opening: @escaping RequestBody.Opening) { state = Mutex(State(opening: opening)) }

  deinit { state.withLock { $0.reader }?.cancel() }

  /// Whether no part of the stream has been read.
  var isWhole: Bool { state.withLock { !$0.isRead } }

  /// Makes the reader of a sending.
  ///
  /// The reader of the previous sending loses the stream.
  func makeReader(length: Int64?, onReady: @escaping @Sendable () -> Void) throws(LupineError) -> any BodyReader {
    let (sending, opening, former) = try state.withLock {
      (state) throws(LupineError) -> (Int, RequestBody.Opening?, (@Sendable () -> Void)?) in
      guard !state.isRead, state.opening != nil || state.reader != nil else { throw Self.spent }
      state.sending += 1
      defer { (state.opening, state.onReady) = (nil, onReady) }
      return (state.sending, state.opening, state.onReady)
    }
    if let reader = try opening?({ [weak self] in self?.notifyReader() }) { try keep(reader) }
    former?()
    return OneShotReader(self, sending, length: length)
  }

  /// Keeps the reader of the stream, unless the stream was released meanwhile.
  private func keep(_ reader: any BodyReader) throws(LupineError) {
    let isWanted = state.withLock { state in
      if !state.isRead { state.reader = reader }
      return !state.isRead
    }
    if isWanted { return }
    reader.cancel()
    throw Self.spent
  }

  private func notifyReader() {
    let onReady = state.withLock { $0.onReady }
    onReady?()
  }

  func read(_ sending: Int, into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    // Under the lock, so that no other sending gets the stream meanwhile.
    try state.withLock { (state) throws(LupineError) in
      guard state.sending == sending, let reader = state.reader else { throw Self.spent }
      let wasRead = state.isRead
      state.isRead = true
      let read = try reader.read(into: buffer)
      if read == .pending { state.isRead = wasRead }
      return read
    }
  }

  /// Takes the stream back from a sending.
  ///
  /// If a part of it has been read, it is cancelled.
  func abandon(_ sending: Int) {
    // The callback is released outside the lock, like the reader.
    let (reader, _) = state.withLock { state -> ((any BodyReader)?, (@Sendable () -> Void)?) in
      guard state.sending == sending else { return (nil, nil) }
      return (state.isRead ? state.reader.take() : nil, state.onReady.take())
    }
    reader?.cancel()
  }

  /// Replaces the stream with these bytes: the whole body, of which none was sent.
  func restore(_ data: Data) {
    // The callback is released outside the lock, like the former reader.
    let (former, _) = state.withLock { state -> ((any BodyReader)?, (@Sendable () -> Void)?) in
      defer {
        state.reader = BytesReader(data)
        state.isRead = false
      }
      return (state.reader.take(), state.onReady.take())
    }
    former?.cancel()
  }

  /// Releases a stream that has not been read and will not be read.
  func abandon() {
    let (reader, onReady) = state.withLock { state -> ((any BodyReader)?, (@Sendable () -> Void)?) in
      if state.isRead { return (nil, nil) }
      (state.isRead, state.opening) = (true, nil)
      return (state.reader.take(), state.onReady.take())
    }
    reader?.cancel()
    onReady?()
  }

  private static var spent: LupineError {
    LupineError(.bodyFailed, "This body is a one-shot stream and has been sent already; it cannot be sent again.")
  }
}

/// The access of one sending to a one-shot stream.
private final class OneShotReader: BodyReader {
  let length: Int64?
  private let stream: OneShotStream
  private let sending: Int

  init(_ stream: OneShotStream, _ sending: Int, length: Int64?) {
    self.stream = stream
    self.sending = sending
    self.length = length
  }

  deinit { cancel() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    try stream.read(sending, into: buffer)
  }

  func cancel() { stream.abandon(sending) }
}
