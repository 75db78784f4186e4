import LupineCore
import LupineFoundation
import LupineImage
import Testing

@Suite struct OrientationTests {
  /// Four colours in the corners of the picture as it is to be seen, and their places in the file (Exif 2.32, 0x0112).
  static let places: [(orientation: Int, corners: [Int])] = [
    (1, [0, 1, 2, 3]), (2, [1, 0, 3, 2]), (3, [3, 2, 1, 0]), (4, [2, 3, 0, 1]), (5, [0, 2, 1, 3]), (6, [2, 0, 3, 1]),
    (7, [3, 1, 2, 0]), (8, [1, 3, 0, 2]), (0, [0, 1, 2, 3]),
  ]

  /// The places in the file of the upper left, upper right, lower left and lower right corners of the picture.
  @Test(arguments: places)
  func `the orientation of a JPEG is applied`(orientation: Int, corners: [Int]) throws {
    let file = try Pictures.jpeg(Self.fourColours(), orientation: orientation)
    let image = try Image(decoding: file)
    #expect((image.width, image.height) == ([5, 6, 7, 8].contains(orientation) ? (16, 32) : (32, 16)))
    let found = [(0, 0), (1, 0), (0, 1), (1, 1)].map { x, y in
      Self.colour(image, x * (image.width - 1), y * (image.height - 1))
    }
    #expect(found == corners)
  }

  @Test func `the orientation of PNG and WebP files is applied`() throws {
    let image = try Pictures.gradient(8, 4)
    for exif in [Pictures.exif(orientation: 6), Pictures.exif(orientation: 6, isLittleEndian: true)] {
      var png = PNGFile(width: 8, height: 4)
      png.add("eXIf", exif)
      png.addRows((0..<4).flatMap { _ in [UInt8](repeating: 0, count: 25) })
      #expect(try Image(decoding: png.data).width == 4)
      let lossy = Array(try image.encoded(as: .webp(quality: 90)))
      let header: [UInt8] = [0b1000, 0, 0, 0, 7, 0, 0, 3, 0, 0]
      for prefix in [[], Array("Exif\0\0".utf8)] {
        let webP = Pictures.webP([("VP8X", header), ("VP8 ", Array(lossy[20...])), ("EXIF", prefix + exif)])
        #expect(try Image(decoding: webP).width == 4)
      }
    }
  }

  @Test(arguments: [9, 255, 65_535])
  func `an orientation above 8 is an error`(orientation: Int) throws {
    let file = try Pictures.jpeg(Pictures.gradient(8, 8), orientation: orientation)
    let error = #expect(throws: LupineError.self) { try Image(decoding: file) }
    #expect(error?.kind == .invalidImage)
    #expect(error?.message.contains("orientation is \(orientation)") == true)
  }

  @Test func `Exif data that break off leave the picture as it is`() throws {
    let whole = Pictures.exif(orientation: 6)
    // libspng refuses an empty chunk.
    for count in 1..<whole.count {
      var png = PNGFile(width: 2, height: 1)
      png.add("eXIf", Array(whole[..<count]))
      png.addRows([UInt8](repeating: 0, count: 7))
      // The number itself is at the bytes 18 and 19.
      #expect(try Image(decoding: png.data).width == (count < 20 ? 2 : 1), "\(count) bytes")
    }
  }

  @Test func `Exif data with wild offsets and counts leave the picture as it is`() throws {
    let whole = Pictures.exif(orientation: 6)
    for (place, bytes) in [(4, [255, 255, 255, 255]), (8, [255, 255]), (12, [0, 4]), (0, [0, 0]), (2, [0, 43])]
      as [(Int, [UInt8])]
    {
      var exif = whole
      exif.replaceSubrange(place..<place + bytes.count, with: bytes)
      var png = PNGFile(width: 2, height: 1)
      png.add("eXIf", exif)
      png.addRows([UInt8](repeating: 0, count: 7))
      let isHarmless = place == 8
      #expect(try Image(decoding: png.data).width == (isHarmless ? 1 : 2))
    }
  }

  private static let colours: [[UInt8]] = [
    [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255],
  ]

  /// 32 × 16 pixels, a quarter for each colour.
  private static func fourColours() throws -> Image {
    var pixels: [UInt8] = []
    for place in 0..<512 {
      let quarter: Int = place % 32 / 16 + place / 256 * 2
      pixels += colours[quarter]
    }
    return try Image(width: 32, height: 16, pixels: pixels)
  }

  /// The number of the nearest of the colours.
  private static func colour(_ image: Image, _ x: Int, _ y: Int) -> Int {
    let start = y * image.bytesPerRow + x * 4
    let pixel = image.pixels[start..<start + 4]
    let distances = colours.map { zip($0, pixel).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } }
    return distances.indices.min { distances[$0] < distances[$1] } ?? -1
  }
}
