public import LupineCore

/// The `deflate` content coding (RFC 9110 section 8.4.1.2), implemented with zlib.
///
/// The encoder writes deflate data (RFC 1951) in the zlib format (RFC 1950), as the RFC requires. The decoder also
/// accepts raw deflate data, which some servers send; the first two bytes decide. It refuses bytes after the end of the
/// coded data. A body without bytes decodes to no bytes.
public struct DeflateCoding: ContentCoding {
  /// The level of the encoder, from 0 (stored) to 9 (smallest).
  public let level: Int

  /// Creates the coding with a level; a value outside 0 to 9 is clamped.
  ///
  /// Default: 6.
  public init(level: Int = 6) { self.level = min(max(level, 0), 9) }

  /// The name in `Content-Encoding` and `Accept-Encoding`.
  public var name: String { "deflate" }

  /// No other names.
  public var aliases: [String] { [] }

  /// Makes a decoder for one body.
  public func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer {
    Decoder(try DeflateInflater(), limits: limits)
  }

  /// Makes an encoder for one body.
  public func makeEncoder() throws(LupineError) -> any BodyTransformer {
    Encoder(try Deflater(format: .zlib, level: level))
  }
}

extension ContentCoding where Self == DeflateCoding {
  /// The `deflate` content coding at level 6.
  public static var deflate: DeflateCoding { DeflateCoding() }

  /// The `deflate` content coding at a level from 0 (stored) to 9 (smallest).
  public static func deflate(level: Int) -> DeflateCoding { DeflateCoding(level: level) }
}
