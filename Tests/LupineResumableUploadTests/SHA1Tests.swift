import Foundation
import Testing

@testable import LupineResumableUpload

@Suite struct SHA1Tests {
  private static func digest(_ bytes: [UInt8], piece: Int = .max) -> String {
    var hash = SHA1()
    var rest = bytes[...]
    while !rest.isEmpty {
      rest.prefix(piece).withUnsafeBytes { hash.update($0) }
      rest = rest.dropFirst(piece)
    }
    return hash.finalize().map { String(format: "%02x", $0) }.joined()
  }

  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    (
      String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"
    ),
  ])
  func `the digests of FIPS 180 come out`(text: String, digest: String) {
    #expect(Self.digest(Array(text.utf8)) == digest)
  }

  @Test(arguments: [1, 3, 63, 64, 65, 127, 128, 200])
  func `the pieces do not matter`(piece: Int) {
    for count in [0, 55, 56, 63, 64, 65, 119, 120, 500] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
      #expect(Self.digest(bytes, piece: piece) == Self.digest(bytes))
    }
  }
}
