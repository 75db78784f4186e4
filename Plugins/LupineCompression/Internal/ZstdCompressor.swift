import CZstd
import LupineCore

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
    _ input: UnsafeRawBufferPointer, isEnd: Bool, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: chunk.baseAddress, size: chunk.count, pos: 0)
    let result = ZSTD_compressStream2(state, &target, &source, isEnd ? ZSTD_e_end : ZSTD_e_continue)
    if ZSTD_isError(result) != 0 {
      throw .unencodable("zstd", String(cString: ZSTD_getErrorName(result)))
    }
    return StreamStep(consumed: source.pos, produced: target.pos, isComplete: isEnd && result == 0)
  }
}
