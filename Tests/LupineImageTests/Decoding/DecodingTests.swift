import LupineCore
import LupineFoundation
import LupineImage
import Testing

@Suite struct DecodingTests {
  @Test func `a PNG keeps every pixel`() throws {
    for isOpaque in [true, false] {
      let image = try Pictures.gradient(37, 21, isOpaque: isOpaque)
      #expect(try Image(decoding: image.encoded(as: .png)) == image)
    }
  }

  @Test(arguments: [ImageEncoding.jpeg(quality: 95), .webp(quality: 95)])
  func `a lossy file keeps the pixels nearly`(encoding: ImageEncoding) throws {
    let image = try Pictures.gradient(64, 48)
    #expect(Pictures.difference(try Image(decoding: image.encoded(as: encoding)), image) <= 12)
  }

  @Test func `WebP keeps the alpha`() throws {
    let image = try Pictures.gradient(16, 16, isOpaque: false)
    let decoded = try Image(decoding: image.encoded(as: .webp(quality: 100)))
    let alphas = stride(from: 3, to: image.pixels.count, by: 4).map { decoded.pixels[$0] == image.pixels[$0] }
    #expect(alphas.allSatisfy { $0 })
  }

  @Test func `a progressive JPEG and a lossless WebP file are decoded`() throws {
    let image = try Pictures.gradient(32, 24)
    #expect(Pictures.difference(try Image(decoding: Pictures.progressive(image)), image) <= 12)
    let solid = try Image(decoding: Pictures.losslessWebP(5, 3))
    #expect(solid == (try Pictures.solid(5, 3, [100, 200, 50, 255])))
  }

  @Test func `lossless WebP files with each transform are decoded`() throws {
    for (width, height) in [(1, 1), (7, 5), (64, 64), (301, 203)] {
      let few = try (2...20).map { colours in
        try Image(
          width: width, height: height,
          pixels: (0..<width * height).flatMap { place -> [UInt8] in
            let colour = UInt8(place * place / 7 % colours)
            return [colour * 10, 255 - colour, colour, 255]
          })
      }
      let noise = try Pictures.noise(width, height)
      let mixed = try Pictures.gradient(width, height).pixels.enumerated().map {
        $0 % 900 < 500 ? $1 : noise.pixels[$0]
      }
      let others = try [
        Pictures.gradient(width, height), noise, Image(width: width, height: height, pixels: mixed),
      ]
      for image in few + others { #expect(try Image(decoding: Pictures.losslessWebP(image)) == image) }
    }
  }

  @Test func `a JPEG of four inks becomes red, green and blue`() throws {
    // The complements of the inks, as Adobe's programs store them: no ink, cyan, black, and half of black.
    let inks: [[UInt8]] = [[255, 255, 255, 255], [0, 255, 255, 255], [255, 255, 255, 0], [255, 255, 255, 128]]
    let colours: [[UInt8]] = [[255, 255, 255], [0, 255, 255], [0, 0, 0], [128, 128, 128]]
    for (ink, colour) in zip(inks, colours) {
      let image = try Image(decoding: Pictures.jpeg(ofInks: ink))
      #expect(Pictures.difference(image, try Pictures.solid(16, 16, colour + [255])) <= 3)
    }
  }

  @Test func `bytes between two segments of a JPEG are ignored, as cameras write them`() throws {
    let image = try Pictures.gradient(16, 16)
    let file = Array(try image.encoded(as: .jpeg(quality: 90)))
    #expect(try Image(decoding: Pictures.withGap(Data(file))) == Image(decoding: Data(file)))
    // Before the end of the picture as well.
    let end = Data(file.dropLast(2) + [0, 1, 2, 0xFF, 0xD9])
    #expect(try Image(decoding: end) == Image(decoding: Data(file)))
  }

  @Test func `an interlaced PNG is decoded`() throws {
    // The passes of a picture of 3 × 2 (PNG third edition section 8): 1 × 1, none, none, 1 × 1, none, 1 × 1 … by hand.
    var file = PNGFile(width: 3, height: 2, colours: 0, isInterlaced: true)
    file.addRows([0, 10] + [0, 30] + [0, 20] + [0, 40, 50, 60])
    let grey = try Image(decoding: file.data).pixels
    #expect(stride(from: 0, to: 24, by: 4).map { grey[$0] } == [10, 20, 30, 40, 50, 60])
  }

  @Test func `the type that the server names must agree with the file`() throws {
    let file = try Pictures.gradient(4, 4).encoded(as: .png)
    #expect(try Image(decoding: file, contentType: "image/png; name=a").width == 4)
    let kinds = ["image/jpeg", "text/html", "image/svg+xml", "application/octet-stream", "nonsense"].map { type in
      #expect(throws: LupineError.self) { try Image(decoding: file, contentType: type) }?.kind
    }
    #expect(
      kinds.prefix(4) == [
        .unacceptableContentType("image/jpeg"), .unacceptableContentType("text/html"),
        .unacceptableContentType("image/svg+xml"), .unacceptableContentType("application/octet-stream"),
      ])
    #expect(kinds.last == .unacceptableContentType("nonsense"))
  }

  @Test(arguments: [[UInt8]("GIF89a".utf8), Array("<svg>".utf8), [], [0xFF], Array("%PDF-1.7".utf8)])
  func `another format is refused`(bytes: [UInt8]) {
    let error = #expect(throws: LupineError.self) { try Image(decoding: Data(bytes)) }
    #expect(error?.kind == .unsupportedImage)
  }

  @Test func `an animated WebP file is refused`() {
    let header: [UInt8] = [0b10, 0, 0, 0, 3, 0, 0, 3, 0, 0]
    let frame = [UInt8](repeating: 0, count: 16)
    let file = Pictures.webP([("VP8X", header), ("ANIM", [0, 0, 0, 0, 0, 0]), ("ANMF", frame)])
    let error = #expect(throws: LupineError.self) { try Image(decoding: file) }
    #expect(error?.kind == .unsupportedImage)
  }

  @Test func `pixels must fit the size`() throws {
    for (width, height, count) in [(0, 1, 0), (1, 1, 3), (2, 2, 12), (-1, -1, 4), (.max, .max, 4), (.max / 2, 8, 4)] {
      let error = #expect(throws: LupineError.self) {
        try Image(width: width, height: height, pixels: [UInt8](repeating: 0, count: count))
      }
      #expect(error?.kind == .invalidImage)
    }
    #expect("\(try Pictures.gradient(3, 2))" == "3 × 2 pixels")
    #expect(try Pictures.gradient(3, 2).bytesPerRow == 12)
  }
}
