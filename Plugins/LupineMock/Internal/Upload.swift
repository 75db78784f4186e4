import FoundationEssentials
import LupineCore
import Synchronization

/// Reads a request's body, to its end or as far as it is wanted.
final class Upload: Sendable {
  private struct State {
    var reader: (any BodyReader)?
    var data = Data()
    var isComplete = false
  }

  private let body: Body
  private let context: TransferContext
  private let ready = Signal()
  private let state = Mutex(State())

  /// Opens the body; one that can be sent only once, and goes through a tunnel that may be refused, when it is wanted.
  init(of request: OutgoingRequest, in context: TransferContext) throws(LupineError) {
    body = request.body
    self.context = context
    if body.isReplayable || !context.tunnels(to: request.url) { _ = try reader() }
  }

  private func reader() throws(LupineError) -> any BodyReader {
    if let reader = state.withLock({ $0.reader }) { return reader }
    let reader = try context.makeReader(for: body) { [ready] in ready.set() }
    state.withLock { $0.reader = reader }
    return reader
  }

  /// What has been read so far.
  var data: Data { state.withLock { $0.data } }

  /// How much has been read so far.
  var count: Int { state.withLock { $0.data.count } }

  /// Whether that is all there is.
  var isComplete: Bool { state.withLock { $0.isComplete } }

  /// Reads what is at hand; true where as much has been read as is wanted, or all there is.
  func readAvailable(upTo limit: Int) throws(LupineError) -> Bool {
    guard limit > count else { return true }
    let reader = try reader()
    var buffer = [UInt8](repeating: 0, count: Int(min(max((reader.length ?? .max), 1), 64 << 10)))
    while case let wanted = limit - count, wanted > 0 {
      if wanted < buffer.count { buffer.removeLast(buffer.count - wanted) }
      switch try reader.read(intoArray: &buffer) {
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

  /// Lets go of a body whose rest is not wanted.
  func cancel() { if !isComplete { state.withLock { $0.reader }?.cancel() } }
}

extension TransferContext {
  /// Whether a proxy would be asked for a tunnel to the URL's server.
  func tunnels(to url: HTTPURL) -> Bool {
    identity.hasTunnellingProxy && url.scheme == .https
  }
}

extension BodyReader {
  /// Fills the front of an array.
  func read(intoArray buffer: inout [UInt8]) throws(LupineError) -> BodyRead {
    let result = buffer.withUnsafeMutableBytes { bytes -> Result<BodyRead, LupineError> in
      do throws(LupineError) { return .success(try read(into: bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
