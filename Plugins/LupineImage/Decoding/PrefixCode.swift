/// Reads numbers from bytes, the least significant bit first (RFC 9649 section 3.1).
///
/// After the end it reads zeros, and `isOver` is true.
struct BitReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  private var held: UInt64 = 0
  private var count = 0
  /// Whether more bits were read than there are.
  private(set) var isOver = false

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Reads a number of at most 32 bits.
  mutating func read(_ size: Int) -> Int {
    while count < size {
      if offset < bytes.count { held |= UInt64(bytes[offset]) << UInt64(count) } else { isOver = true }
      offset += 1
      count += 8
    }
    let value = held & ((1 << UInt64(size)) - 1)
    held >>= UInt64(size)
    count -= size
    return Int(value)
  }
}

/// A canonical prefix code with lengths up to 15 bits (RFC 9649 section 6.2.1).
struct PrefixCode {
  private static let longest = 15

  /// The number of symbols of each length.
  private var counts = [Int](repeating: 0, count: longest + 1)
  /// The symbols by length, and those of one length by value.
  private var symbols: [Int] = []

  /// Creates a code from the length of each symbol, of which 0 means that the symbol does not occur; `nil` if the lengths
  /// are no code.
  ///
  /// A code with one symbol takes no bits.
  init?(lengths: [Int]) {
    for length in 1...Self.longest {
      for (symbol, each) in lengths.enumerated() where each == length { symbols.append(symbol) }
      counts[length] = symbols.count - counts[..<length].reduce(0, +)
    }
    if symbols.count == 1 { return }
    var free = 1
    for length in 1...Self.longest {
      free = free * 2 - counts[length]
      if free < 0 { return nil }
    }
    if free != 0 { return nil }
  }

  /// Reads one symbol.
  func read(_ bits: inout BitReader) -> Int {
    if symbols.count == 1 { return symbols[0] }
    var (code, first, index) = (0, 0, 0)
    for length in 1...Self.longest {
      code |= bits.read(1)
      let count = counts[length]
      if code - count < first { return symbols[index + code - first] }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    return 0
  }
}
