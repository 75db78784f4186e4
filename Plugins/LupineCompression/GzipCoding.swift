public import LupineCore

/// The `gzip` content coding (RFC 9110 section 8.4.1.3, RFC 1952), implemented with zlib.
///
/// The decoder accepts several members in sequence, and checks each member's CRC. It ignores up to 64 KiB of zeros and
/// line ends after a member, and refuses any other bytes there. A body without bytes decodes to no bytes.
public struct GzipCoding: ContentCoding {
  /// The level of the encoder, from 0 (stored) to 9 (smallest).
  public let level: Int

  /// Creates the coding with a level; a value outside 0 to 9 is clamped.
  ///
  /// Default: 6.
  public init(level: Int = 6) { self.level = min(max(level, 0), 9) }

  /// The name in `Content-Encoding` and `Accept-Encoding`.
  public var name: String { "gzip" }

  /// The equivalent name `x-gzip` (RFC 9110 section 8.4.1.3).
  public var aliases: [String] { ["x-gzip"] }

  /// Makes a decoder for one body.
  ///
  /// - Throws: `LupineError` of kind `other` if zlib cannot be set up.
  public func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer {
    StreamDecoder(try GzipDecompressor(), limits: limits)
  }

  /// Makes an encoder for one body.
  ///
  /// - Throws: `LupineError` of kind `other` if zlib cannot be set up.
  public func makeEncoder() throws(LupineError) -> any BodyTransformer {
    StreamEncoder(try ZlibCompressor(format: .gzip, level: level))
  }
}

extension ContentCoding where Self == GzipCoding {
  /// The `gzip` content coding at level 6.
  public static var gzip: GzipCoding { GzipCoding() }

  /// The `gzip` content coding at a level from 0 (stored) to 9 (smallest).
  public static func gzip(level: Int) -> GzipCoding { GzipCoding(level: level) }
}

/// Decodes gzip members in sequence (RFC 1952 section 2.2).
struct GzipDecompressor: DecodingStream, ~Copyable {
  static var coding: String { "gzip" }
  /// 15 for a window of 32 KiB, plus 16 for the gzip format only.
  private static var windowBits: Int32 { 15 + 16 }
  /// The first byte of every member.
  private static var magic: UInt8 { 0x1f }

  private let handle: InflateHandle
  private var isBetweenMembers = false

  init() throws(LupineError) {
    handle = try InflateHandle(windowBits: Self.windowBits, coding: Self.coding)
  }

  mutating func decode(
    _ input: UnsafeRawBufferPointer, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    if isBetweenMembers, let first = input.first {
      guard first == Self.magic else { throw .trailingData(Self.coding) }
      handle.reset(windowBits: Self.windowBits)
      isBetweenMembers = false
    }
    let step = try handle.inflate(input, into: chunk, coding: Self.coding)
    isBetweenMembers = step.isComplete
    return step
  }
}
