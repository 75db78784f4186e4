internal import LupineSupport

/// The hash function SHA-1 (FIPS 180-4), computed piece by piece.
///
/// It is for the checksums of tus, whose servers need support no other algorithm. It finds damage, not fraud.
struct SHA1: Sendable {
  private var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
  private var blocks = HashBlocks()

  /// Adds bytes to the digest.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    blocks.add(bytes) { Self.mix($0, into: &state) }
  }

  /// Returns the digest of all added bytes, 20 bytes; called once, last.
  mutating func finalize() -> [UInt8] {
    blocks.end().withUnsafeBytes { Self.mix($0, into: &state) }
    return HashBlocks.bytes(of: state)
  }

  /// Processes whole blocks of 64 bytes.
  private static func mix(_ bytes: UnsafeRawBufferPointer, into state: inout [UInt32]) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
      state.withUnsafeMutableBufferPointer { state in
        for start in stride(from: 0, to: bytes.count, by: 64) {
          for index in 0..<16 {
            words[index] = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 4 * index, as: UInt32.self))
          }
          for index in 16..<80 {
            words[index] = turn(words[index &- 3] ^ words[index &- 8] ^ words[index &- 14] ^ words[index &- 16], 1)
          }
          round(words, state)
        }
      }
    }
  }

  private static func round(_ words: UnsafeMutableBufferPointer<UInt32>, _ state: UnsafeMutableBufferPointer<UInt32>) {
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (choice, constant): (UInt32, UInt32) =
        switch index {
        case 0..<20: ((b & c) | (~b & d), 0x5a82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ed9_eba1)
        case 40..<60: ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc)
        default: (b ^ c ^ d, 0xca62_c1d6)
        }
      let next: UInt32 = turn(a, 5) &+ choice &+ e &+ constant &+ words[index]
      (e, d, c, b, a) = (d, c, turn(b, 30), a, next)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
  }

  private static func turn(_ word: UInt32, _ count: UInt32) -> UInt32 { (word << count) | (word >> (32 &- count)) }
}
