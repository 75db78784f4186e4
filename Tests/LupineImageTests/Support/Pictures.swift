import CTurboJPEG
import CWebP
import LupineCore
import LupineFoundation
import LupineImage

/// Pictures made by code.
enum Pictures {
  /// A picture whose colours change slowly, so that a lossy format keeps them nearly.
  ///
  /// - Parameter isOpaque: whether no pixel is transparent.
  static func gradient(_ width: Int, _ height: Int, isOpaque: Bool = true) throws -> Image {
    var pixels: [UInt8] = []
    for row in 0..<height {
      for column in 0..<width {
        pixels += [UInt8(255 * column / max(width - 1, 1)), UInt8(255 * row / max(height - 1, 1)), 128]
        pixels.append(isOpaque ? 255 : UInt8(255 * (row + column) / max(width + height - 2, 1)))
      }
    }
    return try Image(width: width, height: height, pixels: pixels)
  }

  /// A picture of random colours, always the same ones, which no format makes small.
  static func noise(_ width: Int, _ height: Int) throws -> Image {
    var state: UInt64 = 1
    var pixels = [UInt8](repeating: 255, count: width * height * 4)
    for index in pixels.indices where index % 4 != 3 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      pixels[index] = UInt8(state >> 56)
    }
    return try Image(width: width, height: height, pixels: pixels)
  }

  /// A picture of one colour.
  static func solid(_ width: Int, _ height: Int, _ colour: [UInt8]) throws -> Image {
    try Image(width: width, height: height, pixels: (0..<width * height).flatMap { _ in colour })
  }

  /// The largest difference of two values at the same place.
  static func difference(_ one: Image, _ other: Image) -> Int {
    guard one.size == other.size else { return .max }
    return zip(one.pixels, other.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  /// A JPEG with this orientation.
  static func jpeg(_ image: Image, orientation: Int) throws -> Data {
    turned(try image.encoded(as: .jpeg(quality: 95)), orientation: orientation)
  }

  /// The JPEG with this orientation.
  static func turned(_ jpeg: Data, orientation: Int) -> Data {
    let file = Array(jpeg)
    let exif = Array("Exif\0\0".utf8) + exif(orientation: orientation)
    let length = exif.count + 2
    return Data(file[..<2] + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + exif + file[2...])
  }

  /// Exif data with one entry.
  static func exif(orientation: Int, isLittleEndian: Bool = false) -> [UInt8] {
    let numbers: [(value: Int, size: Int)] = [
      (42, 2), (8, 4), (1, 2), (0x0112, 2), (3, 2), (1, 4), (orientation, 2), (0, 2), (0, 4),
    ]
    return Array((isLittleEndian ? "II" : "MM").utf8)
      + numbers.flatMap { value, size in
        let bytes = (0..<size).map { UInt8(value >> (8 * $0) & 255) }
        return isLittleEndian ? bytes : bytes.reversed()
      }
  }

  /// A progressive JPEG whose last scan comes as often as stated.
  static func progressive(_ image: Image, repeatingLastScan times: Int = 1) throws -> Data {
    guard let handle = tjInitCompress() else { throw LupineError(.other, "no compressor") }
    defer { tjDestroy(handle) }
    var file: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(file) }
    let result = tjCompress2(
      handle, image.pixels, Int32(image.width), 0, Int32(image.height), TJPF_RGBX.rawValue, &file, &count,
      Int32(TJSAMP_444.rawValue), 90, TJFLAG_PROGRESSIVE)
    guard result == 0, let file else { throw LupineError(.other, "no JPEG") }
    let bytes = Array(UnsafeBufferPointer(start: file, count: Int(count)))
    let last = bytes.indices.dropLast().last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA } ?? 0
    let scan = bytes[last..<bytes.count - 2]
    return Data(bytes[..<last] + Array(repeating: scan, count: times).joined() + [0xFF, 0xD9])
  }

  /// A JPEG with three bytes before its quantization tables, which belong to no segment.
  static func withGap(_ jpeg: Data) throws -> Data {
    let file = Array(jpeg)
    guard let place = file.indices.first(where: { file[$0] == 0xFF && file[$0 + 1] == 0xDB }) else {
      throw LupineError(.other, "no tables")
    }
    return Data(file[..<place] + [0, 1, 2] + file[place...])
  }

  /// A JPEG of 16 × 16 pixels with these values of cyan, magenta, yellow and black.
  static func jpeg(ofInks inks: [UInt8]) throws -> Data {
    guard let handle = tjInitCompress() else { throw LupineError(.other, "no compressor") }
    defer { tjDestroy(handle) }
    var file: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(file) }
    let pixels = (0..<256).flatMap { _ in inks }
    let result = tjCompress2(
      handle, pixels, 16, 0, 16, TJPF_CMYK.rawValue, &file, &count, Int32(TJSAMP_444.rawValue), 100, 0)
    guard result == 0, let file else { throw LupineError(.other, "no JPEG") }
    return Data(bytes: file, count: Int(count))
  }

  /// A lossless WebP file of one colour, whose pixels take no bit (RFC 9649 section 3.7).
  static func losslessWebP(_ width: Int, _ height: Int) -> Data {
    var bits = BitWriter()
    bits.write(0x2F, 8)
    bits.write(width - 1, 14)
    bits.write(height - 1, 14)
    // No alpha, version 0, no transform, no colour cache, one group of prefix codes.
    bits.write(0, 1 + 3 + 1 + 1 + 1)
    // Five codes with one symbol each, of 8 bits.
    for symbol in [200, 100, 50, 255, 0] { bits.writeSymbol(symbol) }
    return webP([("VP8L", bits.bytes)])
  }

  /// A lossless WebP file, as libwebp encodes it.
  static func losslessWebP(_ image: Image) throws -> Data {
    var file: UnsafeMutablePointer<UInt8>?
    let count = WebPEncodeLosslessRGBA(
      image.pixels, Int32(image.width), Int32(image.height), Int32(image.bytesPerRow), &file)
    defer { WebPFree(file) }
    guard let file else { throw LupineError(.other, "no WebP file") }
    return Data(bytes: file, count: count)
  }

  /// A lossless WebP file of a square whose blocks of 4 × 4 pixels use these many groups of prefix codes.
  ///
  /// - Parameter cacheBits: the bits of an index of the colour cache; 0 for no cache.
  static func webP(side: Int, groups: Int, cacheBits: Int = 0) -> Data {
    var bits = BitWriter()
    bits.write(0x2F, 8)
    bits.write(side - 1, 14)
    bits.write(side - 1, 14)
    // No alpha, version 0, no transform, but several groups, one for each 4 × 4 pixels at most.
    bits.write(0, 1 + 3 + 1)
    bits.write(cacheBits > 0 ? 1 : 0, 1)
    if cacheBits > 0 { bits.write(cacheBits, 4) }
    bits.write(1, 1)
    bits.write(0, 3 + 1)
    for count in [280, 256] { bits.writeEvenCode(count) }
    for _ in 0..<3 { bits.writeSymbol(0) }
    let reversed = (0..<256).map { byte in (0..<8).reduce(0) { $0 << 1 | byte >> $1 & 1 } }
    for index in 0..<(side + 3) / 4 * ((side + 3) / 4) {
      let group = index % groups
      for byte in [group & 255, group >> 8] { bits.write(reversed[byte], 8) }
    }
    for group in 0..<groups { for symbol in [group & 255, 1, 2, 255, 0] { bits.writeSymbol(symbol) } }
    return webP([("VP8L", bits.bytes + [UInt8](repeating: 0, count: 8))])
  }

  /// A WebP file of these chunks.
  static func webP(_ chunks: [(String, [UInt8])]) -> Data {
    var content = Array("WEBP".utf8)
    for (name, bytes) in chunks {
      content += Array(name.utf8)
      content += littleEndian(bytes.count)
      content += bytes
      if !bytes.count.isMultiple(of: 2) { content.append(0) }
    }
    return Data(Array("RIFF".utf8) + littleEndian(content.count) + content)
  }

  private static func littleEndian(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 255) } }
}

/// Writes numbers into bytes, the least significant bit first.
struct BitWriter {
  private var whole: [UInt8] = []
  private var held: UInt64 = 0
  private var count = 0

  var bytes: [UInt8] { count > 0 ? whole + [UInt8(held & 255)] : whole }

  mutating func write(_ value: Int, _ size: Int) {
    held |= UInt64(value) << UInt64(count)
    count += size
    while count >= 8 {
      whole.append(UInt8(held & 255))
      held >>= 8
      count -= 8
    }
  }

  /// Writes a prefix code with one symbol, which takes no bit.
  mutating func writeSymbol(_ symbol: Int) {
    write(0b101, 3)
    write(symbol, 8)
  }

  /// Writes a prefix code whose first 256 symbols have 8 bits, and the others none.
  mutating func writeEvenCode(_ count: Int) {
    write(0, 1)
    write(12 - 4, 4)
    // The code for the lengths: 0 and 8, whose places are the third and the twelfth, take a bit each.
    for place in 0..<12 { write(place == 2 || place == 11 ? 1 : 0, 3) }
    write(0, 1)
    for symbol in 0..<count { write(symbol < 256 ? 1 : 0, 1) }
  }
}
