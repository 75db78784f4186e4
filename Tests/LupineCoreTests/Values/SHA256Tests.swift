import Foundation
import LupineSupport
import Testing

@Suite struct SHA256Tests {
  private static func digest(_ bytes: [UInt8], piece: Int = .max) -> String {
    var hash = SHA256()
    var rest = bytes[...]
    while !rest.isEmpty {
      rest.prefix(piece).withUnsafeBytes { hash.update($0) }
      rest = rest.dropFirst(piece)
    }
    return hash.finalize().map { String(format: "%02x", $0) }.joined()
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 100_000).replacingOccurrences(of: "a", with: "aaaaaaaaaa"),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
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
