import CBrotli
import LupineCore

/// Owns brotli's decoder state for one stream.
///
/// `@unchecked Sendable`: the struct is the only owner of the C state and cannot be copied, and brotli does not bind a
/// state to a thread.
struct BrotliDecompressor: DecodingStream, ~Copyable, @unchecked Sendable {
  static var coding: String { "br" }

  private let state: OpaquePointer

  init() throws(LupineError) {
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .unavailable(Self.coding) }
    self.state = state
  }

  deinit { BrotliDecoderDestroyInstance(state) }

  mutating func decode(
    _ input: UnsafeRawBufferPointer, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    if BrotliDecoderIsFinished(state) != 0 { throw .trailingData(Self.coding) }
    var inputLeft = input.count
    var nextInput = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var room = chunk.count
    var nextOutput = chunk.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = BrotliDecoderDecompressStream(state, &inputLeft, &nextInput, &room, &nextOutput, nil)
    if result == BROTLI_DECODER_RESULT_ERROR { throw .undecodable(Self.coding, message) }
    return StreamStep(
      consumed: input.count - inputLeft, produced: chunk.count - room,
      isComplete: result == BROTLI_DECODER_RESULT_SUCCESS)
  }

  /// brotli's message for the last error.
  private var message: String {
    guard let text = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state)) else { return "unknown error" }
    return String(cString: text)
  }
}
