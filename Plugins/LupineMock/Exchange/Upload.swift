import HTTPTypes
import LupineCore
import LupineFoundation
import LupineSupport
import Synchronization

/// Reads a request's body, completely or as far as needed, and sends it, which reports the progress to the session.
final class Upload: Sendable {
  private struct State {
    var data = Data()
    var hasBegun = false
    var isComplete = false
    var isSent = false
    /// Whether the event of an empty body was emitted.
    var isEmptyReported = false
  }

  private let body: RequestBody
  private let reader: UploadReader
  private let asksToContinue: Bool
  /// Whether the body can be sent once and is opened when it is read.
  private let isHeldBack: Bool
  private let ready: Signal
  /// Emits `sent` for a body that is found to be empty when it is opened, such as an empty file; `nil` for any other.
  private let reportEmpty: (@Sendable () -> Void)?
  private let state = Mutex(State())

  /// Opens the body; a one-shot body that may be refused unread is opened when it is read.
  init(of request: OutgoingRequest, in context: TransferContext) async throws(LupineError) {
    let ready = Signal()
    self.ready = ready
    body = request.body
    asksToContinue = request.asksToContinue
    let mayStayUnread = context.tunnels(request) || asksToContinue
    isHeldBack = mayStayUnread && !request.body.isReplayable
    reader = try await context.makeReader(for: request.body, mayStayUnread: mayStayUnread, reportsReads: false) {
      ready.set()
    }
    if request.body.length == nil, reader.length == 0 {
      reportEmpty = { context.emit(.sent(bytes: 0)) }
    } else {
      reportEmpty = nil
    }
  }

  /// Whether the body waits for 100 Continue; an empty body does not (RFC 9110 section 10.1.1).
  var waitsForContinue: Bool {
    asksToContinue && reader.length != 0
  }

  /// Sends what has been read, and what is read from now on.
  func send() {
    let isFirst = state.withLock { state in
      state.isSent = true
      defer { state.isEmptyReported = true }
      return !state.isEmptyReported
    }
    reader.reportSent()
    if isFirst { reportEmpty?() }
  }

  /// Restores a body that no server receives, so that the request can be sent again.
  func restore() {
    state.withLock { $0.isSent = false }
    if isComplete { body.restore(data) }
  }

  /// The bytes that have been read.
  var data: Data { state.withLock { $0.data } }

  private var count: Int { state.withLock { $0.data.count } }

  /// The number of bytes that have been sent.
  var bytesSent: Int { state.withLock { $0.isSent ? $0.data.count : 0 } }

  /// Whether the whole body has been read.
  var isComplete: Bool { state.withLock { $0.isComplete } }

  /// Reads the available bytes; returns true at the limit or at the end of the body.
  func readAvailable(upTo limit: Int) throws(LupineError) -> Bool {
    guard limit > count else { return true }
    state.withLock { $0.hasBegun = true }
    var buffer = [UInt8](repeating: 0, count: Int(min(max((reader.length ?? .max), 1), 64 << 10)))
    while case let wanted = limit - count, wanted > 0 {
      if wanted < buffer.count { buffer.removeLast(buffer.count - wanted) }
      switch try reader.read(into: &buffer) {
      case .bytes(let count): state.withLock { $0.data.append(contentsOf: buffer[..<count]) }
      case .pending: return false
      case .end:
        state.withLock { $0.isComplete = true }
        return true
      }
    }
    return true
  }

  /// Reads up to the limit or the end of the body, and waits for bytes that are not available yet.
  func readAll(upTo limit: Int) async throws(LupineError) {
    while true {
      // Cleared before the read, so that a call between the read and the wait is not lost.
      ready.clear()
      if try readAvailable(upTo: limit) { return }
      await ready.wait()
      if Task.isCancelled { throw LupineError(.cancelled, "The request was cancelled while its body was read.") }
    }
  }

  /// Stops reading a body whose rest is not needed; an unread one-shot stream can still be sent.
  func cancel() { if !isComplete { reader.cancel() } }

  /// Discards a body whose rest, or all of it, a server refused.
  func abandon() {
    cancel()
    // A body that has not been opened can be sent in another request.
    if !isHeldBack || state.withLock({ $0.hasBegun }) { body.abandon() }
  }
}

extension TransferContext {
  /// Whether the request needs a proxy tunnel to its server.
  func tunnels(_ request: OutgoingRequest) -> Bool {
    connectionKey.hasTunnellingProxy && request.url.scheme == .https
  }
}

extension OutgoingRequest {
  /// Whether the body waits for 100 Continue, by an option or an `Expect` field; HTTP/1.0 does not support it.
  fileprivate var asksToContinue: Bool {
    guard version != .http1_0 else { return false }
    // This search avoids the index that a subscript builds.
    guard let field = headers.first(where: { $0.name == .expect }) else { return expectsContinue }
    return field.value.lowercased() == "100-continue"
  }

  /// The request with its `Expect` field, as the server receives it.
  var expecting: OutgoingRequest {
    guard !headers.contains(.expect) else { return self }
    var request = self
    request.headers[.expect] = "100-continue"
    return request
  }
}
