import LupineCore
import LupineFoundation
import LupineImage
import LupineMock
import Testing

/// Files that would cost memory or time, or that contradict themselves.
@Suite struct HostileImageTests {
  /// Expects the error of a limit, with its name in the message.
  private func expect(
    _ limit: ImageLimits.Name, _ file: Data, limits: ImageLimits = ImageLimits(),
    location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: LupineError.self, sourceLocation: location) {
      try Image(decoding: file, limits: limits)
    }
    #expect(error?.kind == .imageLimitExceeded, sourceLocation: location)
    #expect((error?.underlying as? ImageLimitExceeded)?.limit == limit, sourceLocation: location)
    #expect(error?.message.contains("limit \(limit) ") == true, sourceLocation: location)
  }

  private func expectInvalid(_ file: Data, _ comment: Comment, location: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: LupineError.self, comment, sourceLocation: location) { try Image(decoding: file) }
    #expect(error?.kind == .invalidImage, comment, sourceLocation: location)
  }

  private func png(_ width: Int, _ height: Int) -> Data {
    var file = PNGFile(width: width, height: height)
    file.add("IDAT", PNGFile.bomb(1 << 16))
    file.add("IEND")
    return file.data
  }

  private func jpeg(_ width: Int, _ height: Int) -> Data {
    let size = [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
    return Data([0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8] + size + [1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0])
  }

  @Test func `a side or a number of pixels above its limit is refused by the header`() throws {
    for file in [png(50_000, 50_000), jpeg(50_000, 50_000), png(.init(Int32.max), 1), jpeg(16_385, 1)] {
      expect(.side, file)
    }
    for file in [png(16_384, 16_384), jpeg(16_000, 4_001), Pictures.losslessWebP(16_384, 16_384)] {
      expect(.pixels, file)
    }
    var limits = ImageLimits()
    limits.side = 10
    let image = try Pictures.gradient(11, 1)
    for encoding in [ImageEncoding.png, .jpeg(quality: 80), .webp(quality: 80)] {
      expect(.side, try image.encoded(as: encoding), limits: limits)
    }
  }

  @Test func `a size of zero or above 31 bits is invalid`() {
    expectInvalid(png(0, 5), "no width")
    expectInvalid(png(5, 0), "no height")
    expectInvalid(jpeg(0, 5), "no width")
    expect(.side, png(0xFFFF_FFFF, 0xFFFF_FFFF))
  }

  @Test func `limits can be as large as a number`() throws {
    var limits = ImageLimits()
    for limit in [\ImageLimits.fileSize, \.pixels, \.side, \.scans, \.scannedPixels, \.chunk, \.chunks, \.tables] {
      limits[keyPath: limit] = .max
    }
    let image = try Pictures.gradient(8, 8)
    for file in try [
      image.encoded(as: .png), image.encoded(as: .jpeg(quality: 80)), Pictures.progressive(image),
      Pictures.losslessWebP(image),
    ] {
      #expect(try Image(decoding: file, limits: limits).size == image.size)
    }
    expect(.pixels, png(0x7FFF_FFFF, 0x7FFF_FFFF), limits: limits)
    expect(.pixels, png(0x7FFF_FFFF, 9), limits: limits)
  }

  @Test func `a file above its limit is refused`() throws {
    var limits = ImageLimits()
    limits.fileSize = 100
    expect(.fileSize, Data(count: 101), limits: limits)
  }

  @Test(arguments: ["iCCP", "zTXt", "iTXt"])
  func `a decompression bomb in a chunk without pixels names the limit`(name: String) throws {
    var limits = ImageLimits()
    limits.chunk = 1 << 20
    let prefix: [String: [UInt8]] = ["iCCP": [97, 0, 0], "zTXt": [97, 0, 0], "iTXt": [97, 0, 1, 0, 0, 0]]
    var file = PNGFile(width: 1, height: 1)
    file.add(name, try #require(prefix[name]) + PNGFile.bomb(16 << 20))
    file.addRows([0, 1, 2, 3])
    expect(.chunk, file.data, limits: limits)
  }

  @Test func `a chunk above its limit is refused`() {
    var limits = ImageLimits()
    limits.chunk = 1_000
    var file = PNGFile(width: 1, height: 1)
    file.add("tEXt", [97, 0] + [UInt8](repeating: 98, count: 1_001))
    file.addRows([0, 1, 2, 3])
    expect(.chunk, file.data, limits: limits)
  }

  @Test func `pixels that decompress to more than the size are not decoded`() throws {
    var file = PNGFile(width: 1, height: 1)
    file.add("IDAT", PNGFile.bomb(64 << 20))
    file.add("IEND")
    #expect(try Image(decoding: file.data).pixels == [0, 0, 0, 255])
  }

  @Test func `endless frames and chunks are refused or never read`() throws {
    var animation = PNGFile(width: 1, height: 1)
    animation.add("acTL", PNGFile.number(.init(Int32.max)) + PNGFile.number(0))
    animation.add("IDAT", PNGFile.stored([0, 1, 2, 3]))
    for index in 0..<5_000 {
      animation.add("fdAT", PNGFile.number(index) + PNGFile.stored([0, 1, 2, 3]))
    }
    animation.add("IEND")
    #expect(try Image(decoding: animation.data).pixels == [1, 2, 3, 255])
    var limits = ImageLimits()
    limits.chunks = 5_000
    expect(.chunks, animation.data, limits: limits)
    let parts = Array(repeating: ("XXXX", [UInt8]()), count: 5_001)
    expect(.chunks, Pictures.webP(parts), limits: limits)
    let header: [UInt8] = [0b10, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    let frames = Array(repeating: ("ANMF", [UInt8](repeating: 0, count: 16)), count: 5_000)
    let endless = Pictures.webP([("VP8X", header), ("ANIM", [0, 0, 0, 0, 0, 0])] + frames)
    expect(.chunks, endless, limits: limits)
    // A GIF with a frame for each pair of bytes, and no end.
    let gif = Data("GIF89a".utf8 + [1, 0, 1, 0, 0, 0, 0] + [UInt8](repeating: 0x2C, count: 100_000))
    for file in [endless, gif] {
      let error = #expect(throws: LupineError.self) { try Image(decoding: file) }
      #expect(error?.kind == .unsupportedImage)
    }
  }

  @Test func `a progressive JPEG of thousands of scans is refused before it is decoded`() throws {
    let file = try Pictures.progressive(Pictures.gradient(16, 16), repeatingLastScan: 5_000)
    expect(.scans, file)
    var limits = ImageLimits()
    limits.scans = .max
    limits.scannedPixels = 256 * 1_000
    expect(.scannedPixels, file, limits: limits)
    limits.scannedPixels = .max
    // libjpeg-turbo has a limit of its own, of 500 scans.
    let error = #expect(throws: LupineError.self) { try Image(decoding: file, limits: limits) }
    #expect(error?.kind == .invalidImage)
  }

  @Test func `a reserved marker does not hide the scans after it`() throws {
    let file = Array(try Pictures.progressive(Pictures.gradient(16, 16), repeatingLastScan: 400))
    let scan = try #require(file.indices.first { file[$0] == 0xFF && file[$0 + 1] == 0xDA })
    let data = scan + 2 + Int(file[scan + 3])
    let interval: [UInt8] = [0xFF, 0xDD, 0, 4, 0, 1]
    for marker: UInt8 in [0x02, 0xBF] {
      // libjpeg-turbo reads no length after such a marker, which seems to be one of 65,535 bytes here.
      let changed = Data(file[..<2] + interval + file[2..<data] + [0xFF, marker, 0xFF, 0xFF] + file[data...])
      let error = #expect(throws: LupineError.self) { try Image(decoding: changed) }
      #expect(error?.kind == .invalidImage)
      #expect(error?.message.contains("reserved marker \(marker)") == true)
    }
  }

  @Test func `a lossless WebP file with too many tables is refused before it is decoded`() throws {
    expect(.tables, Pictures.webP(side: 256, groups: 4_096))
    #expect(try Image(decoding: Pictures.webP(side: 256, groups: 600)).pixels.prefix(4) == [1, 0, 2, 255])
    // The tables are larger with a colour cache.
    expect(.tables, Pictures.webP(side: 256, groups: 430, cacheBits: 11))
    let cached = Pictures.webP(side: 256, groups: 400, cacheBits: 11)
    #expect(try Image(decoding: cached).pixels.prefix(4) == [1, 0, 2, 255])
    var limits = ImageLimits()
    limits.tables = 0
    expect(.tables, Pictures.webP(side: 32, groups: 64), limits: limits)
    // The same stream as the alpha of a lossy file.
    let stream = Array(Pictures.webP(side: 256, groups: 4_096).dropFirst(20 + 5))
    let lossy = Array(try Pictures.solid(256, 256, [1, 2, 3, 255]).encoded(as: .webp(quality: 50)).dropFirst(20))
    let header: [UInt8] = [0b1_0000, 0, 0, 0, 255, 0, 0, 255, 0, 0]
    expect(.tables, Pictures.webP([("VP8X", header), ("ALPH", [1] + stream), ("VP8 ", lossy)]))
  }

  @Test func `a decoding ends after its time`() throws {
    let clock = SteppingClock()
    var limits = ImageLimits()
    limits.duration = .seconds(10)
    let image = try Pictures.gradient(4, 30)
    for encoding in [ImageEncoding.png, .webp(quality: 90), .jpeg(quality: 90)] {
      clock.step = .seconds(11)
      let error = #expect(throws: LupineError.self) {
        try Image(decoding: image.encoded(as: encoding), limits: limits, clock: clock)
      }
      #expect((error?.underlying as? ImageLimitExceeded)?.limit == .duration)
    }
    // Each row of a PNG is a step.
    clock.step = .milliseconds(400)
    let error = #expect(throws: LupineError.self) {
      try Image(decoding: image.encoded(as: .png), limits: limits, clock: clock)
    }
    #expect((error?.underlying as? ImageLimitExceeded)?.limit == .duration)
    clock.step = .milliseconds(200)
    _ = try Image(decoding: image.encoded(as: .png), limits: limits, clock: clock)
  }

  @Test(arguments: [true, false])
  func `each piece of a WebP file is a step at which its time can end`(isLossless: Bool) throws {
    let image = try Pictures.noise(600, 400)
    let file = try isLossless ? Pictures.losslessWebP(image) : image.encoded(as: .webp(quality: 100))
    // The decoder takes 64 KiB at a time.
    let pieces = (file.count + 65_535) >> 16
    try #require(pieces >= 4)
    let clock = SteppingClock()
    clock.step = .seconds(1)
    var limits = ImageLimits()
    // The time ends before the last piece.
    limits.duration = .seconds(pieces - 2)
    let error = #expect(throws: LupineError.self) { try Image(decoding: file, limits: limits, clock: clock) }
    #expect((error?.underlying as? ImageLimitExceeded)?.limit == .duration)
    limits.duration = .seconds(1_000)
    #expect(try Image(decoding: file, limits: limits, clock: clock).size == image.size)
  }
}
