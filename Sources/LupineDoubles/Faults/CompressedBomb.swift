public import LupineFoundation

/// A small body in the content coding `deflate` that decodes to many zeros.
public enum CompressedBomb {
  /// The maximum number of bytes to which a body decodes: 16 GiB, from about 100 MB.
  public static let maximumDecodedBytes = 1 << 34

  /// Returns a body that decodes to a number of zeros, from 1 to `maximumDecodedBytes`.
  ///
  /// It is one block with fixed codes (RFC 1951 section 3.2.6) in the zlib format (RFC 1950): a zero, then copies of
  /// it.
  public static func data(decodedBytes count: Int) -> Data {
    let count = min(max(1, count), maximumDecodedBytes)
    var bits = BitWriter(bytes: [0x78, 0x9C])
    bits.write(0b011, width: 3)
    let zero = (code: 0b0000_1100, width: 8)  // the literal 0, its code reversed
    bits.write(zero.code, width: zero.width)
    for _ in 0..<(count - 1) / 258 { bits.write(0b1010_0011, width: 13) }  // 258 bytes from 1 byte back
    for _ in 0..<(count - 1) % 258 { bits.write(zero.code, width: zero.width) }
    bits.write(0, width: 7)
    var bytes = bits.finished
    let checksum = UInt32(count % 65_521) << 16 | 1
    for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: checksum >> UInt32(shift))) }
    return Data(bytes)
  }

  private struct BitWriter {
    var bytes: [UInt8]
    private var pending = 0
    private var width = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func write(_ value: Int, width count: Int) {
      pending |= value << width
      width += count
      while width >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: pending))
        pending >>= 8
        width -= 8
      }
    }

    var finished: [UInt8] { width > 0 ? bytes + [UInt8(truncatingIfNeeded: pending)] : bytes }
  }
}
