import LupineCore

/// Counts the groups of prefix codes of a lossless WebP stream, for each of which libwebp allocates tables.
///
/// A stream of half a megabyte can have 65,536 groups, whose tables take hundreds of megabytes whatever the size of the
/// picture. The groups are stated by a small picture before the pixels (RFC 9649 section 6.2.2), which this type decodes;
/// it decodes none of the pixels.
struct WebPTables {
  /// The bytes of the tables of one group in libwebp, by the bits of the colour cache, and of the group itself.
  private static func groupSize(cacheBits: Int) -> Int {
    let greens = [654, 656, 658, 662, 670, 686, 718, 782, 912, 1_168, 1_680, 2_704]
    return (2_300 + greens[cacheBits]) * 4 + 600
  }

  private var bits: BitReader
  private let watch: DecodingWatch

  /// Checks a stream.
  ///
  /// - Parameters:
  ///   - stream: the chunk `VP8L`, or the content of a compressed `ALPH` without its first byte.
  ///   - hasHeader: whether the stream begins with its size, as `VP8L` does.
  /// - Throws: kind `imageLimitExceeded` if the tables exceed 4 bytes for each pixel and `limits.tables`, `invalidImage`
  ///   if the stream is damaged before its pixels.
  static func check(
    _ stream: UnsafeRawBufferPointer, hasHeader: Bool, _ size: ImageSize, _ limits: ImageLimits, _ watch: DecodingWatch
  ) throws(LupineError) {
    var tables = WebPTables(bits: BitReader(stream), watch: watch)
    let (groups, cacheBits) = try tables.groups(hasHeader: hasHeader, size)
    let (sum, isUnlimited) = limits.tables.addingReportingOverflow(size.pixelCount * 4)
    let allowed = isUnlimited ? .max : sum
    if groups * groupSize(cacheBits: cacheBits) > allowed {
      throw .imageLimit(
        .tables, "The WebP file has \(groups) groups of prefix codes, whose tables may take more than \(allowed) bytes")
    }
  }

  private mutating func groups(
    hasHeader: Bool, _ size: ImageSize
  ) throws(LupineError) -> (count: Int, cacheBits: Int) {
    if hasHeader {
      _ = bits.read(32)
      _ = bits.read(8)
    }
    var size = size
    var transforms: Set<Int> = []
    while bits.read(1) == 1 {
      let kind = bits.read(2)
      // Each transform occurs once.
      if !transforms.insert(kind).inserted { throw Self.damage }
      switch kind {
      case 0, 1: _ = try picture(size.divided(by: bits.read(3) + 2))
      case 3:
        let colours = bits.read(8) + 1
        _ = try picture(ImageSize(width: colours, height: 1))
        // Several pixels of a picture with few colours are one.
        size.width =
          ImageSize(width: size.width, height: 1)
          .divided(by: colours > 16 ? 0 : colours > 4 ? 1 : colours > 2 ? 2 : 3).width
      default: break
      }
    }
    let cacheBits = try colourCacheBits()
    guard bits.read(1) == 1 else { return (1, cacheBits) }
    var isUsed = [Bool](repeating: false, count: 1 << 16)
    for pixel in try picture(size.divided(by: bits.read(3) + 2)) { isUsed[Int(pixel >> 8 & 0xFFFF)] = true }
    // libwebp makes no tables for unused groups if there are more than 1,000.
    let last = (isUsed.lastIndex(of: true) ?? 0) + 1
    return (last > 1_000 ? isUsed.reduce(0) { $0 + ($1 ? 1 : 0) } : last, cacheBits)
  }

  /// Reads the bits of an index of the colour cache, from 1 to 11; 0 if there is none.
  private mutating func colourCacheBits() throws(LupineError) -> Int {
    guard bits.read(1) == 1 else { return 0 }
    let size = bits.read(4)
    guard (1...11).contains(size) else { throw Self.damage }
    return size
  }

  /// Decodes a picture with one group of prefix codes (RFC 9649 section 5.2).
  private mutating func picture(_ size: ImageSize) throws(LupineError) -> [UInt32] {
    let cacheBits = try colourCacheBits()
    var cache = cacheBits > 0 ? ColourCache(cacheBits) : nil
    let green = try code(256 + 24 + (cache?.count ?? 0))
    let (red, blue, alpha) = (try code(256), try code(256), try code(256))
    let distances = try code(40)
    var pixels: [UInt32] = []
    let count = size.pixelCount
    pixels.reserveCapacity(count)
    while pixels.count < count {
      if pixels.count.isMultiple(of: 4_096) { try watch.check() }
      if bits.isOver { throw Self.damage }
      let symbol = green.read(&bits)
      if symbol < 256 {
        let high = UInt32(red.read(&bits))
        let low = UInt32(blue.read(&bits))
        pixels.append(UInt32(alpha.read(&bits)) << 24 | high << 16 | UInt32(symbol) << 8 | low)
        cache?.insert(pixels[pixels.count - 1])
      } else if symbol < 280 {
        let length = number(symbol - 256)
        let distance = distance(number(distances.read(&bits)), width: size.width)
        guard distance <= pixels.count, length <= count - pixels.count else { throw Self.damage }
        for _ in 0..<length {
          pixels.append(pixels[pixels.count - distance])
          cache?.insert(pixels[pixels.count - 1])
        }
      } else {
        pixels.append(cache?.colour(symbol - 280) ?? 0)
      }
    }
    return pixels
  }

  /// Reads the rest of a length or of a distance.
  private mutating func number(_ prefix: Int) -> Int {
    if prefix < 4 { return prefix + 1 }
    let size = (prefix - 2) >> 1
    return ((2 + (prefix & 1)) << size) + bits.read(size) + 1
  }

  /// The distance of a code: 120 codes name near pixels.
  private func distance(_ code: Int, width: Int) -> Int {
    if code > 120 { return code - 120 }
    let place = Int(Self.nearPixels[code - 1])
    return max(1, (place >> 4) * width + 8 - (place & 15))
  }

  private static let damage = LupineError(.invalidImage, "The WebP file is damaged before its pixels.")
}

extension WebPTables {
  /// Reads the lengths of a prefix code (RFC 9649 section 6.2.1).
  private mutating func code(_ count: Int) throws(LupineError) -> PrefixCode {
    var lengths = [Int](repeating: 0, count: count)
    if bits.read(1) == 1 {
      let hasTwo = bits.read(1) == 1
      let symbols = [bits.read(bits.read(1) == 1 ? 8 : 1)] + (hasTwo ? [bits.read(8)] : [])
      for symbol in symbols where symbol < count { lengths[symbol] = 1 }
    } else {
      try readLengths(&lengths)
    }
    guard let code = PrefixCode(lengths: lengths) else { throw Self.damage }
    return code
  }

  private mutating func readLengths(_ lengths: inout [Int]) throws(LupineError) {
    var outer = [Int](repeating: 0, count: 19)
    for index in 0..<4 + bits.read(4) { outer[Self.order[index]] = bits.read(3) }
    guard let code = PrefixCode(lengths: outer) else { throw Self.damage }
    var rest = lengths.count
    if bits.read(1) == 1 { rest = 2 + bits.read(2 + 2 * bits.read(3)) }
    guard rest <= lengths.count else { throw Self.damage }
    var previous = 8
    var index = 0
    while index < lengths.count, rest > 0 {
      rest -= 1
      let symbol = code.read(&bits)
      if symbol < 16 {
        lengths[index] = symbol
        index += 1
        if symbol != 0 { previous = symbol }
        continue
      }
      let times = symbol == 16 ? 3 + bits.read(2) : symbol == 17 ? 3 + bits.read(3) : 11 + bits.read(7)
      guard times <= lengths.count - index else { throw Self.damage }
      for _ in 0..<times {
        lengths[index] = symbol == 16 ? previous : 0
        index += 1
      }
    }
  }

  /// The order in which the lengths of the code for lengths are stored.
  private static let order = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]

  /// The near pixels in the order of their codes: 16 times the rows above, plus 8 minus the columns to the left.
  private static let nearPixels: [UInt8] = [
    0x18, 0x07, 0x17, 0x19, 0x28, 0x06, 0x27, 0x29, 0x16, 0x1A, 0x26, 0x2A, 0x38, 0x05, 0x37, 0x39, 0x15, 0x1B, 0x36,
    0x3A, 0x25, 0x2B, 0x48, 0x04, 0x47, 0x49, 0x14, 0x1C, 0x35, 0x3B, 0x46, 0x4A, 0x24, 0x2C, 0x58, 0x45, 0x4B, 0x34,
    0x3C, 0x03, 0x57, 0x59, 0x13, 0x1D, 0x56, 0x5A, 0x23, 0x2D, 0x44, 0x4C, 0x55, 0x5B, 0x33, 0x3D, 0x68, 0x02, 0x67,
    0x69, 0x12, 0x1E, 0x66, 0x6A, 0x22, 0x2E, 0x54, 0x5C, 0x43, 0x4D, 0x65, 0x6B, 0x32, 0x3E, 0x78, 0x01, 0x77, 0x79,
    0x53, 0x5D, 0x11, 0x1F, 0x64, 0x6C, 0x42, 0x4E, 0x76, 0x7A, 0x21, 0x2F, 0x75, 0x7B, 0x31, 0x3F, 0x63, 0x6D, 0x52,
    0x5E, 0x00, 0x74, 0x7C, 0x41, 0x4F, 0x10, 0x20, 0x62, 0x6E, 0x30, 0x73, 0x7D, 0x51, 0x5F, 0x40, 0x72, 0x7E, 0x61,
    0x6F, 0x50, 0x71, 0x7F, 0x60, 0x70,
  ]
}

/// The colours that occurred last, by their hash (RFC 9649 section 5.2.3).
private struct ColourCache {
  private let shift: UInt32
  private var colours: [UInt32]

  init(_ size: Int) {
    shift = UInt32(32 - size)
    colours = Array(repeating: 0, count: 1 << size)
  }

  var count: Int { colours.count }

  mutating func insert(_ colour: UInt32) { colours[Int((colour &* 0x1E35_A7BD) >> shift)] = colour }

  func colour(_ index: Int) -> UInt32 { colours[index] }
}

extension ImageSize {
  /// The size with sides divided by a power of two, rounded up.
  fileprivate func divided(by power: Int) -> ImageSize {
    let mask = (1 << power) - 1
    return ImageSize(width: (width + mask) >> power, height: (height + mask) >> power)
  }
}
