public import LupineCore

/// The `zstd` content coding (RFC 8878), over Meta's zstd.
///
/// The decoder accepts several frames one after another and refuses anything else that follows a frame; a window over
/// the 8 MiB of RFC 9659 and the formats from before RFC 8878 are refused too. A body of no bytes decodes to no bytes.
public struct ZstdCoding: ContentCoding {
  /// How hard the encoder works, from 1 (fastest) to 19 (smallest, and slow).
  public let level: Int

  /// Codes at the given level; values outside 1 to 19 are moved to the nearest one.
  ///
  /// Higher levels of zstd need windows that RFC 9659 forbids.
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
