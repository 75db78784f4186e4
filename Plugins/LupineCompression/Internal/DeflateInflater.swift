import LupineCore

/// Decodes deflate data, in the zlib format or bare, as its first two bytes tell.
struct DeflateInflater: DecodingStream, ~Copyable {
  static var coding: String { "deflate" }

  /// How far the two bytes have come that tell the format.
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
      choose(input[0], input[1])
      step = try handle.inflate(input, into: chunk, coding: Self.coding)
    case .unknownAfter(let first):
      step = try begin(first, input[0], into: chunk)
    }
    format = step.isComplete ? .ended : .known
    return step
  }

  /// Decodes the two bytes that told the format, when they came one at a time.
  private func begin(
    _ first: UInt8, _ second: UInt8, into chunk: UnsafeMutableRawBufferPointer
  ) throws(LupineError) -> StreamStep {
    choose(first, second)
    let header = (first, second)
    var step = try withUnsafeBytes(of: header) { (bytes) throws(LupineError) in
      try handle.inflate(bytes, into: chunk, coding: Self.coding)
    }
    // Two bytes hold a zlib header, or a bare block's header and one symbol at most: no chunk is too small for that.
    guard step.consumed == 2 else { throw .undecodable(Self.coding, "its first two bytes are invalid") }
    step.consumed = 1
    return step
  }

  /// A zlib header names the method 8, a window of 32 KiB at most, and is a multiple of 31 (RFC 1950 section 2.2).
  ///
  /// Bare deflate data begins so only with a stored block whose padding bits are not zero, which no encoder writes.
  private func choose(_ first: UInt8, _ second: UInt8) {
    let isZlib = first & 0x0f == 8 && first >> 4 <= 7 && (UInt16(first) << 8 | UInt16(second)) % 31 == 0
    if !isZlib { handle.reset(windowBits: -15) }
  }
}
