import CWebP
import LupineCore

/// Owns an incremental decoder of libwebp.
struct WebPDecoder: ~Copyable {
  private let decoder: OpaquePointer

  /// - Parameter pixels: the memory for the pixels, which must outlive the decoder.
  private init(_ pixels: UnsafeMutableRawBufferPointer, rowSize: Int) throws(LupineError) {
    let start = pixels.bindMemory(to: UInt8.self).baseAddress
    guard let decoder = WebPINewRGB(MODE_RGBA, start, pixels.count, Int32(rowSize)) else {
      throw LupineError(.other, "libwebp has no memory for a decoder.")
    }
    self.decoder = decoder
  }

  deinit { WebPIDelete(decoder) }

  /// Decodes a file in sixteenths, so that a time limit can stop it.
  ///
  /// A piece is at least 64 KiB, because the decoder reads the tables of a lossless file again with each piece until it
  /// has all of them.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, _ chunks: WebPChunks, _ limits: ImageLimits, _ watch: DecodingWatch
  ) throws(LupineError) -> Image {
    let size = try Self.size(bytes)
    try limits.check(size)
    for each in chunks.lossless {
      try WebPTables.check(each.stream, hasHeader: each.hasHeader, size, limits, watch)
    }
    return try Image(size) { (pixels) throws(LupineError) in
      let decoder = try WebPDecoder(pixels, rowSize: size.width * 4)
      let step = max(bytes.count / 16, 64 << 10)
      var count = 0
      repeat {
        try watch.check()
        count = min(count + step, bytes.count)
      } while try decoder.update(bytes, count)
    }
  }

  /// Decodes the first bytes of the file; returns whether the decoder needs more.
  private borrowing func update(_ bytes: UnsafeRawBufferPointer, _ count: Int) throws(LupineError) -> Bool {
    let status = WebPIUpdate(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, count)
    switch status {
    case VP8_STATUS_OK: return false
    case VP8_STATUS_SUSPENDED where count < bytes.count: return true
    case VP8_STATUS_SUSPENDED: throw LupineError(.invalidImage, "The WebP file breaks off.")
    default: throw failure(status)
    }
  }

  private static func size(_ bytes: UnsafeRawBufferPointer) throws(LupineError) -> ImageSize {
    var features = WebPBitstreamFeatures()
    let status = WebPGetFeatures(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &features)
    guard status == VP8_STATUS_OK else { throw failure(status) }
    guard features.has_animation == 0 else {
      throw LupineError(.unsupportedImage, "The WebP file is an animation, which is not decoded.")
    }
    return ImageSize(width: Int(features.width), height: Int(features.height))
  }
}

/// libwebp has no texts for its codes.
private func failure(_ status: VP8StatusCode) -> LupineError {
  let text =
    switch status {
    case VP8_STATUS_OUT_OF_MEMORY: "out of memory"
    case VP8_STATUS_INVALID_PARAM: "invalid parameter"
    case VP8_STATUS_BITSTREAM_ERROR: "the bitstream is damaged"
    case VP8_STATUS_UNSUPPORTED_FEATURE: "unsupported feature"
    case VP8_STATUS_NOT_ENOUGH_DATA: "the data break off"
    default: "code \(status.rawValue)"
    }
  return LupineError(.invalidImage, "libwebp cannot decode the WebP file: \(text).")
}
