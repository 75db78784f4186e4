import LupineCore
import LupineFoundation
import LupineImage
import Testing

@Suite struct EncodingTests {
  @Test(arguments: [(ImageEncoding.png, ImageFormat.png), (.jpeg(quality: 80), .jpeg), (.webp(quality: 80), .webp)])
  func `a file has its format`(encoding: ImageEncoding, format: ImageFormat) throws {
    let file = try Pictures.gradient(10, 10).encoded(as: encoding)
    #expect(ImageFormat(firstBytes: file) == format)
    #expect(encoding.format == format)
  }

  @Test func `a file has none of the metadata of its source`() throws {
    let source = try Pictures.jpeg(Pictures.gradient(16, 8), orientation: 6)
    #expect(source.firstRange(of: Data("Exif".utf8)) != nil)
    let image = try Image(decoding: source)
    for encoding in [ImageEncoding.png, .jpeg(quality: 80), .webp(quality: 80)] {
      let file = try image.encoded(as: encoding)
      for name in ["Exif", "eXIf", "EXIF"] { #expect(file.firstRange(of: Data(name.utf8)) == nil) }
      #expect(try Image(decoding: file).width == 8)
    }
  }

  @Test func `a JPEG is drawn on white`() throws {
    let clear = try Pictures.solid(8, 8, [0, 0, 0, 0])
    let decoded = try Image(decoding: clear.encoded(as: .jpeg(quality: 100)))
    #expect(Pictures.difference(decoded, try Pictures.solid(8, 8, [255, 255, 255, 255])) <= 2)
  }

  @Test func `a quality outside its range is clamped, and a lower one makes smaller files`() throws {
    let image = try Pictures.gradient(64, 64)
    for make in [{ ImageEncoding.jpeg(quality: $0) }, { .webp(quality: $0) }] {
      #expect(try image.encoded(as: make(-5)) == image.encoded(as: make(1)) || make(0) == .webp(quality: 0))
      #expect(try image.encoded(as: make(500)) == image.encoded(as: make(100)))
      #expect(try image.encoded(as: make(10)).count < image.encoded(as: make(95)).count)
    }
  }

  @Test func `a side that a format cannot have is an error`() throws {
    let wide = try Pictures.solid(65_536, 1, [1, 2, 3, 255])
    for encoding in [ImageEncoding.jpeg(quality: 80), .webp(quality: 80)] {
      let error = #expect(throws: LupineError.self) { try wide.encoded(as: encoding) }
      #expect(error?.kind == .invalidImage)
    }
    var limits = ImageLimits()
    limits.side = 65_536
    #expect(try Image(decoding: wide.encoded(as: .png), limits: limits) == wide)
  }
}
