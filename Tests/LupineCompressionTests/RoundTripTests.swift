import LupineCompression
import LupineCore
import LupineSession
import Testing

@Suite struct RoundTripTests {
  @Test(arguments: Coding.allCases, Sample.allCases)
  func `encoded data decode to the original, however the bytes are split`(coding: Coding, sample: Sample) throws {
    let plain = sample.bytes()
    let coded = try coding.encode(plain)
    for pieces in [1, 1_024, Int.max] {
      #expect(try coding.decode(coded, pieces: pieces) == plain)
    }
  }

  @Test(arguments: Coding.allCases, [1, 1_000, 65_536])
  func `the encoder may be fed in pieces of any size`(coding: Coding, pieces: Int) throws {
    let plain = Array(Sample.text.bytes().prefix(70_000))
    #expect(try coding.decode(coding.encode(plain, pieces: pieces)) == plain)
  }

  @Test(arguments: Coding.allCases)
  func `a body of no bytes decodes to no bytes`(coding: Coding) throws {
    #expect(try coding.decode([]) == [])
  }

  @Test(arguments: Coding.allCases, [1, 7, 4_096, 65_536])
  func `no piece is larger than the chunk size`(coding: Coding, chunkSize: Int) throws {
    let plain = Array(Sample.text.bytes().prefix(70_000))
    let limits = DecodingLimits(maximumSize: 1 << 20, maximumRatio: 10_000, chunkSize: chunkSize)
    for pieces in [1, Int.max] {
      let outcome = try run(coding.coding.makeDecoder(limits: limits), over: coding.encode(plain), pieces: pieces)
      #expect(outcome.largestPiece <= chunkSize)
      #expect(outcome.joined == plain)
    }
  }

  @Test(arguments: Coding.allCases)
  func `decoded data are handed over without waiting for a full chunk`(coding: Coding) throws {
    let coded = try coding.encode(Sample.noise.bytes())
    let decoder = try coding.coding.makeDecoder(limits: .generous)
    var outcome = Outcome()
    try feed(decoder, coded.dropLast(20)) { outcome.add($0) }
    #expect(outcome.joined.count > 0)
  }

  @Test(arguments: Coding.allCases)
  func `a receiver decodes everything before each flush`(coding: Coding) throws {
    let encoder = try coding.coding.makeEncoder()
    let decoder = try coding.coding.makeDecoder(limits: .generous)
    var plain: [UInt8] = []
    var coded = Outcome()
    var decoded = Outcome()
    for piece in [Array(repeating: 1, count: 3), [], Sample.noise.bytes(), [2], Array(repeating: 3, count: 200_000)] {
      let start = coded.joined.count
      try feed(encoder, piece[...]) { coded.add($0) }
      try encoder.flush { coded.add($0) }
      plain += piece
      try feed(decoder, coded.joined[start...]) { decoded.add($0) }
      #expect(decoded.joined == plain)
    }
    let start = coded.joined.count
    try encoder.finish { coded.add($0) }
    try feed(decoder, coded.joined[start...]) { decoded.add($0) }
    try decoder.finish { decoded.add($0) }
    #expect(decoded.joined == plain)
    // After the end there is nothing to flush.
    let count = coded.joined.count
    try encoder.flush { coded.add($0) }
    #expect(coded.joined.count == count)
  }

  @Test(arguments: Coding.allCases)
  func `ending an encoder twice adds nothing`(coding: Coding) throws {
    let encoder = try coding.coding.makeEncoder()
    var outcome = try run(encoder, over: [1, 2, 3])
    let count = outcome.joined.count
    try encoder.finish { outcome.add($0) }
    #expect(outcome.joined.count == count)
  }

  @Test func `levels outside the library's range are moved into it`() throws {
    let plain = Sample.text.bytes()
    let codings: [any ContentCoding] = [
      .gzip(level: -5), .gzip(level: 99), .deflate(level: 99), .brotli(quality: -1), .zstd(level: -100),
    ]
    for coding in codings {
      let coded = try run(coding.makeEncoder(), over: plain).joined
      #expect(try run(coding.makeDecoder(limits: .generous), over: coded).joined == plain)
    }
    #expect(ZstdCoding(level: 22).level == 19)
    #expect(BrotliCoding(quality: 12).quality == 11)
  }

  @Test func `the names are the registered ones`() {
    #expect(Coding.allCases.map { $0.coding.name } == ["gzip", "deflate", "br", "zstd"])
    #expect(Coding.allCases.map { $0.coding.aliases } == [["x-gzip"], [], [], []])
  }
}
