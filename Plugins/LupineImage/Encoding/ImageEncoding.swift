public import LupineCore
public import LupineFoundation

/// A format to write a picture in.
public enum ImageEncoding: Sendable, Hashable {
  /// PNG, without loss.
  case png
  /// JPEG with a quality from 1 to 100; other numbers are clamped.
  ///
  /// JPEG has no transparency: the picture is drawn on white.
  case jpeg(quality: Int)
  /// WebP with a quality from 0 to 100; other numbers are clamped.
  ///
  /// A side may have 16,383 pixels.
  case webp(quality: Int)

  /// The format.
  public var format: ImageFormat {
    switch self {
    case .png: .png
    case .jpeg: .jpeg
    case .webp: .webp
    }
  }
}

extension Image {
  /// Returns the picture as a file, which contains its pixels and no metadata.
  ///
  /// The function computes for a while: do not call it on the main actor or on a transport's thread.
  ///
  /// - Throws: kind `invalidImage` if the format cannot have the size, such as more than 65,500 pixels a side in a JPEG.
  public func encoded(as encoding: ImageEncoding) throws(LupineError) -> Data {
    switch encoding {
    case .png: try PNGEncoder().encode(self)
    case .jpeg(let quality): try JPEGEncoder().encode(self, quality: min(max(quality, 1), 100))
    case .webp(let quality): try WebPEncoder.encode(self, quality: min(max(quality, 0), 100))
    }
  }

  /// Whether no pixel is transparent.
  var isOpaque: Bool {
    pixels.withUnsafeBufferPointer { pixels in
      var alpha: UInt8 = 255
      for offset in stride(from: 3, to: pixels.count, by: 4) { alpha &= pixels[offset] }
      return alpha == 255
    }
  }

  /// The red, green and blue of each pixel on a white ground.
  func opaquePixels() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size.pixelCount * 3) { target, initialized in
      pixels.withUnsafeBufferPointer { source in
        var offset = 0
        for start in stride(from: 0, to: source.count, by: 4) {
          let alpha = Int(source[start + 3])
          for channel in 0..<3 {
            target[offset] = UInt8((Int(source[start + channel]) * alpha + 255 * (255 - alpha) + 127) / 255)
            offset += 1
          }
        }
      }
      initialized = size.pixelCount * 3
    }
  }
}
