import HTTPTypes
import LupineCore
import LupineSupport
import Synchronization

/// A response that is being stored, as other requests read it meanwhile.
///
/// It has no bytes of its own: each reader takes them from the store's writer, at its own pace.
final class GrowingEntry: Sendable {
  /// What a reader finds at a position.
  enum Progress: Sendable {
    /// The number of bytes that the writer has from there on.
    case bytes(Int64, any ReadableResponseStoreWriter)
    case growing
    case complete
    case broken
  }

  private let new: NewEntry
  /// The invalidations of the URL before the request was sent.
  let mark: Invalidations.Mark
  /// The exchange of the transfer.
  private weak let control: ExchangeControl?
  let transfer = DetachableTransfer()
  private let state = Mutex(GrowingState())

  init(_ new: NewEntry, _ mark: Invalidations.Mark, _ control: ExchangeControl) {
    self.new = new
    self.mark = mark
    self.control = control
  }

  /// The stated length of the content.
  var length: Int64? { new.length }

  /// The response as it would be stored.
  var candidate: Candidate { new.candidate }

  // The side of the transfer

  /// Lets readers begin, or ends them if the store's writer cannot be read.
  func open(_ writer: any ResponseStoreWriter) {
    let readable = writer as? any ReadableResponseStoreWriter
    wake { state in
      state.writer = readable
      state.isUnreadable = readable == nil
    }
  }

  /// Records bytes that the writer has taken.
  func advance(by count: Int) {
    wake { $0.count += Int64(count) }
  }

  /// Records that the transfer has broken off while others read.
  func interrupt() { state.withLock { $0.interrupt() } }

  /// Continues the transfer without its request if others read the response; returns whether that is possible.
  ///
  /// After an idle timeout it is not, because the server has stalled: the others then request the rest again.
  ///
  /// - Parameters:
  ///   - branch: the branch of the transfer.
  ///   - reason: why the request is cancelled.
  func detach(_ branch: ExchangeControl, _ reason: LupineError) -> Bool {
    guard reason.kind != .timedOut(.idle), state.withLock({ $0.beginDetaching() }) else { return false }
    let isDetached = transfer.detach(branch, reason)
    let isUnread = wake { $0.endDetaching(isDetached) }
    if isUnread { transfer.cancel() }
    return isDetached
  }

  /// Records that the rest has broken off: that of the detached transfer, or that from another request.
  func interruptRest() { state.withLock { $0.interruptRest() } }

  /// Records that bytes of the rest have arrived, which are stored next; returns whether a request still reads the
  /// response.
  func resume() -> Bool { state.withLock { $0.resume() } }

  /// Records that the writer has taken every byte.
  func complete(_ trailers: HTTPFields?) { end(.complete(trailers)) }

  /// Records that no more bytes come; has no effect after the end.
  func fail() { end(.broken) }

  /// The number of bytes that the writer has taken.
  var count: Int64 { state.withLock { $0.count } }

  /// The writer, if a request reads the response.
  var readWriter: (any ReadableResponseStoreWriter)? {
    state.withLock { $0.readers.isEmpty ? nil : $0.writer }
  }

  private func end(_ end: GrowingState.End) {
    let released = wake { state in
      if state.end == nil { state.end = end }
      return state.takeUnusedWriter()
    }
    _ = consume released
  }

  private func wake<Result: Sendable>(_ change: (inout GrowingState) -> Result) -> Result {
    let (result, signals) = state.withLock { state in
      let result = change(&state)
      // Sorted, so that a simulation wakes the readers in the same order every time.
      return (result, state.readers.isEmpty ? [] : state.readers.sorted { $0.key < $1.key }.map(\.value))
    }
    for signal in signals { signal.set() }
    return result
  }

  // The side of the readers

  /// Returns a reader; `nil` if the response cannot be read, or can no longer be read.
  func makeReader() -> GrowingReader? {
    let (changed, isCancelled) = (Signal(), isCancelled)
    let number = state.withLock { $0.addReader(changed, isCancelled) }
    return number.map { GrowingReader(self, $0, changed) }
  }

  func remove(_ reader: Int) {
    let (released, isUnread) = state.withLock { state in
      let isUnread = state.removeReader(reader)
      return (state.takeUnusedWriter(), isUnread)
    }
    _ = consume released
    if isUnread { transfer.cancel() }
  }

  /// Whether the exchange is cancelled or gone, so that its end follows.
  private var isCancelled: Bool { control.map { $0.reason != nil } ?? true }

  /// Whether an answer can begin with the bytes that have arrived; `nil` if this is not known yet.
  var isReadable: Bool? {
    let isCancelled = isCancelled
    return state.withLock { $0.isReadable(isCancelled) }
  }

  func progress(at position: Int64) -> Progress {
    state.withLock { state in
      if state.isUnreadable { return .broken }
      if let writer = state.writer, state.count > position { return .bytes(state.count - position, writer) }
      switch state.end {
      case nil: return .growing
      case .complete: return .complete
      case .broken: return .broken
      }
    }
  }

  var trailers: HTTPFields? {
    state.withLock { if case .complete(let trailers) = $0.end { trailers } else { nil } }
  }
}
