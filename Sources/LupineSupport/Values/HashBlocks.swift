/// Divides the input of a hash function of FIPS 180-4 into blocks of 64 bytes, and pads its end (section 5.1.1).
public struct HashBlocks: Sendable {
  /// The bytes since the last whole block.
  private var block: [UInt8] = []
  private var length: UInt64 = 0

  /// Creates blocks before the first byte.
  public init() {}

  /// Adds bytes, and calls `mix` with the whole blocks that they complete.
  ///
  /// `mix` is called at most twice, each time with a multiple of 64 bytes, which may be none.
  public mutating func add(_ bytes: UnsafeRawBufferPointer, _ mix: (UnsafeRawBufferPointer) -> Void) {
    length += UInt64(bytes.count)
    var rest = bytes[...]
    if !block.isEmpty {
      let count = min(64 - block.count, rest.count)
      block += rest.prefix(count)
      rest = rest.dropFirst(count)
      guard block.count == 64 else { return }
      block.withUnsafeBytes(mix)
      block.removeAll(keepingCapacity: true)
    }
    let whole = rest.count & ~63
    mix(UnsafeRawBufferPointer(rebasing: rest.prefix(whole)))
    block += rest.dropFirst(whole)
  }

  /// Returns the last blocks: the bytes that wait for a whole block, the padding and the length of the input.
  public func end() -> [UInt8] {
    let bits = length &* 8
    var end = block + [0x80]
    end += [UInt8](repeating: 0, count: (120 - end.count % 64) % 64)
    end += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
    return end
  }

  /// Returns the words of a state as bytes, most significant byte first.
  public static func bytes(of state: [UInt32]) -> [UInt8] {
    state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
  }
}
