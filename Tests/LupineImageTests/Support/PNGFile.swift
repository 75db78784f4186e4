import LupineFoundation

/// A PNG made chunk by chunk, also a contradictory one.
struct PNGFile {
  private(set) var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  var data: Data { Data(bytes) }

  /// - Parameter colours: 0 for grey, 2 for colours, 6 for colours with alpha.
  init(width: Int, height: Int, colours: Int = 2, isInterlaced: Bool = false) {
    add("IHDR", Self.number(width) + Self.number(height) + [8, UInt8(colours), 0, 0, isInterlaced ? 1 : 0])
  }

  /// Adds a chunk with its checksum.
  mutating func add(_ name: String, _ content: [UInt8] = []) {
    let body = Array(name.utf8) + content
    bytes += Self.number(content.count) + body + Self.number(Int(Self.checksum(body)))
  }

  /// Adds the rows, each with its filter byte, without compression, and the end.
  mutating func addRows(_ rows: [UInt8]) {
    add("IDAT", Self.stored(rows))
    add("IEND")
  }

  static func number(_ value: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(value >> (8 * $0) & 255) } }

  /// A zlib stream of stored blocks (RFC 1950, RFC 1951 section 3.2.4).
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(65_535)
      let length = block.count
      stream += [rest.isEmpty ? 1 : 0, UInt8(length & 255), UInt8(length >> 8)]
      stream += [UInt8(~length & 255), UInt8(~length >> 8 & 255)] + block
    } while !rest.isEmpty
    var (low, high) = (1, 0)
    for byte in bytes {
      low = (low + Int(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return stream + number(high << 16 | low)
  }

  /// A zlib stream that decodes to this number of zeros, a thousandth of its size (RFC 1951 section 3.2.6).
  static func bomb(_ count: Int) -> [UInt8] {
    var bits = BitWriter()
    bits.write(0x0178, 16)
    // A final block with fixed codes: a literal 0, and then copies of 258 bytes from a distance of 1.
    bits.write(0b011, 3)
    bits.write(0b0000_1100, 8)
    for _ in 0..<count / 258 {
      bits.write(0b1010_0011, 8)
      bits.write(0, 5)
    }
    bits.write(0, 7)
    return bits.bytes + number(count << 16 | 1)
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { table[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
  }

  private static let table = (0..<256).map { index -> UInt32 in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
  }
}
