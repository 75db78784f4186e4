import CSPNG
import LupineCore
import LupineFoundation

/// Owns an encoder of libspng.
struct PNGEncoder: ~Copyable {
  private let context: OpaquePointer

  init() throws(LupineError) {
    guard let context = spng_ctx_new(Int32(SPNG_CTX_ENCODER.rawValue)) else {
      throw LupineError(.other, "libspng has no memory for an encoder.")
    }
    self.context = context
  }

  deinit { spng_ctx_free(context) }

  /// Encodes a picture, without an alpha channel if no pixel is transparent.
  consuming func encode(_ image: Image) throws(LupineError) -> Data {
    let isOpaque = image.isOpaque
    let pixels = isOpaque ? image.opaquePixels() : image.pixels
    let colours = isOpaque ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA
    var header = spng_ihdr(
      width: UInt32(clamping: image.width), height: UInt32(clamping: image.height), bit_depth: 8,
      color_type: UInt8(colours.rawValue), compression_method: 0, filter_method: 0, interlace_method: 0)
    try check(spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1))
    try check(spng_set_ihdr(context, &header))
    try check(
      spng_encode_image(
        context, pixels, pixels.count, Int32(SPNG_FMT_PNG.rawValue), Int32(SPNG_ENCODE_FINALIZE.rawValue)))
    var count = 0
    var code: Int32 = 0
    guard let file = spng_get_png_buffer(context, &count, &code) else { throw failure(code) }
    return Data(bytesNoCopy: file, count: count, deallocator: .free)
  }

  private borrowing func check(_ code: Int32) throws(LupineError) { if code != 0 { throw failure(code) } }

  private borrowing func failure(_ code: Int32) -> LupineError {
    LupineError(
      .invalidImage,
      "libspng cannot encode the picture: \(spng_strerror(code).map { String(cString: $0) } ?? "\(code)").")
  }
}
