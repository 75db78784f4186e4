import FoundationEssentials
import LupineCore
import Synchronization

/// Reads a body through an encoder, piece by piece.
final class CodingReader: BodyReader {
  fileprivate struct State {
    /// The encoded bytes; those before `position` have been read.
    var output: [UInt8] = []
    var position = 0
    var input = [UInt8](repeating: 0, count: 64 << 10)
    var isOver = false
  }

  private let base: any BodyReader
  private let encoder: any BodyTransformer
  private let state = Mutex(State())

  init(_ base: any BodyReader, _ encoder: any BodyTransformer) {
    self.base = base
    self.encoder = encoder
  }

  var length: Int64? { nil }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(LupineError) -> BodyRead {
    try state.withLock { (state) throws(LupineError) -> BodyRead in
      while state.position == state.output.count {
        if state.isOver { return .end }
        state.position = 0
        state.output.removeAll(keepingCapacity: true)
        switch try base.read(into: &state.input) {
        case .pending: return .pending
        case .bytes(let count): try code(count, &state)
        case .end:
          state.isOver = true
          try encoder.finish { state.output += $0 }
        }
      }
      return .bytes(state.take(into: buffer))
    }
  }

  func cancel() { base.cancel() }

  /// Reads a body in memory to its end.
  func readAll() throws(LupineError) -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while case .bytes(let count) = try read(into: &buffer) { data += buffer.prefix(count) }
    return data
  }

  private func code(_ count: Int, _ state: inout State) throws(LupineError) {
    // The output is moved out of the state while the input is borrowed; its capacity is reused.
    var output: [UInt8] = []
    swap(&output, &state.output)
    defer { swap(&output, &state.output) }
    let result = state.input.withUnsafeBytes { bytes -> Result<Void, LupineError> in
      do throws(LupineError) {
        try encoder.transform(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { output += $0 }
        return .success(())
      } catch { return .failure(error) }
    }
    try result.get()
  }
}

extension CodingReader.State {
  fileprivate mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, output.count - position)
    output.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
    }
    position += count
    return count
  }
}
