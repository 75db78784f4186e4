public import LupineCore

/// The `zstd` content coding (RFC 8878), implemented with Meta's zstd.
///
/// The decoder accepts several frames in sequence and refuses any other bytes after a frame. It also refuses a window
/// over the 8 MiB of RFC 9659, and the formats that precede RFC 8878. A body without bytes decodes to no bytes.
public struct ZstdCoding: ContentCoding {
  /// The level of the encoder, from 1 (fastest) to 19 (smallest, and slow).
  public let level: Int

  /// Creates the coding with a level; a value outside 1 to 19 is clamped.
  ///
  /// zstd's levels above 19 use windows that RFC 9659 forbids. Default: 3.
  public init(level: Int = 3) { self.level = min(max(level, 1), 19) }

  /// The name in `Content-Encoding` and `Accept-Encoding`.
  public var name: String { "zstd" }

  /// No other names.
  public var aliases: [String] { [] }

  /// Makes a decoder for one body.
  public func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer {
    Decoder(try ZstdDecompressor(), limits: limits)
  }

  /// Makes an encoder for one body.
  public func makeEncoder() throws(LupineError) -> any BodyTransformer {
    Encoder(try ZstdCompressor(level: level))
  }
}

extension ContentCoding where Self == ZstdCoding {
  /// The `zstd` content coding at level 3.
  public static var zstd: ZstdCoding { ZstdCoding() }

  /// The `zstd` content coding at a level from 1 (fastest) to 19 (smallest, and slow).
  public static func zstd(level: Int) -> ZstdCoding { ZstdCoding(level: level) }
}
