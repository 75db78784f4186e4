import LupineCore

/// Decodes gzip members in sequence (RFC 1952 section 2.2).
struct GzipInflater: DecodingStream, ~Copyable {
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
