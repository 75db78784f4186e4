import LupineCore
import LupineFoundation
import LupineImage
import Testing

/// Files that break off, have changed bytes, or state another size than that of their pixels.
@Suite struct DamagedFileTests {
  /// The files of a small picture in each format and coding.
  private static func files(_ width: Int, _ height: Int) throws -> [(name: String, file: Data)] {
    let image = try Pictures.gradient(width, height)
    let transparent = try Pictures.gradient(width, height, isOpaque: false)
    let jpeg = try image.encoded(as: .jpeg(quality: 80))
    return [
      ("PNG", try image.encoded(as: .png)), ("PNG with alpha", try transparent.encoded(as: .png)), ("JPEG", jpeg),
      ("JPEG with a gap", try Pictures.withGap(jpeg)), ("progressive JPEG", try Pictures.progressive(image)),
      ("progressive JPEG with a gap", try Pictures.withGap(Pictures.progressive(image))),
      ("lossy WebP", try image.encoded(as: .webp(quality: 80))),
      ("lossy WebP with alpha", try transparent.encoded(as: .webp(quality: 80))),
      ("lossless WebP", try Pictures.losslessWebP(image)),
      ("lossless WebP with alpha", try Pictures.losslessWebP(transparent)),
    ]
  }

  @Test func `a file that breaks off anywhere is an error`() throws {
    for (name, file) in try Self.files(9, 7) {
      for count in 0..<file.count {
        let error = #expect(throws: LupineError.self, "\(name): \(count) of \(file.count) bytes") {
          try Image(decoding: file.prefix(count))
        }
        #expect(error?.kind == .invalidImage || error?.kind == .unsupportedImage)
      }
      #expect(try Image(decoding: file).size == ImageSize(width: 9, height: 7))
    }
  }

  /// A WebP file whose container is whole does not show by its length that its stream breaks off.
  @Test func `a stream that breaks off anywhere in a whole WebP file is an error`() throws {
    let image = try Pictures.gradient(40, 30)
    for (name, file) in [
      ("VP8 ", try image.encoded(as: .webp(quality: 80))), ("VP8L", try Pictures.losslessWebP(image)),
    ] {
      let stream = Array(file.dropFirst(20))
      let whole = try Image(decoding: Pictures.webP([(name, stream)]))
      for count in 0..<stream.count {
        guard let image = try? Image(decoding: Pictures.webP([(name, Array(stream[..<count]))])) else { continue }
        // The last bytes may have no bit that counts.
        #expect(count >= stream.count - 3, "\(name): \(count) of \(stream.count) bytes")
        #expect(image.size == whole.size)
      }
    }
  }

  @Test(arguments: ImageFormat.allCases)
  func `a file with any changed byte gives a picture of its size or an error`(format: ImageFormat) throws {
    let image = try Pictures.gradient(9, 7)
    let encodings: [ImageFormat: ImageEncoding] = [.png: .png, .jpeg: .jpeg(quality: 80), .webp: .webp(quality: 80)]
    let file = Array(try image.encoded(as: try #require(encodings[format])))
    for place in file.indices {
      for mask: UInt8 in [1, 128, 255] {
        var changed = file
        changed[place] ^= mask
        guard let image = try? Image(decoding: Data(changed)) else { continue }
        #expect(image.pixels.count == image.bytesPerRow * image.height)
      }
    }
  }

  /// A format, as the place of the size in its files.
  private enum Format: CaseIterable {
    case png
    case jpeg
    case lossy
    case lossless

    func file(_ image: Image) throws -> Data {
      switch self {
      case .png: try image.encoded(as: .png)
      case .jpeg: try image.encoded(as: .jpeg(quality: 90))
      case .lossy: try image.encoded(as: .webp(quality: 90))
      case .lossless: try Pictures.losslessWebP(image)
      }
    }

    /// Returns the file with another size in its header.
    func changed(_ file: Data, to size: ImageSize) throws -> Data {
      var file = Array(file)
      func put(_ bytes: [UInt8], at place: Int) { file.replaceSubrange(place..<place + bytes.count, with: bytes) }
      let (width, height) = (size.width, size.height)
      switch self {
      case .png:
        let header = PNGFile(width: width, height: height)
        return header.data + file[header.data.count...]
      case .jpeg:
        let frame = try #require(file.indices.first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 })
        put([UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)], at: frame + 5)
      // After the tag and the start code of the frame.
      case .lossy: put([UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255), UInt8(height >> 8)], at: 26)
      // After the signature, 14 bits each.
      case .lossless:
        let bits = (width - 1) | (height - 1) << 14
        put([UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255)], at: 21)
        file[24] = file[24] & 0xF0 | UInt8(bits >> 24)
      }
      return Data(file)
    }
  }

  @Test(arguments: [(96, 64), (64, 96), (640, 640), (64, 65), (16_000, 4_000)])
  func `a header with a larger size than that of the pixels is an error`(width: Int, height: Int) throws {
    let image = try Pictures.gradient(64, 64)
    for format in Format.allCases {
      let changed = try format.changed(format.file(image), to: ImageSize(width: width, height: height))
      let error = #expect(throws: LupineError.self, "\(format)") { try Image(decoding: changed) }
      #expect(error?.kind == .invalidImage, "\(format)")
    }
  }

  /// The pixels of a row begin elsewhere then, so the picture is another one, but it has the size of the header.
  @Test(arguments: [(32, 64), (64, 32), (1, 1), (63, 63)])
  func `a header with a smaller size gives a picture of that size or an error`(width: Int, height: Int) throws {
    let image = try Pictures.gradient(64, 64)
    for format in Format.allCases {
      let stated = ImageSize(width: width, height: height)
      let changed = try format.changed(format.file(image), to: stated)
      do throws(LupineError) {
        #expect(try Image(decoding: changed).size == stated, "\(format)")
      } catch { #expect(error.kind == .invalidImage, "\(format)") }
    }
  }

  @Test func `a WebP file whose canvas has another size than its picture is an error`() throws {
    let stream = Array(try Pictures.gradient(64, 64).encoded(as: .webp(quality: 90)).dropFirst(20))
    for side: UInt8 in [62, 64, 255] {
      let header: [UInt8] = [0, 0, 0, 0, side, 0, 0, side, 0, 0]
      let error = #expect(throws: LupineError.self) {
        try Image(decoding: Pictures.webP([("VP8X", header), ("VP8 ", stream)]))
      }
      #expect(error?.kind == .invalidImage)
    }
  }
}
