import LupineCore
import LupineFoundation

/// Decodes a file with the library of its format, within limits.
struct ImageDecoder {
  let limits: ImageLimits
  let watch: DecodingWatch

  /// Decodes a file.
  ///
  /// - Parameters:
  ///   - contentType: the media type that the server named; `nil` accepts each format.
  ///   - needed: the size of the picture that the program needs; `nil` means all pixels. The result has the size of the
  ///     file, or a smaller one that covers the needed size, if the format can be shrunk while it is decoded.
  func decode(
    _ data: Data, contentType: String?, covering needed: ((ImageSize) -> ImageSize)? = nil
  ) throws(LupineError) -> DecodedImage {
    try limits.check(fileSize: data.count)
    let format = try ImageFormat.format(firstBytes: data.prefix(12), contentType: contentType)
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(LupineError) in try decode(bytes, format, covering: needed) }
    }
    return try result.get()
  }

  private func decode(
    _ bytes: UnsafeRawBufferPointer, _ format: ImageFormat, covering needed: ((ImageSize) -> ImageSize)?
  ) throws(LupineError) -> DecodedImage {
    let image: Image
    var fullSize: ImageSize?
    let orientation: Orientation
    switch format {
    case .jpeg:
      let segments = try JPEGSegments(bytes, limits: limits)
      orientation = try Orientation(exif: segments.exif)
      fullSize = segments.size
      image = try JPEGDecoder.decode(bytes, segments, orientation.wrapping(needed))
    case .png:
      let chunks = try PNGChunks(bytes, limits: limits)
      orientation = try Orientation(exif: chunks.exif)
      image = try PNGDecoder(bytes, limits).decode(watch)
    case .webp:
      let chunks = try WebPChunks(bytes, limits: limits)
      orientation = try Orientation(exif: chunks.exif)
      image = try WebPDecoder.decode(bytes, chunks, limits, watch)
    }
    try watch.check()
    let size = fullSize ?? image.size
    return DecodedImage(
      image: orientation.apply(to: image), fullSize: orientation.isTransposing ? size.transposed : size)
  }
}
