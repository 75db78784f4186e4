import LupineCore

/// The chunks of a PNG (PNG third edition section 5), read before the file is decoded.
struct PNGChunks {
  /// The Exif data of the chunk `eXIf`.
  private(set) var exif: UnsafeRawBufferPointer?

  /// Reads the chunks up to `IEND`, so that a truncated file is refused before it is decoded.
  ///
  /// - Throws: kind `imageLimitExceeded` if the size or the number of the chunks exceeds a limit, `invalidImage` if the
  ///   file breaks off.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(LupineError) {
    let reader = ByteReader(bytes)
    var offset = 8
    var count = 0
    var isEnded = false
    while !isEnded {
      guard let length = reader.uint32(at: offset), let content = reader.slice(at: offset + 8, count: length),
        reader.uint32(at: offset + 8 + length) != nil
      else {
        throw LupineError(.invalidImage, "The PNG breaks off: its chunk at byte \(offset) has no end.")
      }
      if count == 0 { try Self.checkHeader(reader, offset, content, limits) }
      count += 1
      if count > limits.chunks { throw .imageLimit(.chunks, "The PNG has more than \(limits.chunks) chunks") }
      let hasPixels = reader.hasText("IDAT", at: offset + 4) || reader.hasText("fdAT", at: offset + 4)
      if !hasPixels, length > limits.chunk {
        throw .imageLimit(.chunk, "A chunk of the PNG has \(length) bytes; \(limits.chunk) are allowed")
      }
      if reader.hasText("eXIf", at: offset + 4) { exif = content }
      isEnded = reader.hasText("IEND", at: offset + 4)
      offset += 12 + length
    }
  }

  private static func checkHeader(
    _ reader: ByteReader, _ offset: Int, _ content: UnsafeRawBufferPointer, _ limits: ImageLimits
  ) throws(LupineError) {
    let header = ByteReader(content)
    guard reader.hasText("IHDR", at: offset + 4), let width = header.uint32(at: 0), let height = header.uint32(at: 4)
    else {
      throw LupineError(.invalidImage, "The PNG does not begin with its header.")
    }
    try limits.check(ImageSize(width: width, height: height))
  }
}
