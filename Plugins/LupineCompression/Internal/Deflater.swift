import LupineCore

/// Encodes with deflate, in the gzip or the zlib format.
struct Deflater: EncodingStream, ~Copyable {
  /// The format around the deflate data.
  enum Format: String {
    case gzip
    case zlib = "deflate"
  }

  private let handle: DeflateHandle
  private let format: Format

  init(format: Format, level: Int) throws(LupineError) {
    self.format = format
    handle = try DeflateHandle(windowBits: format == .gzip ? 15 + 16 : 15, level: level, coding: format.rawValue)
  }

  mutating func encode(
    _ input: UnsafeRawBufferPointer, isEnd: Bool, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    try handle.deflate(input, isEnd: isEnd, into: chunk, coding: format.rawValue)
  }
}
