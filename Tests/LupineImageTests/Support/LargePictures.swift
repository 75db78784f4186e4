import CTurboJPEG
import CWebP
import LupineCore
import LupineFoundation

/// Files of large black squares, which the libraries encode from memory that no code fills.
enum LargePictures {
  /// A JPEG with all its colours in full size, sequential or progressive.
  ///
  /// - Parameter isInks: whether it has four inks, and so the most memory for each pixel.
  static func jpeg(side: Int, isInks: Bool, isProgressive: Bool) throws -> Data {
    guard let handle = tjInitCompress() else { throw LupineError(.other, "no compressor") }
    defer { tjDestroy(handle) }
    var file: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(file) }
    let result = withBlack(side) { pixels in
      tjCompress2(
        handle, pixels, Int32(side), 0, Int32(side), (isInks ? TJPF_CMYK : TJPF_RGBX).rawValue, &file, &count,
        Int32(TJSAMP_444.rawValue), 90, isProgressive ? TJFLAG_PROGRESSIVE : 0)
    }
    guard result == 0, let file else { throw LupineError(.other, "no JPEG") }
    return Data(bytes: file, count: Int(count))
  }

  /// A lossy WebP file whose pixels are all transparent.
  static func transparentWebP(side: Int) throws -> Data {
    var file: UnsafeMutablePointer<UInt8>?
    let count = withBlack(side) { WebPEncodeRGBA($0, Int32(side), Int32(side), Int32(side * 4), 50, &file) }
    defer { WebPFree(file) }
    guard count > 0, let file else { throw LupineError(.other, "no WebP file") }
    return Data(bytes: file, count: count)
  }

  /// A PNG with alpha whose pixels are zeros.
  static func png(side: Int, isInterlaced: Bool) -> Data {
    var file = PNGFile(width: side, height: side, colours: 6, isInterlaced: isInterlaced)
    // The passes of an interlaced file have some more filter bytes; bytes after the last pixel are ignored.
    file.add("IDAT", PNGFile.bomb(side * (side * 4 + 4)))
    file.add("IEND")
    return file.data
  }

  private static func withBlack<Value>(_ side: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Value) -> Value {
    let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: side * side * 4)
    defer { pixels.deallocate() }
    pixels.initialize(repeating: 0, count: side * side * 4)
    return body(pixels)
  }
}
