import HTTPTypes
import LupineCore
import LupineDoubles
import LupineFoundation
import LupineSupport
import Synchronization

/// Reads the body of a live request, and reports it as sent.
final class PlayedUpload: Sendable {
  private struct State {
    var data = Data()
    var count: Int64 = 0
    var isComplete = false
  }

  private let body: RequestBody
  private let context: TransferContext
  private let reader: UploadReader
  private let keepsBytes: Bool
  /// Whether the body waits for 100 Continue (RFC 9110 section 10.1.1).
  let waitsForContinue: Bool
  private let ready: Signal
  private let state = Mutex(State())

  /// Opens the body; `nil` if the request has none.
  ///
  /// - Parameter keepsBytes: whether the bytes are compared with the recorded ones.
  init?(
    of request: OutgoingRequest, in context: TransferContext, keepingBytes keepsBytes: Bool
  ) async throws(LupineError) {
    guard request.hasBody else { return nil }
    let ready = Signal()
    self.ready = ready
    self.context = context
    self.keepsBytes = keepsBytes
    body = request.body
    let asks = request.asksToContinue
    reader = try await context.makeReader(for: request.body, mayStayUnread: true, reportsReads: false) { ready.set() }
    waitsForContinue = asks && reader.length != 0
  }

  /// The bytes that have been read, if they are kept.
  var data: Data { state.withLock { $0.data } }

  /// Whether the body has been read to its end.
  var isComplete: Bool { state.withLock { $0.isComplete } }

  /// The number of bytes that have been read.
  var count: Int64 { state.withLock { $0.count } }

  /// Reports what has been read as sent, and what is read from now on.
  func send() {
    reader.reportSent()
    if reader.length == 0 { context.emit(.sent(bytes: 0)) }
  }

  /// Reads the body to its end.
  ///
  /// - Throws: the error of the body, or kind `invalidRequest` if it has more bytes than `limit` and they are kept.
  func readAll(upTo limit: Int = .max) async throws(LupineError) {
    guard !state.withLock({ $0.isComplete }) else { return }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      // Cleared before the read, so that a call between the read and the wait is not lost.
      ready.clear()
      switch try reader.read(into: &buffer) {
      case .bytes(let count):
        let sum = state.withLock { [buffer] state in
          state.count += Int64(count)
          if keepsBytes { state.data.append(contentsOf: buffer[..<count]) }
          return state.data.count
        }
        guard sum <= limit else {
          throw LupineError(
            .invalidRequest,
            "The request's body has more than \(limit) bytes, so it is not compared with recorded ones.")
        }
      case .pending: await ready.wait()
      case .end: return state.withLock { $0.isComplete = true }
      }
      if Task.isCancelled { throw VirtualExchange.cancelled }
    }
  }

  /// Reads the first bytes of the body.
  func read(upTo limit: Int64) async throws(LupineError) {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var left = limit
    while left > 0 {
      ready.clear()
      if left < Int64(buffer.count) { buffer.removeLast(buffer.count - Int(left)) }
      switch try reader.read(into: &buffer) {
      case .bytes(let count):
        left -= Int64(count)
        state.withLock { $0.count += Int64(count) }
      case .pending: await ready.wait()
      case .end: return state.withLock { $0.isComplete = true }
      }
      if Task.isCancelled { throw VirtualExchange.cancelled }
    }
  }

  /// Restores a body that no server received, so that the request can be sent again.
  func restore() {
    let (isComplete, data) = state.withLock { ($0.isComplete, $0.data) }
    if keepsBytes, isComplete { body.restore(data) } else { reader.cancel() }
  }

  /// Stops reading a body whose rest is not needed.
  func cancel() { if !state.withLock({ $0.isComplete }) { reader.cancel() } }
}

extension OutgoingRequest {
  /// Whether the body waits for 100 Continue, by an option or an `Expect` field; HTTP/1.0 does not support it.
  fileprivate var asksToContinue: Bool {
    guard version != .http1_0 else { return false }
    return headers[.expect].map { $0.lowercased() == "100-continue" } ?? expectsContinue
  }
}
