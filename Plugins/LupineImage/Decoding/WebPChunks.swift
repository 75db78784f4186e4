import LupineCore

/// The chunks of a WebP file (RFC 9649 section 2), read before the file is decoded.
struct WebPChunks {
  /// The Exif data without the prefix that some programs write.
  private(set) var exif: UnsafeRawBufferPointer?
  /// The streams of pixels or of alpha without loss.
  private(set) var lossless: [Lossless] = []

  /// A stream that is coded without loss.
  struct Lossless {
    let stream: UnsafeRawBufferPointer
    /// Whether the stream begins with its size.
    let hasHeader: Bool
  }

  /// - Throws: kind `invalidImage` if the file breaks off, `imageLimitExceeded` if it has too many chunks.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(LupineError) {
    let reader = ByteReader(bytes, isLittleEndian: true)
    guard let size = reader.uint32(at: 4), let content = reader.slice(at: 0, count: size + 8) else {
      throw LupineError(.invalidImage, "The WebP file is shorter than its header states.")
    }
    let chunks = ByteReader(content, isLittleEndian: true)
    var offset = 12
    var count = 0
    while offset < content.count {
      guard let length = chunks.uint32(at: offset + 4), let content = chunks.slice(at: offset + 8, count: length) else {
        throw LupineError(.invalidImage, "The chunk at byte \(offset) of the WebP file has no end.")
      }
      count += 1
      if count > limits.chunks { throw .imageLimit(.chunks, "The WebP file has more than \(limits.chunks) chunks") }
      if chunks.hasText("EXIF", at: offset) { exif = Self.withoutPrefix(content) }
      if chunks.hasText("VP8L", at: offset) { lossless.append(Lossless(stream: content, hasHeader: true)) }
      // The first two bits of the alpha name its compression.
      if chunks.hasText("ALPH", at: offset), let first = content.first, first & 3 == 1 {
        let stream = UnsafeRawBufferPointer(rebasing: content.dropFirst())
        lossless.append(Lossless(stream: stream, hasHeader: false))
      }
      offset += 8 + length + length % 2
    }
  }

  private static func withoutPrefix(_ content: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let reader = ByteReader(content)
    return reader.hasText("Exif\0\0", at: 0) ? reader.slice(at: 6, count: content.count - 6) : content
  }
}
