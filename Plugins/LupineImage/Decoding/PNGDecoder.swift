import CSPNG
import LupineCore

/// Owns a decoder of libspng.
struct PNGDecoder: ~Copyable {
  private let context: OpaquePointer
  private let limits: ImageLimits

  /// - Parameter bytes: the file, which must outlive the decoder.
  init(_ bytes: UnsafeRawBufferPointer, _ limits: ImageLimits) throws(LupineError) {
    guard let context = spng_ctx_new(0) else { throw LupineError(.other, "libspng has no memory for a decoder.") }
    self.context = context
    self.limits = limits
    let side = UInt32(clamping: limits.side)
    spng_set_image_limits(context, side, side)
    // A chunk, and all chunks together, which libspng keeps.
    let chunk = min(max(limits.chunk, 0), Int(Int32.max))
    spng_set_chunk_limits(context, chunk, chunk * 2)
    spng_set_option(context, SPNG_CHUNK_COUNT_LIMIT, Int32(clamping: limits.chunks))
    spng_set_png_buffer(context, bytes.baseAddress, bytes.count)
  }

  deinit { spng_ctx_free(context) }

  /// Decodes the file row by row.
  consuming func decode(_ watch: DecodingWatch) throws(LupineError) -> Image {
    var header = spng_ihdr()
    try check(spng_get_ihdr(context, &header))
    let size = ImageSize(width: Int(header.width), height: Int(header.height))
    try limits.check(size)
    let format = Int32(SPNG_FMT_RGBA8.rawValue)
    let flags = Int32(SPNG_DECODE_TRNS.rawValue | SPNG_DECODE_PROGRESSIVE.rawValue)
    try check(spng_decode_image(context, nil, 0, format, flags))
    return try Image(size) { (pixels) throws(LupineError) in try decodeRows(size, into: pixels, watch) }
  }

  /// Decodes all rows; each row of an interlaced file comes several times, with some more of its pixels.
  private borrowing func decodeRows(
    _ size: ImageSize, into pixels: UnsafeMutableRawBufferPointer, _ watch: DecodingWatch
  ) throws(LupineError) {
    let rowSize = size.width * 4
    while true {
      try watch.check()
      var row = spng_row_info()
      try check(spng_get_row_info(context, &row))
      let start = Int(row.row_num) * rowSize
      guard start + rowSize <= pixels.count else { throw failure(Int32(SPNG_EINTERNAL.rawValue)) }
      let code = spng_decode_row(context, pixels.baseAddress.map { $0 + start }, rowSize)
      if code == SPNG_EOI.rawValue { return }
      try check(code)
    }
  }

  private borrowing func check(_ code: Int32) throws(LupineError) { if code != 0 { throw failure(code) } }

  private borrowing func failure(_ code: Int32) -> LupineError {
    if UInt32(bitPattern: code) == SPNG_ECHUNK_LIMITS.rawValue {
      return .imageLimit(.chunk, "A chunk of the PNG has more than \(limits.chunk) bytes, or all have twice as many")
    }
    let text = spng_strerror(code).map { String(cString: $0) } ?? "\(code)"
    return LupineError(.invalidImage, "libspng cannot decode the PNG: \(text).")
  }
}
