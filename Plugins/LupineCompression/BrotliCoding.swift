import CBrotli
public import LupineCore

/// The `br` content coding (RFC 7932), implemented with Google's brotli.
///
/// The decoder ignores up to 64 KiB of zeros and line ends after the coded data. It refuses any other bytes there, and
/// windows over the 16 MiB of RFC 7932. A body without bytes decodes to no bytes.
public struct BrotliCoding: ContentCoding {
  /// The quality of the encoder, from 0 (fastest) to 11 (smallest, and slow).
  public let quality: Int

  /// Creates the coding with a quality; a value outside 0 to 11 is clamped.
  ///
  /// The default, 5, suits bodies that are encoded while they are sent.
  public init(quality: Int = 5) { self.quality = min(max(quality, 0), 11) }

  /// The name in `Content-Encoding` and `Accept-Encoding`.
  public var name: String { "br" }

  /// No other names.
  public var aliases: [String] { [] }

  /// Makes a decoder for one body.
  ///
  /// - Throws: `LupineError` of kind `other` if brotli cannot be set up.
  public func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer {
    StreamDecoder(try BrotliDecompressor(), limits: limits)
  }

  /// Makes an encoder for one body.
  ///
  /// - Throws: `LupineError` of kind `other` if brotli cannot be set up.
  public func makeEncoder() throws(LupineError) -> any BodyTransformer {
    StreamEncoder(try BrotliCompressor(quality: quality))
  }
}

extension ContentCoding where Self == BrotliCoding {
  /// The `br` content coding at quality 5.
  public static var brotli: BrotliCoding { BrotliCoding() }

  /// The `br` content coding at a quality from 0 (fastest) to 11 (smallest, and slow).
  public static func brotli(quality: Int) -> BrotliCoding { BrotliCoding(quality: quality) }
}

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
    _ input: UnsafeRawBufferPointer, _ operation: EncodingOperation, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    var inputLeft = input.count
    var nextInput = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var room = chunk.count
    var nextOutput = chunk.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let encoderOperation =
      switch operation {
      case .process: BROTLI_OPERATION_PROCESS
      case .flush: BROTLI_OPERATION_FLUSH
      case .finish: BROTLI_OPERATION_FINISH
      }
    guard
      BrotliEncoderCompressStream(state, encoderOperation, &inputLeft, &nextInput, &room, &nextOutput, nil) != 0
    else {
      // brotli's encoder has no error messages.
      throw .unencodable("br", "the encoder failed")
    }
    return StreamStep(
      consumed: input.count - inputLeft, produced: chunk.count - room,
      isComplete: BrotliEncoderIsFinished(state) != 0)
  }
}

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
