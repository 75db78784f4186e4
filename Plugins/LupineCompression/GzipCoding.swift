public import LupineCore

/// The `gzip` content coding (RFC 9110 section 8.4.1.3, RFC 1952), over zlib.
///
/// The decoder accepts several members one after another, checks each member's CRC, and refuses anything else that
/// follows a member. A body of no bytes decodes to no bytes.
public struct GzipCoding: ContentCoding {
  /// How hard the encoder works, from 0 (stored) to 9 (smallest).
  public let level: Int

  /// Codes at the given level; values outside 0 to 9 are moved to the nearest one.
  public init(level: Int = 6) { self.level = min(max(level, 0), 9) }

  /// The name in `Content-Encoding` and `Accept-Encoding`.
  public var name: String { "gzip" }

  /// The name that RFC 9110 section 8.4.1.3 says means the same.
  public var aliases: [String] { ["x-gzip"] }

  /// Makes a decoder for one body.
  public func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer {
    Decoder(try GzipInflater(), limits: limits)
  }

  /// Makes an encoder for one body.
  public func makeEncoder() throws(LupineError) -> any BodyTransformer {
    Encoder(try Deflater(format: .gzip, level: level))
  }
}

extension ContentCoding where Self == GzipCoding {
  /// The `gzip` content coding at level 6.
  public static var gzip: GzipCoding { GzipCoding() }

  /// The `gzip` content coding at a level from 0 (stored) to 9 (smallest).
  public static func gzip(level: Int) -> GzipCoding { GzipCoding(level: level) }
}
