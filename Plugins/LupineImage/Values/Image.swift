public import LupineCore

/// A picture in memory: 8-bit RGBA, row by row from the top.
///
/// The colours are the values of the file. A colour profile is not applied and not kept. The alpha is not premultiplied.
/// The inks of a JPEG in CMYK are read as complements, as Adobe's programs store them; a file without Adobe's marker may
/// store the inks themselves, and its colours are then inverted.
/// The orientation of the file's Exif data is applied, so that the first row is the top of the picture.
public struct Image: Sendable, Hashable {
  /// The width in pixels, at least 1.
  public let width: Int
  /// The height in pixels, at least 1.
  public let height: Int
  /// The red, green, blue and alpha of each pixel: `height` rows of `bytesPerRow` bytes.
  public let pixels: [UInt8]

  /// The number of bytes from one row to the next: 4 for each pixel.
  public var bytesPerRow: Int { width * 4 }

  /// The size in pixels.
  public var size: ImageSize { ImageSize(width: width, height: height) }

  /// Creates a picture from its pixels.
  ///
  /// - Throws: kind `invalidImage` if a side is below 1, or if the number of bytes is not `width` × `height` × 4.
  public init(width: Int, height: Int, pixels: [UInt8]) throws(LupineError) {
    let (count, isTooLarge) = width.multipliedReportingOverflow(by: height)
    guard width > 0, height > 0, !isTooLarge, pixels.count.isMultiple(of: 4), pixels.count / 4 == count else {
      throw LupineError(.invalidImage, "\(pixels.count) bytes are no RGBA pixels of \(width) × \(height).")
    }
    self.init(ImageSize(width: width, height: height), pixels)
  }

  init(_ size: ImageSize, _ pixels: [UInt8]) {
    width = size.width
    height = size.height
    self.pixels = pixels
  }

  /// Creates a picture whose pixels the closure writes, all of them.
  init(
    _ size: ImageSize, _ write: (UnsafeMutableRawBufferPointer) throws(LupineError) -> Void
  ) throws(LupineError) {
    var failure: LupineError?
    let count = size.pixelCount * 4
    let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(LupineError) {
        try write(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
        initialized = count
      } catch { failure = error }
    }
    if let failure { throw failure }
    self.init(size, pixels)
  }
}

extension Image: CustomStringConvertible, CustomReflectable {
  /// The size, such as `400 × 300 pixels`.
  public var description: String { "\(size) pixels" }

  /// The size, without the pixels.
  public var customMirror: Mirror { Mirror(self, children: ["width": width, "height": height]) }
}

/// A width and a height in pixels.
public struct ImageSize: Sendable, Hashable, CustomStringConvertible {
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int

  /// Creates a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The size, such as `400 × 300`.
  public var description: String { "\(width) × \(height)" }

  /// The number of pixels of a size whose sides have been checked.
  var pixelCount: Int { width * height }

  /// The size with its sides exchanged.
  var transposed: ImageSize { ImageSize(width: height, height: width) }

  /// Whether neither side is smaller than that of the other size.
  func covers(_ other: ImageSize) -> Bool { width >= other.width && height >= other.height }

  /// The smallest size that covers both.
  func union(_ other: ImageSize) -> ImageSize {
    ImageSize(width: max(width, other.width), height: max(height, other.height))
  }
}
