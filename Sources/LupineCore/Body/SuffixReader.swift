import LupineSupport
import Synchronization

extension RequestBody {
  /// Returns the body from an offset on, for a server that has the bytes before it.
  ///
  /// Bytes and files are read from the offset. Any other body that can be sent again (`isReplayable`) is opened from
  /// its beginning each time, and the bytes before the offset are read and dropped, not on the transport's thread. A
  /// one-shot body cannot be read from an offset other than 0.
  ///
  /// A file is opened when the request is sent; an offset past its end is an error then. If the length of the body is
  /// not known, an offset past its end is an error when the body is read.
  ///
  /// - Parameter offset: the number of bytes to leave out, from 0 to the length of the body, which leaves an empty body.
  /// - Throws: `LupineError` of kind `bodyFailed` if the offset is negative or greater than `length`, or if the body is
  ///   not replayable.
  public func suffix(from offset: Int64) throws(LupineError) -> RequestBody {
    guard offset >= 0, offset <= length ?? .max else { throw Self.hasNothing(from: offset, length: length) }
    guard offset > 0 else { return self }
    let left = length.map { $0 - offset }
    switch source {
    case .bytes(let data): return .bytes(data.dropFirst(Int(offset)))
    case .file(let path, let start):
      let (place, isTooLarge) = start.addingReportingOverflow(offset)
      guard !isTooLarge else { throw Self.hasNothing(from: offset, length: length) }
      return .file(path, offset: place, length: left)
    case .none, .stream, .sequence: break
    }
    guard isReplayable else {
      throw LupineError(
        .bodyFailed,
        "The request's body can be read only once, so it cannot be read from offset \(offset); use a body "
          + "that can be sent again, such as a file.")
    }
    return RequestBody(length: left, through: [self]) { (onReady) throws(LupineError) in
      try SuffixReader(self, from: offset, onReady: onReady)
    }
  }

  static func hasNothing(from offset: Int64, length: Int64?) -> LupineError {
    let size = length.map { "has \($0) bytes" } ?? "is shorter"
    return LupineError(.bodyFailed, "The request's body was to be read from offset \(offset), but it \(size).")
  }
}

/// Reads a body from an offset: a task reads the bytes before the offset and drops them.
///
/// Until then a read returns `pending`, so that no transport waits for bytes that it does not send.
final class SuffixReader: BodyReader {
  let length: Int64?
  private let base: any BodyReader
  private let skip: Skip

  init(_ body: RequestBody, from offset: Int64, onReady: @escaping @Sendable () -> Void) throws(LupineError) {
    let skip = Skip(onReady)
    let base = try body.makeReader { skip.baseHasBytes() }
    (self.base, self.skip) = (base, skip)
    length = base.length.map { $0 - offset }
    if let length, length < 0 {
      base.cancel()
      throw RequestBody.hasNothing(from: offset, length: base.length)
    }
    skip.keep(
      Task(executorPreference: ExecutorPreference.current) {
        do throws(LupineError) {
          try await Self.drop(offset, of: base, skip.signal)
          skip.finish(nil)
        } catch {
          skip.finish(error)
        }
      })
  }

  deinit { cancel() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    try skip.isOver() ? base.read(into: buffer) : .pending
  }

  func cancel() {
    skip.cancel()
    base.cancel()
  }

  /// Reads the bytes on threads that wait for disks, a part at a time.
  private static func drop(_ count: Int64, of base: any BodyReader, _ ready: Signal) async throws(LupineError) {
    var left = count
    while left > 0 {
      if Task.isCancelled { throw LupineError(.cancelled, "The request's body is not needed any more.") }
      // Before the reads that may set it again.
      ready.clear()
      let most = min(left, partLength)
      let (read, end) = try await BlockingWork.run { () throws(LupineError) in try drop(most, of: base) }
      left -= read
      switch end {
      case .end: throw RequestBody.hasNothing(from: count, length: count - left)
      case .pending: await ready.wait()
      case .bytes: break
      }
    }
  }

  /// The number of bytes after which a cancellation is noticed.
  private static let partLength: Int64 = 8 << 20

  /// Reads up to the number of bytes; returns how many there were, and the last result.
  private static func drop(_ most: Int64, of base: any BodyReader) throws(LupineError) -> (Int64, BodyRead) {
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(min(most, 128 << 10)), alignment: 1)
    defer { space.deallocate() }
    var done: Int64 = 0
    var last = BodyRead.bytes(0)
    while done < most {
      last = try base.read(
        into: UnsafeMutableRawBufferPointer(rebasing: space[..<Int(min(most - done, Int64(space.count)))]))
      guard case .bytes(let count) = last else { break }
      done += Int64(count)
    }
    return (done, last)
  }
}

/// The state of the bytes before the offset of a `SuffixReader`.
private final class Skip: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    /// `nil` while bytes are dropped.
    var result: Result<Void, LupineError>?
    /// Whether the transport waits for the first bytes.
    var isAwaited = false
  }

  /// Set when the body has bytes for the task that drops them.
  let signal = Signal()
  private let state = Mutex(State())
  private let onReady: @Sendable () -> Void

  init(_ onReady: @escaping @Sendable () -> Void) { self.onReady = onReady }

  func keep(_ task: Task<Void, Never>) { state.withLock { if $0.result == nil { $0.task = task } } }

  /// Whether the bytes before the offset have been dropped; otherwise `onReady` will be called.
  func isOver() throws(LupineError) -> Bool {
    let result = state.withLock { state in
      state.isAwaited = state.result == nil
      return state.result
    }
    try result?.get()
    return result != nil
  }

  func finish(_ error: LupineError?) {
    let isAwaited = state.withLock { state in
      state.result = error.map { .failure($0) } ?? .success(())
      state.task = nil
      return state.isAwaited
    }
    if isAwaited { onReady() }
  }

  func baseHasBytes() {
    if state.withLock({ $0.result != nil }) { onReady() } else { signal.set() }
  }

  func cancel() { state.withLock { $0.task.take() }?.cancel() }
}
