import HTTPTypes
import LupineCore
import LupineSupport

/// The state of a growing entry: what has arrived, who reads it, and whether more is to come.
struct GrowingState {
  /// How the response ended.
  enum End {
    /// Every byte was taken by the writer.
    case complete(HTTPFields?)
    /// Not every byte has arrived, or the store has given the response up.
    case broken
  }

  /// Where the bytes that have not arrived come from.
  enum Source {
    /// The transfer of the first request.
    case transfer
    /// Not yet decided: the first request is being cancelled.
    case undecided
    /// The transfer, which continues without the first request.
    case detachedTransfer
    /// Not known: the transfer has broken off, and perhaps another request brings the rest.
    case unknown
    /// Another request.
    case otherRequest
  }

  var writer: (any ReadableResponseStoreWriter)?
  /// Whether the store's writer cannot be read, or can no longer be read.
  var isUnreadable = false
  var count: Int64 = 0
  var end: End?
  private(set) var source = Source.transfer
  /// The signals of the readers, by their numbers.
  private(set) var readers: [Int: Signal] = [:]
  private var lastReader = 0

  /// Whether other requests read the response, and it has not ended.
  private var isRead: Bool { end == nil && writer != nil && !readers.isEmpty }

  /// Whether the rest may not arrive.
  ///
  /// - Parameter isCancelled: whether the first request is cancelled.
  private func isUncertain(_ isCancelled: Bool) -> Bool {
    guard end == nil else { return false }
    return switch source {
    case .transfer: isCancelled
    case .undecided, .unknown: true
    case .detachedTransfer, .otherRequest: false
    }
  }

  // The transfer

  /// Records that the transfer has broken off; if it is being detached, its rest decides.
  mutating func interrupt() {
    if source == .transfer { source = .unknown }
  }

  /// Begins to detach the transfer from its request; returns whether others read the response.
  mutating func beginDetaching() -> Bool {
    guard isRead, source == .transfer else { return false }
    source = .undecided
    return true
  }

  /// Ends what `beginDetaching` has begun; returns whether the transfer must be cancelled, because the last reader has
  /// left meanwhile.
  mutating func endDetaching(_ isDetached: Bool) -> Bool {
    let isUnread = isDetached && !isRead
    // The detached transfer may have broken off already.
    if source == .undecided { source = isDetached && !isUnread ? .detachedTransfer : .unknown }
    return isUnread
  }

  /// Records that the rest has broken off: that of the detached transfer, or that from another request.
  mutating func interruptRest() { source = .unknown }

  /// Records that bytes of the rest have arrived; returns whether a request still reads the response.
  ///
  /// If none does, no other request may begin to read, because the rest is then given up.
  mutating func resume() -> Bool {
    guard !readers.isEmpty, writer != nil else {
      source = .unknown
      return false
    }
    if source == .unknown { source = .otherRequest }
    return true
  }

  /// Removes and returns the writer if the response has ended and no request reads it any more.
  mutating func takeUnusedWriter() -> (any ReadableResponseStoreWriter)? {
    guard end != nil, readers.isEmpty else { return nil }
    isUnreadable = true
    return writer.take()
  }

  // The readers

  /// Adds a reader and returns its number; `nil` if the response cannot be read, or can no longer be read.
  mutating func addReader(_ changed: Signal, _ isCancelled: Bool) -> Int? {
    if isUnreadable { return nil }
    if case .broken = end { return nil }
    // A new request does not join a transfer that has broken off and has no readers.
    if readers.isEmpty, isUncertain(isCancelled) { return nil }
    lastReader += 1
    readers[lastReader] = changed
    return lastReader
  }

  /// Removes a reader; returns whether the transfer must be cancelled, because it continued for this reader alone.
  mutating func removeReader(_ reader: Int) -> Bool {
    readers[reader] = nil
    guard readers.isEmpty, end == nil else { return false }
    let wasDetached = source == .detachedTransfer
    // No other request may begin to read.
    if wasDetached || source == .otherRequest { source = .unknown }
    return wasDetached
  }

  /// Whether an answer can begin with the bytes that have arrived; `nil` if this is not known yet.
  func isReadable(_ isCancelled: Bool) -> Bool? {
    if isUnreadable { return false }
    return switch end {
    case .broken: false
    case .complete: true
    case nil: writer != nil && count > 0 && !isUncertain(isCancelled) ? true : nil
    }
  }
}
