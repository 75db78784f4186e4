import LupineCore
import LupineImage
import Testing

@Suite struct ImageFormatTests {
  @Test func `the first bytes decide the format`() {
    #expect(ImageFormat(firstBytes: [0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
    #expect(ImageFormat(firstBytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) == .png)
    #expect(ImageFormat(firstBytes: Array("RIFF....WEBP".utf8)) == .webp)
    #expect(ImageFormat(firstBytes: Array("RIFF....WAVE".utf8)) == nil)
    #expect(ImageFormat(firstBytes: Array("GIF89a".utf8)) == nil)
    #expect(ImageFormat(firstBytes: [UInt8]()) == nil)
  }
}
