import Synchronization

/// Reads a file: exactly the bytes that it had when it was opened.
final class FileReader: BodyReader {
  let length: Int64?
  private let path: String
  private let state: Mutex<State>

  private struct State: ~Copyable {
    let file: OpenFile
    var position: Int64
    let end: Int64
  }

  init(path: String, offset: Int64, length: Int64?) throws(LupineError) {
    self.path = path
    let file = try OpenFile(reading: path)
    let size = try file.size()
    guard (0...size).contains(offset), (0...size - offset).contains(length ?? 0) else {
      throw LupineError(
        .bodyFailed, "The file \(path) has \(size) bytes, not those that the request's body was to send.")
    }
    let count = length ?? size - offset
    self.length = count
    state = Mutex(State(file: file, position: offset, end: offset + count))
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    try state.withLock { (state) throws(LupineError) -> BodyRead in
      let wanted = Int(min(Int64(buffer.count), state.end - state.position))
      guard wanted > 0 else { return .end }
      let count = try state.file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: state.position)
      guard count > 0 else {
        throw LupineError(.bodyFailed, "The file \(path) became shorter while it was being sent.")
      }
      state.position += Int64(count)
      return .bytes(count)
    }
  }

  func cancel() {}
}
