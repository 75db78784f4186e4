import CWebP
import LupineCore
import LupineFoundation

/// Encodes with libwebp.
enum WebPEncoder {
  static func encode(_ image: Image, quality: Int) throws(LupineError) -> Data {
    guard max(image.width, image.height) <= WEBP_MAX_DIMENSION else {
      throw LupineError(.invalidImage, "A side of a WebP file has at most \(WEBP_MAX_DIMENSION) pixels.")
    }
    var file: UnsafeMutablePointer<UInt8>?
    let count = WebPEncodeRGBA(
      image.pixels, Int32(image.width), Int32(image.height), Int32(image.bytesPerRow), Float(quality), &file)
    defer { WebPFree(file) }
    guard count > 0, let file else {
      throw LupineError(.other, "libwebp cannot encode a picture of \(image.size) pixels.")
    }
    return Data(bytes: file, count: count)
  }
}
