import LupineSQLiteConnection
import Testing

@testable import LupineSQLite

@Suite struct ChecksumTests {
  // The values of `xxhsum -H64` 0.8.1.
  @Test(
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("abc", 0x44BC_2CF5_AD77_0999), ("123456789", 0x8CB8_41DB_40E6_AE83),
      ("The quick brown fox jumps over the lazy dog, and the dog sleeps on.", 0xE3A5_7F19_4AAC_DB06),
    ] as [(String, UInt64)])
  func `the checksum is XXH64`(text: String, expected: UInt64) {
    #expect(Array(text.utf8).checksum == expected)
  }

  @Test func `pieces of any length give the same checksum`() {
    let bytes = (0..<100).map { UInt8($0) }
    for split in 0...100 {
      var checksum = Checksum()
      for part in [bytes[..<split], bytes[split...]] { Array(part).withUnsafeBytes { checksum.update($0) } }
      #expect(checksum.value == bytes.checksum)
    }
  }

  @Test func `each flipped bit changes the checksum`() {
    let bytes = (0..<64).map { UInt8($0) }
    for bit in 0..<512 {
      var other = bytes
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(other.checksum != bytes.checksum)
    }
  }

  @Test func `blocks are verified from any block on`() {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
    var blocks = BlockChecksums()
    bytes.withUnsafeBytes { blocks.update($0) }
    let encoded = blocks.encoded
    #expect(encoded.count == 32)
    #expect(BlockChecksums.verify(bytes, from: 0, encoded))
    #expect(BlockChecksums.verify(Array(bytes[65_536..<131_072]), from: 1, encoded))
    #expect(BlockChecksums.verify(Array(bytes[196_608...]), from: 3, encoded))
    #expect(!BlockChecksums.verify(Array(bytes[65_536..<131_072]), from: 2, encoded))
    #expect(!BlockChecksums.verify(Array(bytes[196_608...]), from: 4, encoded))
  }
}
