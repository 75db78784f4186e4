public import LupineCore

/// The `deflate` content coding (RFC 9110 section 8.4.1.2), implemented with zlib.
///
/// The encoder writes deflate data (RFC 1951) in the zlib format (RFC 1950), as the RFC requires. The decoder also
/// accepts raw deflate data, which some servers send; the first two bytes decide. It ignores up to 64 KiB of zeros and
/// line ends after the coded data, and refuses any other bytes there. A body without bytes decodes to no bytes.
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
  ///
  /// - Throws: `LupineError` of kind `other` if zlib cannot be set up.
  public func makeDecoder(limits: DecodingLimits) throws(LupineError) -> any BodyTransformer {
    StreamDecoder(try DeflateDecompressor(), limits: limits)
  }

  /// Makes an encoder for one body.
  ///
  /// - Throws: `LupineError` of kind `other` if zlib cannot be set up.
  public func makeEncoder() throws(LupineError) -> any BodyTransformer {
    StreamEncoder(try ZlibCompressor(format: .zlib, level: level))
  }
}

extension ContentCoding where Self == DeflateCoding {
  /// The `deflate` content coding at level 6.
  public static var deflate: DeflateCoding { DeflateCoding() }

  /// The `deflate` content coding at a level from 0 (stored) to 9 (smallest).
  public static func deflate(level: Int) -> DeflateCoding { DeflateCoding(level: level) }
}

/// Decodes deflate data in the zlib format or without one; the first two bytes decide.
struct DeflateDecompressor: DecodingStream, ~Copyable {
  static var coding: String { "deflate" }

  /// The progress of the detection of the format.
  private enum Format {
    case unknown
    case unknownAfter(UInt8)
    case known
    case ended
  }

  private let handle: InflateHandle
  private var format = Format.unknown

  init() throws(LupineError) {
    handle = try InflateHandle(windowBits: 15, coding: Self.coding)
  }

  mutating func decode(
    _ input: UnsafeRawBufferPointer, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    let step: StreamStep
    switch format {
    case .known:
      step = try handle.inflate(input, into: chunk, coding: Self.coding)
    case .ended:
      throw .trailingData(Self.coding)
    case .unknown:
      if input.count == 1 {
        format = .unknownAfter(input[0])
        return StreamStep(consumed: 1)
      }
      selectFormat(input[0], input[1])
      step = try handle.inflate(input, into: chunk, coding: Self.coding)
    case .unknownAfter(let first):
      step = try decodeHeader(first, input[0], into: chunk)
    }
    format = step.isComplete ? .ended : .known
    return step
  }

  /// Decodes the two bytes that decide the format, if they arrived one at a time.
  private func decodeHeader(
    _ first: UInt8, _ second: UInt8, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    selectFormat(first, second)
    let header = (first, second)
    var step = try withUnsafeBytes(of: header) { (bytes) throws(LupineError) in
      try handle.inflate(bytes, into: chunk, coding: Self.coding)
    }
    // Two bytes hold a zlib header, or the header of a raw block and at most one symbol, which fit into every chunk.
    guard step.consumed == 2 else { throw .undecodable(Self.coding, "its first two bytes are invalid") }
    step.consumed = 1
    return step
  }

  /// Selects raw deflate unless the two bytes are a zlib header (RFC 1950 section 2.2).
  ///
  /// A zlib header names the method 8 and a window of at most 32 KiB, and is a multiple of 31. Raw deflate data begins
  /// like that only if a stored block has padding bits that are not zero, which no encoder writes.
  private func selectFormat(_ first: UInt8, _ second: UInt8) {
    let isZlib = first & 0x0f == 8 && first >> 4 <= 7 && (UInt16(first) << 8 | UInt16(second)) % 31 == 0
    if !isZlib { handle.reset(windowBits: -15) }
  }
}
