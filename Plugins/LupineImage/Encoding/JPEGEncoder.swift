import CTurboJPEG
import LupineCore
import LupineFoundation

/// Owns a compressor of libjpeg-turbo.
struct JPEGEncoder: ~Copyable {
  private let handle: tjhandle

  init() throws(LupineError) {
    guard let handle = tjInitCompress() else {
      throw LupineError(.other, "libjpeg-turbo has no memory for a compressor.")
    }
    self.handle = handle
  }

  deinit { tjDestroy(handle) }

  consuming func encode(_ image: Image, quality: Int) throws(LupineError) -> Data {
    var file: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let isOpaque = image.isOpaque
    let pixels = isOpaque ? image.pixels : image.opaquePixels()
    let result = tjCompress2(
      handle, pixels, Int32(clamping: image.width), Int32(clamping: pixels.count / image.height),
      Int32(clamping: image.height), (isOpaque ? TJPF_RGBX : TJPF_RGB).rawValue, &file, &count,
      Int32(TJSAMP_420.rawValue), Int32(quality), 0)
    defer { tjFree(file) }
    guard result == 0, let file else {
      let text = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "no message"
      throw LupineError(.invalidImage, "libjpeg-turbo cannot encode a picture of \(image.size) pixels: \(text).")
    }
    return Data(bytes: file, count: Int(count))
  }
}
