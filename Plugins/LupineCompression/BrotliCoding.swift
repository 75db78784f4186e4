public import LupineCore

/// The `br` content coding (RFC 7932), implemented with Google's brotli.
///
/// The decoder refuses bytes after the end of the coded data, and windows over the 16 MiB of RFC 7932. A body without
/// bytes decodes to no bytes.
public struct BrotliCoding: ContentCoding {
  /// The quality of the encoder, from 0 (fastest) to 11 (smallest, and slow).
  public let quality: Int

  /// Creates the coding with a quality; a value outside 0 to 11 is clamped.
  ///
  /// The default, 5, suits bodies that are encoded while they are sent.
  public init(quality: Int = 5) { self.quality = min(max(quality, 0), 11) }

  /// The name in `Content-Encoding` and `Accept-Encoding`.
  public var name: String { "br" }

  /// No other names.
  public var aliases: [String] { [] }

  /// Makes a decoder for one body.
  public func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer {
    Decoder(try BrotliDecompressor(), limits: limits)
  }

  /// Makes an encoder for one body.
  public func makeEncoder() throws(LupineError) -> any BodyTransformer {
    Encoder(try BrotliCompressor(quality: quality))
  }
}

extension ContentCoding where Self == BrotliCoding {
  /// The `br` content coding at quality 5.
  public static var brotli: BrotliCoding { BrotliCoding() }

  /// The `br` content coding at a quality from 0 (fastest) to 11 (smallest, and slow).
  public static func brotli(quality: Int) -> BrotliCoding { BrotliCoding(quality: quality) }
}
