import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Collects the bytes of a request's body while a transport reads them.
///
/// Up to `limit` bytes are kept. Of a longer body only the length and the digest are known; `work` computes the digest,
/// and the transport waits while 1 MiB waits for it.
final class RequestCollector: Sendable {
  private static let window = 1 << 20

  private struct State {
    /// The number of the current reader; a transport may open the body again.
    var sending = 0
    var count: Int64 = 0
    var kept = Data()
    /// The digest of a body that is longer than the limit, without the bytes that wait.
    var digest: SHA256?
    var waiting = Data()
    var isHashing = false
    /// Tells the transport that there is room again.
    var onRoom: (@Sendable () -> Void)?
  }

  private let limit: Int64
  private let work: SerialWork
  private let state = Mutex(State())
  /// The content of a body in memory, which is not observed.
  private let known: Data?

  /// - Parameter work: runs the job that calls `content()` later.
  init(_ body: RequestBody, limit: Int64, on work: SerialWork) {
    self.limit = limit
    self.work = work
    known = if case .bytes(let data) = body.source { data } else { nil }
  }

  /// Returns the body for the transport.
  func observed(_ body: RequestBody) -> RequestBody {
    guard known == nil else { return body }
    return RequestBody(length: body.length, through: [body], source: body.source) {
      [self] (onReady) throws(LupineError) in
      let sending = state.withLock { state in
        state = State(sending: state.sending + 1)
        return state.sending
      }
      return ObservedReader(try body.makeReader(onReady: onReady), self, sending, onReady)
    }
  }

  /// Whether the transport may read; if not, `onRoom` is called later.
  fileprivate func hasRoom(_ sending: Int, _ onRoom: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.sending == sending, state.isHashing, state.waiting.count >= Self.window else { return true }
      state.onRoom = onRoom
      return false
    }
  }

  fileprivate func add(_ bytes: UnsafeRawBufferPointer, _ sending: Int) {
    let mustHash = state.withLock { state -> Bool in
      guard state.sending == sending else { return false }
      state.count += Int64(bytes.count)
      if state.digest == nil, state.count <= limit {
        state.kept.append(contentsOf: bytes)
        return false
      }
      if state.digest == nil {
        state.digest = SHA256()
        state.waiting = exchange(&state.kept, with: Data())
      }
      state.waiting.append(contentsOf: bytes)
      defer { state.isHashing = true }
      return !state.isHashing
    }
    if mustHash { work.add { [self] in hash(sending) } }
  }

  private func hash(_ sending: Int) {
    while true {
      let step = state.withLock { state -> (SHA256, Data, (@Sendable () -> Void)?)? in
        guard state.sending == sending else { return nil }
        guard let digest = state.digest, !state.waiting.isEmpty else {
          state.isHashing = false
          return nil
        }
        return (digest, exchange(&state.waiting, with: Data()), state.onRoom.take())
      }
      guard let (former, bytes, onRoom) = step else { return }
      onRoom?()
      var digest = former
      bytes.withUnsafeBytes { digest.update($0) }
      state.withLock { if $0.sending == sending { $0.digest = digest } }
    }
  }

  /// The content that the transport has read; bytes that it reads later do not count.
  func content() -> Cassette.Content {
    if let known { return Self.content(known, limit) }
    let (digest, count, bytes, onRoom) = state.withLock { state in
      state.sending += 1
      return (state.digest, state.count, state.digest == nil ? state.kept : state.waiting, state.onRoom.take())
    }
    onRoom?()
    guard var digest else { return bytes.isEmpty ? .none : .inline(bytes) }
    bytes.withUnsafeBytes { digest.update($0) }
    return .digest(length: count, sha256: Data(digest.finalize()))
  }

  /// The content of a body of which the transport has sent this many bytes.
  ///
  /// A digest has the bytes that the transport has read.
  func content(upTo count: Int64) -> Cassette.Content {
    if let known { return Self.content(known.prefix(Int(clamping: count)), limit) }
    let content = content()
    guard case .inline(let data) = content else { return content }
    return Self.content(data.prefix(Int(clamping: count)), limit)
  }

  private static func content(_ data: Data, _ limit: Int64) -> Cassette.Content {
    if data.isEmpty { return .none }
    let length = Int64(data.count)
    return length <= limit ? .inline(data) : .digest(length: length, sha256: SHA256.digest(of: data))
  }
}

/// Reads a request's body for a transport, and passes a copy of the bytes to the collector.
private final class ObservedReader: BodyReader {
  private let base: any BodyReader
  private let collector: RequestCollector
  private let sending: Int
  private let onReady: @Sendable () -> Void

  init(
    _ base: any BodyReader, _ collector: RequestCollector, _ sending: Int, _ onReady: @escaping @Sendable () -> Void
  ) {
    (self.base, self.collector, self.sending, self.onReady) = (base, collector, sending, onReady)
  }

  var length: Int64? { base.length }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    guard collector.hasRoom(sending, onReady) else { return .pending }
    let read = try base.read(into: buffer)
    if case .bytes(let count) = read {
      collector.add(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)), sending)
    }
    return read
  }

  func cancel() { base.cancel() }
}
