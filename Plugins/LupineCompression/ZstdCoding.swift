import CZstd
public import LupineCore

/// The `zstd` content coding (RFC 8878), implemented with Meta's zstd.
///
/// The decoder accepts several frames in sequence. It ignores up to 64 KiB of zeros and line ends after a frame, and
/// refuses any other bytes there. It also refuses a window over the 8 MiB of RFC 9659, and the formats that precede
/// RFC 8878. A body without bytes decodes to no bytes.
public struct ZstdCoding: ContentCoding {
  /// The level of the encoder, from 1 (fastest) to 19 (smallest, and slow).
  public let level: Int

  /// Creates the coding with a level; a value outside 1 to 19 is clamped.
  ///
  /// zstd's levels above 19 use windows that RFC 9659 forbids. Default: 3.
  public init(level: Int = 3) { self.level = min(max(level, 1), 19) }

  /// The name in `Content-Encoding` and `Accept-Encoding`.
  public var name: String { "zstd" }

  /// No other names.
  public var aliases: [String] { [] }

  /// Makes a decoder for one body.
  ///
  /// - Throws: `LupineError` of kind `other` if zstd cannot be set up.
  public func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer {
    StreamDecoder(try ZstdDecompressor(), limits: limits)
  }

  /// Makes an encoder for one body.
  ///
  /// - Throws: `LupineError` of kind `other` if zstd cannot be set up.
  public func makeEncoder() throws(LupineError) -> any BodyTransformer {
    StreamEncoder(try ZstdCompressor(level: level))
  }
}

extension ContentCoding where Self == ZstdCoding {
  /// The `zstd` content coding at level 3.
  public static var zstd: ZstdCoding { ZstdCoding() }

  /// The `zstd` content coding at a level from 1 (fastest) to 19 (smallest, and slow).
  public static func zstd(level: Int) -> ZstdCoding { ZstdCoding(level: level) }
}

/// Owns zstd's encoder state for one frame.
///
/// `@unchecked Sendable`: the struct is the only owner of the C state and cannot be copied, and zstd does not bind a
/// state to a thread.
struct ZstdCompressor: EncodingStream, ~Copyable, @unchecked Sendable {
  private let state: OpaquePointer

  init(level: Int) throws(LupineError) {
    guard let state = ZSTD_createCStream() else { throw .unavailable("zstd") }
    // With a checksum the receiver detects damage, as with gzip.
    for (parameter, value) in [(ZSTD_c_compressionLevel, CInt(level)), (ZSTD_c_checksumFlag, 1)] {
      guard ZSTD_isError(ZSTD_CCtx_setParameter(state, parameter, value)) == 0 else {
        ZSTD_freeCStream(state)
        throw .unavailable("zstd")
      }
    }
    self.state = state
  }

  deinit { ZSTD_freeCStream(state) }

  mutating func encode(
    _ input: UnsafeRawBufferPointer, _ operation: EncodingOperation, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: chunk.baseAddress, size: chunk.count, pos: 0)
    let directive =
      switch operation {
      case .process: ZSTD_e_continue
      case .flush: ZSTD_e_flush
      case .finish: ZSTD_e_end
      }
    let result = ZSTD_compressStream2(state, &target, &source, directive)
    if ZSTD_isError(result) != 0 {
      throw .unencodable("zstd", String(cString: ZSTD_getErrorName(result)))
    }
    return StreamStep(consumed: source.pos, produced: target.pos, isComplete: operation == .finish && result == 0)
  }
}

/// Owns zstd's decoder state for frames in sequence (RFC 8878 section 3).
///
/// `@unchecked Sendable`: the struct is the only owner of the C state and cannot be copied, and zstd does not bind a
/// state to a thread.
struct ZstdDecompressor: DecodingStream, ~Copyable, @unchecked Sendable {
  static var coding: String { "zstd" }
  /// The binary logarithm of the largest window, 8 MiB (RFC 9659).
  private static var windowLog: CInt { 23 }

  private let state: OpaquePointer
  private var isBetweenFrames = true
  private var hasEndedFrame = false

  init() throws(LupineError) {
    guard let state = ZSTD_createDStream() else { throw .unavailable(Self.coding) }
    guard ZSTD_isError(ZSTD_DCtx_setParameter(state, ZSTD_d_windowLogMax, Self.windowLog)) == 0 else {
      ZSTD_freeDStream(state)
      throw .unavailable(Self.coding)
    }
    self.state = state
  }

  deinit { ZSTD_freeDStream(state) }

  mutating func decode(
    _ input: UnsafeRawBufferPointer, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    if isBetweenFrames, let first = input.first { try checkFrameStart(first) }
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: chunk.baseAddress, size: chunk.count, pos: 0)
    let result = ZSTD_decompressStream(state, &target, &source)
    if ZSTD_isError(result) != 0 {
      throw .undecodable(Self.coding, String(cString: ZSTD_getErrorName(result)))
    }
    isBetweenFrames = result == 0
    if isBetweenFrames { hasEndedFrame = true }
    return StreamStep(consumed: source.pos, produced: target.pos, isComplete: isBetweenFrames)
  }

  /// Refuses data that does not begin with a frame of RFC 8878.
  ///
  /// Distributions build zstd with the decoders of its early formats, which ignore the window limit. The first byte of
  /// those formats differs from that of a frame (0x28) and of a skippable frame (0x50 to 0x5f).
  private func checkFrameStart(_ first: UInt8) throws(LupineError) {
    if first == 0x28 || 0x50...0x5f ~= first { return }
    if hasEndedFrame { throw .trailingData(Self.coding) }
    throw .undecodable(Self.coding, "it does not begin with a frame")
  }
}
