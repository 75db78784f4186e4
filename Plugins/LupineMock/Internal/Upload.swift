import FoundationEssentials
import LupineCore
import Synchronization

/// Reads a request's body, to its end or as far as it is wanted.
final class Upload: Sendable {
  private let reader: (any BodyReader)?
  private let ready: Signal?
  private let state: Mutex<(data: Data, isComplete: Bool)>

  init(_ body: Body, in context: TransferContext) throws(LupineError) {
    state = Mutex((Data(), body.isNone))
    guard !body.isNone else {
      reader = nil
      ready = nil
      return
    }
    let signal = Signal()
    reader = try context.makeReader(for: body) { signal.set() }
    ready = signal
  }

  /// What has been read so far.
  var data: Data { reader == nil ? Data() : state.withLock { $0.data } }

  /// How much has been read so far.
  var count: Int { reader == nil ? 0 : state.withLock { $0.data.count } }

  /// Whether that is all there is.
  var isComplete: Bool { reader == nil || state.withLock { $0.isComplete } }

  /// Reads what is at hand; true where as much has been read as is wanted, or all there is.
  func readAvailable(upTo limit: Int) throws(LupineError) -> Bool {
    guard let reader else { return true }
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
      ready?.clear()
      if try readAvailable(upTo: limit) { return }
      await ready?.wait()
      if Task.isCancelled { throw LupineError(.cancelled, "The request was cancelled while its body was read.") }
    }
  }

  /// Lets go of a body whose rest is not wanted.
  func cancel() { if !isComplete { reader?.cancel() } }
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
