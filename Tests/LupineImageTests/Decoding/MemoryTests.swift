import Foundation
import LupineCore
import LupineFixtures
import LupineImage
import Testing

/// The memory of a decoding, measured in a process of its own: at most 16 bytes for each pixel plus 16 MiB.
@Suite struct ImageMemoryTests {
  /// Returns what `ImageProbe` prints about a file: the size or the error, and the growth of its memory in bytes.
  private func probe(_ file: Data, filter: String? = nil) throws -> (result: String, growth: Int) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lupine-image-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "picture")
    try file.write(to: path)
    let lines = try Program.run("ImageProbe", [path.path] + (filter.map { [$0] } ?? []))
    return (lines[0], Int(lines[1]) ?? .max)
  }

  /// The names of the files of 16 million pixels, of which each has a test of its own.
  enum Large: String, CaseIterable {
    case png, interlacedPNG, jpeg, progressiveJPEG, inks, rotatedInks, lossyWebP, losslessWebP, groups, cachedGroups

    func file(_ side: Int) throws -> Data {
      switch self {
      case .png: LargePictures.png(side: side, isInterlaced: false)
      case .interlacedPNG: LargePictures.png(side: side, isInterlaced: true)
      case .jpeg: try LargePictures.jpeg(side: side, isInks: false, isProgressive: false)
      case .progressiveJPEG: try LargePictures.jpeg(side: side, isInks: false, isProgressive: true)
      case .inks: try LargePictures.jpeg(side: side, isInks: true, isProgressive: true)
      case .rotatedInks:
        try Pictures.turned(LargePictures.jpeg(side: side, isInks: true, isProgressive: true), orientation: 6)
      case .lossyWebP: try LargePictures.transparentWebP(side: side)
      case .losslessWebP: Pictures.losslessWebP(side, side)
      // The most groups whose tables are within the limit, without and with a colour cache.
      case .groups: Pictures.webP(side: side, groups: 5_800)
      case .cachedGroups: Pictures.webP(side: side, groups: 3_500, cacheBits: 11)
      }
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: Large.allCases)
  func `a picture of 16 million pixels takes at most 16 bytes for each and 16 MiB`(kind: Large) throws {
    let side = 4_000
    let (result, growth) = try probe(kind.file(side))
    #expect(result == "\(side) \(side)")
    #expect(growth <= side * side * 16 + 16 << 20)
    // The measurement is not empty: the pixels alone take this much.
    #expect(growth >= side * side * 4)
  }

  @Test(.timeLimit(.minutes(2))) func `a lossless WebP file of 64 million pixels has the same bound`() throws {
    let (result, growth) = try probe(Pictures.losslessWebP(16_000, 4_000))
    #expect(result == "16000 4000")
    #expect(growth <= 64_000_000 * 16 + 16 << 20)
  }

  @Test(arguments: [
    ("scaled(1000×1000)", "1000 1000"), ("aspectFit(200×200)", "200 1"), ("aspectFit(1000×1000,enlarging)", "1000 1"),
    ("aspectFill(200×200)", "200 200"), ("roundedCorners(100)", "16384 1"), ("circle", "1 1"),
  ])
  func `a line of 16,384 pixels takes little memory with each filter`(filter: String, size: String) throws {
    for alpha: UInt8 in [255, 100] {
      let line = try Pictures.solid(16_384, 1, [10, 20, 30, alpha])
      let column = try Image(width: 1, height: 16_384, pixels: line.pixels)
      #expect(try probe(line.encoded(as: .png), filter: filter).result == size)
      let turned = size.split(separator: " ").reversed().joined(separator: " ")
      #expect(try probe(column.encoded(as: .png), filter: filter).result == turned)
      for image in [line, column] { #expect(try probe(image.encoded(as: .png), filter: filter).growth <= 16 << 20) }
    }
  }

  @Test func `a refused picture takes no memory for its pixels`() throws {
    var png = PNGFile(width: 50_000, height: 50_000)
    png.add("IDAT", PNGFile.bomb(64 << 20))
    png.add("IEND")
    var profile = PNGFile(width: 8_000, height: 8_000)
    profile.add("iCCP", [97, 0, 0] + PNGFile.bomb(256 << 20))
    profile.addRows([0])
    var scans = Array(try Pictures.progressive(Pictures.gradient(16, 16), repeatingLastScan: 5_000))
    let frame = try #require(scans.indices.first { scans[$0] == 0xFF && scans[$0 + 1] == 0xC2 })
    // 8,000 × 8,000 pixels.
    scans.replaceSubrange(frame + 5..<frame + 9, with: [0x1F, 0x40, 0x1F, 0x40])
    let tables = Pictures.webP(side: 512, groups: 16_384)
    for (file, limit) in [
      (png.data, "side"), (profile.data, "chunk"), (Data(scans), "scannedPixels"), (tables, "tables"),
    ] {
      let (result, growth) = try probe(file)
      #expect(result == "\(limit) imageLimitExceeded")
      #expect(growth <= 16 << 20)
    }
  }
}
