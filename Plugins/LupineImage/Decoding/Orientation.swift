import LupineCore

/// The orientation of the pixels in a file (Exif 2.32 section 4.6.4, tag 0x0112).
enum Orientation: Int, CaseIterable {
  case normal = 1
  case mirrored, rotated180, flipped, transposed, rotated90, transversed, rotated270

  /// Reads the orientation from Exif data; data without one, or that break off before it, have the normal orientation.
  ///
  /// Cameras write 0 for an unknown orientation, which is the normal one.
  ///
  /// - Parameter exif: a TIFF header and its first directory, without the prefix `Exif`.
  /// - Throws: kind `invalidImage` for a number above 8.
  init(exif: UnsafeRawBufferPointer?) throws(LupineError) {
    let number = exif.flatMap(Self.number) ?? 1
    guard let orientation = Orientation(rawValue: max(number, 1)) else {
      throw LupineError(.invalidImage, "The Exif orientation is \(number); it may be 1 to 8.")
    }
    self = orientation
  }

  /// The number of the tag in the first directory; `nil` if there is none.
  private static func number(in exif: UnsafeRawBufferPointer) -> Int? {
    var reader = ByteReader(exif)
    if reader.hasText("II", at: 0) { reader.isLittleEndian = true } else if !reader.hasText("MM", at: 0) { return nil }
    guard reader.uint16(at: 2) == 42, let directory = reader.uint32(at: 4), let count = reader.uint16(at: directory)
    else {
      return nil
    }
    for index in 0..<count {
      let entry = directory + 2 + index * 12
      guard let tag = reader.uint16(at: entry) else { return nil }
      // The type 3 is a 16-bit number, which is stored in the entry.
      if tag == 0x0112 { return reader.uint16(at: entry + 2) == 3 ? reader.uint16(at: entry + 8) : nil }
    }
    return nil
  }

  /// Whether width and height are exchanged.
  var isTransposing: Bool { rawValue >= Orientation.transposed.rawValue }

  /// Returns a closure for the sizes of the file, from one for the sizes of the picture.
  func wrapping(_ needed: ((ImageSize) -> ImageSize)?) -> ((ImageSize) -> ImageSize)? {
    guard let needed, isTransposing else { return needed }
    return { needed($0.transposed).transposed }
  }

  /// Returns the picture with its first row at the top.
  func apply(to image: Image) -> Image {
    if self == .normal { return image }
    let size = isTransposing ? image.size.transposed : image.size
    let (start, columnStep, rowStep) = path(width: image.width, height: image.height)
    let pixels = [UInt8](unsafeUninitializedCapacity: size.pixelCount * 4) { buffer, initialized in
      image.pixels.withUnsafeBytes { source in
        let target = UnsafeMutableRawBufferPointer(buffer)
        var offset = 0
        for row in 0..<size.height {
          var position = start + row * rowStep
          for _ in 0..<size.width {
            target.storeBytes(
              of: source.loadUnaligned(fromByteOffset: position * 4, as: UInt32.self),
              toByteOffset: offset, as: UInt32.self)
            position += columnStep
            offset += 4
          }
        }
      }
      initialized = size.pixelCount * 4
    }
    return Image(size, pixels)
  }

  /// The number of the pixel in the file that is the first of the picture, and the steps to its right and lower
  /// neighbours.
  private func path(width: Int, height: Int) -> (start: Int, columnStep: Int, rowStep: Int) {
    let last = width * height - 1
    return switch self {
    case .normal: (0, 1, width)
    case .mirrored: (width - 1, -1, width)
    case .rotated180: (last, -1, -width)
    case .flipped: (last - width + 1, 1, -width)
    case .transposed: (0, width, 1)
    case .rotated90: (last - width + 1, -width, 1)
    case .transversed: (last, -width, -1)
    case .rotated270: (width - 1, width, -1)
    }
  }
}
