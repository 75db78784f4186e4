import FoundationEssentials
import HTTPTypes
import LupineCore
import LupineSupport
import Synchronization

/// Reads a request's body, to its end or as far as it is wanted, and sends it, which is what the session hears of.
final class Upload: Sendable {
  private struct State {
    var reader: QuietReader?
    var data = Data()
    var isComplete = false
    var isSent = false
  }

  private let body: RequestBody
  private let context: TransferContext
  private let asksToContinue: Bool
  private let ready = Signal()
  private let state = Mutex(State())

  /// Opens the body; one that can be sent only once, and may be refused unread, when it is wanted.
  init(of request: OutgoingRequest, in context: TransferContext) throws(LupineError) {
    body = request.body
    self.context = context
    asksToContinue = request.asksToContinue
    if body.isReplayable || !(context.tunnels(request) || asksToContinue) { _ = try reader() }
  }

  /// Whether it waits for the server's word, which a body without bytes does not (RFC 9110 section 10.1.1).
  var isHeldBack: Bool {
    guard asksToContinue else { return false }
    guard let reader = state.withLock({ $0.reader }) else { return body.length != 0 }
    return reader.length != 0
  }

  private func reader() throws(LupineError) -> QuietReader {
    if let reader = state.withLock({ $0.reader }) { return reader }
    let reader = try context.makeQuietReader(for: body) { [ready] in ready.set() }
    let isSent = state.withLock { state in
      state.reader = reader
      return state.isSent
    }
    if isSent { reader.tell() }
    return reader
  }

  /// Sends what has been read, and from now on what is read.
  func send() {
    let reader = state.withLock { state in
      state.isSent = true
      return state.reader
    }
    reader?.tell()
  }

  /// Gives a body that no server gets back, so that the request can be made again with it.
  func restore() {
    state.withLock { $0.isSent = false }
    if isComplete { body.restore(data) }
  }

  /// What has been read so far.
  var data: Data { state.withLock { $0.data } }

  private var count: Int { state.withLock { $0.data.count } }

  /// How much has been sent so far.
  var bytesSent: Int { state.withLock { $0.isSent ? $0.data.count : 0 } }

  /// Whether that is all there is.
  var isComplete: Bool { state.withLock { $0.isComplete } }

  /// Reads what is at hand; true where as much has been read as is wanted, or all there is.
  func readAvailable(upTo limit: Int) throws(LupineError) -> Bool {
    guard limit > count else { return true }
    let reader = try reader()
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

  /// Reads as much as is wanted, waiting for what is not there yet.
  func readAll(upTo limit: Int) async throws(LupineError) {
    while true {
      // Cleared before the read, so that a call between the read and the wait is not lost.
      ready.clear()
      if try readAvailable(upTo: limit) { return }
      await ready.wait()
      if Task.isCancelled { throw LupineError(.cancelled, "The request was cancelled while its body was read.") }
    }
  }

  /// Lets go of a body whose rest is not wanted; a one-shot stream of which nothing was read can go out yet.
  func cancel() { if !isComplete { state.withLock { $0.reader }?.cancel() } }

  /// Lets go of a body whose rest a server did not want, be it all of it.
  func abandon() {
    cancel()
    if state.withLock({ $0.reader }) != nil { body.discard() }
  }
}

extension TransferContext {
  /// Whether a proxy would be asked for a tunnel to the request's server.
  func tunnels(_ request: OutgoingRequest) -> Bool {
    identity.hasTunnellingProxy && request.url.scheme == .https
  }
}

extension OutgoingRequest {
  /// Whether its body is to wait for the server's word, by an option or a field of its own; HTTP/1.0 knows no such thing.
  fileprivate var asksToContinue: Bool {
    guard version != .http1_0 else { return false }
    // Without the index that a subscript makes.
    guard let field = headers.first(where: { $0.name == .expect }) else { return expectsContinue }
    return field.value.lowercased() == "100-continue"
  }

  /// The request as a server gets it that is asked for its word.
  var expecting: OutgoingRequest {
    guard !headers.contains(.expect) else { return self }
    var request = self
    request.headers[.expect] = "100-continue"
    return request
  }
}
