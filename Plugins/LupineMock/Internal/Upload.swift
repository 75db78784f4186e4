import FoundationEssentials
import LupineCore
import Synchronization

/// Reads a request's body to its end.
final class Upload: Sendable {
  private let reader: (any BodyReader)?
  private let ready: Signal?
  private let gathered = Mutex(Data())

  init(_ body: Body, in context: TransferContext) throws(LupineError) {
    guard !body.isNone else {
      reader = nil
      ready = nil
      context.emit(.sent(bytes: 0))
      return
    }
    let signal = Signal()
    reader = try context.makeReader(for: body) { signal.set() }
    ready = signal
  }

  /// What has been read so far.
  var data: Data { reader == nil ? Data() : gathered.withLock { $0 } }

  /// Reads what is at hand; true at the end.
  func readAvailable() throws(LupineError) -> Bool {
    guard let reader else { return true }
    let size = Int(min(max((reader.length ?? .max), 1), 64 << 10))
    var buffer = [UInt8](repeating: 0, count: size)
    while true {
      switch try reader.read(intoArray: &buffer) {
      case .bytes(let count): gathered.withLock { $0.append(contentsOf: buffer[..<count]) }
      case .pending: return false
      case .end: return true
      }
    }
  }

  /// Reads to the end, waiting for what is not there yet.
  func readAll() async throws(LupineError) {
    while true {
      // Cleared before the read, so that a call between the read and the wait is not lost.
      ready?.clear()
      if try readAvailable() { return }
      await ready?.wait()
      if Task.isCancelled { throw LupineError(.cancelled, "The request was cancelled while its body was read.") }
    }
  }

  /// Lets go of a body whose rest is not wanted.
  func cancel() { reader?.cancel() }
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
