import CBrotli
import LupineCore

/// Owns brotli's encoder state for one stream.
///
/// `@unchecked Sendable`: the struct is the only owner of the C state and cannot be copied, and brotli does not bind a
/// state to a thread.
struct BrotliCompressor: EncodingStream, ~Copyable, @unchecked Sendable {
  private let state: OpaquePointer

  init(quality: Int) throws(LupineError) {
    guard let state = BrotliEncoderCreateInstance(nil, nil, nil) else { throw .unavailable("br") }
    BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, UInt32(quality))
    self.state = state
  }

  deinit { BrotliEncoderDestroyInstance(state) }

  mutating func encode(
    _ input: UnsafeRawBufferPointer, isEnd: Bool, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    var inputLeft = input.count
    var nextInput = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var room = chunk.count
    var nextOutput = chunk.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let operation = isEnd ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS
    guard BrotliEncoderCompressStream(state, operation, &inputLeft, &nextInput, &room, &nextOutput, nil) != 0 else {
      // brotli's encoder has no error messages.
      throw .unencodable("br", "the encoder failed")
    }
    return StreamStep(
      consumed: input.count - inputLeft, produced: chunk.count - room,
      isComplete: BrotliEncoderIsFinished(state) != 0)
  }
}
