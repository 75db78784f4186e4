import FoundationEssentials
import LupineImage

/// Makes thumbnails: `image-row FILE COUNT` reads a picture and fits it in 400 × 400 pixels, as often as stated;
/// `image-row FILE make` writes a JPEG of 12 megapixels, with noise, as a camera would.
@main enum ImageRow {
  static func main() throws {
    let path = URL(filePath: CommandLine.arguments[1])
    guard let count = Int(CommandLine.arguments[2]) else {
      return try photograph().encoded(as: .jpeg(quality: 85)).write(to: path)
    }
    for _ in 0..<count {
      let image = try Image(decoding: try Data(contentsOf: path), filters: [.aspectFit(width: 400, height: 400)])
      guard image.size == ImageSize(width: 400, height: 300) else { throw CocoaError(.fileReadCorruptFile) }
    }
  }

  private static func photograph() throws -> Image {
    let (width, height) = (4_000, 3_000)
    var pixels = [UInt8](repeating: 255, count: width * height * 4)
    var state: UInt64 = 1
    for offset in stride(from: 0, to: pixels.count, by: 4) {
      let (x, y) = (offset / 4 % width, offset / 4 / width)
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let noise = Int(state >> 59)
      pixels[offset] = UInt8((x / 20 + noise) & 255)
      pixels[offset + 1] = UInt8((y / 15 + noise) & 255)
      pixels[offset + 2] = UInt8(((x + y) / 40 + noise) & 255)
    }
    return try Image(width: width, height: height, pixels: pixels)
  }
}
