import CZstd
import LupineCore

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
