import LupineCompression
import LupineCore
import LupineSession
import Testing

/// Decompression bombs.
@Suite struct LimitTests {
  private static let cap: Int64 = 4 << 20

  @Test(arguments: Coding.allCases)
  func `a bomb fails at the cap, and no more than the cap is handed over`(coding: Coding) throws {
    let bomb = try Bomb(coding)
    let limits = DecodingLimits(maximumSize: Self.cap, maximumRatio: .infinity)
    let result = try bomb.explode(limits: limits)
    #expect(result.kind == .limitExceeded(.decodedBodySize))
    #expect(result.delivered <= Self.cap)
    #expect(result.delivered > Self.cap - Int64(limits.chunkSize))
    #expect(result.largestPiece <= limits.chunkSize)
  }

  @Test(arguments: Coding.allCases)
  func `a bomb fails at the ratio, soon after the first MiB`(coding: Coding) throws {
    let bomb = try Bomb(coding)
    let limits = DecodingLimits(maximumSize: .max, maximumRatio: 100)
    let result = try bomb.explode(limits: limits)
    #expect(result.kind == .limitExceeded(.decodingRatio))
    #expect(result.delivered <= 1 << 20)
  }

  @Test func `each layer of gzip in gzip has its own limit`() throws {
    let limits = DecodingLimits(maximumSize: Self.cap, maximumRatio: .infinity)
    let once = try Coding.gzip.encode([UInt8](repeating: 0, count: 16 << 20))
    let twice = try Coding.gzip.encode(once)
    let outer = try Coding.gzip.coding.makeDecoder(limits: limits)
    let inner = try Coding.gzip.coding.makeDecoder(limits: limits)
    var outcome = Outcome()
    let result = kind {
      try feed(outer, twice[...]) { (piece) throws(LupineError) in
        try inner.transform(piece) { outcome.add($0) }
      }
    }
    #expect(result == .limitExceeded(.decodedBodySize))
    #expect(outcome.joined.count <= Self.cap)
  }

  @Test(arguments: Coding.allCases)
  func `a body of exactly the cap passes, one byte more does not`(coding: Coding) throws {
    let coded = try coding.encode(Array(Sample.text.bytes().prefix(100_000)))
    #expect(
      try coding.decode(coded, limits: DecodingLimits(maximumSize: 100_000, maximumRatio: 1_000)).count == 100_000)
    let tight = DecodingLimits(maximumSize: 99_999, maximumRatio: 1_000)
    #expect(kind { _ = try coding.decode(coded, limits: tight) } == .limitExceeded(.decodedBodySize))
  }

  @Test(arguments: Coding.allCases)
  func `a small body may have any ratio`(coding: Coding) throws {
    let coded = try coding.encode([UInt8](repeating: 0, count: 1 << 20))
    let limits = DecodingLimits(maximumSize: .max, maximumRatio: 2)
    #expect(try coding.decode(coded, limits: limits).count == 1 << 20)
  }

  @Test(arguments: [Coding.gzip, .zstd])
  func `members and frames share one cap`(coding: Coding) throws {
    let member = try coding.encode([UInt8](repeating: 0x61, count: 1_000))
    let limits = DecodingLimits(maximumSize: 5_000, maximumRatio: 1_000)
    let bytes = [[UInt8]](repeating: member, count: 6).flatMap { $0 }
    #expect(kind { _ = try coding.decode(bytes, limits: limits) } == .limitExceeded(.decodedBodySize))
    #expect(try coding.decode(Array(bytes.dropLast(member.count)), limits: limits).count == 5_000)
  }
}

/// An endless stream of compressed zeros.
///
/// The zeros are compressed piece by piece during decoding, so that no large value is in memory.
private struct Bomb {
  private let coding: Coding
  private let encoder: any BodyTransformer

  init(_ coding: Coding) throws(LupineError) {
    self.coding = coding
    encoder = try coding.coding.makeEncoder()
  }

  /// Decodes up to 10 GB of zeros, and returns the error and the sizes of the output.
  func explode(limits: DecodingLimits) throws -> (kind: LupineError.Kind?, delivered: Int64, largestPiece: Int) {
    let decoder = try coding.coding.makeDecoder(limits: limits)
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    var delivered: Int64 = 0
    var largestPiece = 0
    let end = kind {
      for _ in 0..<10_000 {
        try feed(encoder, zeros[...]) { (coded) throws(LupineError) in
          try decoder.transform(coded) { piece in
            delivered += Int64(piece.count)
            largestPiece = max(largestPiece, piece.count)
          }
        }
      }
    }
    return (end, delivered, largestPiece)
  }
}
