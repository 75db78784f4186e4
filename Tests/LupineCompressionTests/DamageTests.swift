import LupineCompression
import LupineCore
import LupineSession
import LupineFixtures
import Testing

@Suite struct DamageTests {
  private static let plain = Array("All lupines love the rain, and the rain loves all lupines.\n".utf8)

  @Test(arguments: Coding.allCases)
  func `data that ends early is an error, wherever it ends`(coding: Coding) throws {
    let coded = try coding.encode(Self.plain)
    for length in 1..<coded.count {
      for pieces in [1, Int.max] {
        #expect(kind { _ = try coding.decode(Array(coded.prefix(length)), pieces: pieces) } == .contentDecodingFailed)
      }
    }
  }

  @Test(arguments: Coding.allCases)
  func `data that ends early still yields what came before`(coding: Coding) throws {
    let plain = Sample.noise.bytes()
    let coded = try coding.encode(plain)
    let decoder = try coding.coding.makeDecoder(limits: .generous)
    var outcome = Outcome()
    try feed(decoder, coded.dropLast(9)) { outcome.add($0) }
    #expect(plain.starts(with: outcome.joined))
    #expect(kind { try decoder.finish { _ in } } == .contentDecodingFailed)
  }

  @Test(arguments: Coding.allCases)
  func `a flipped bit gives an error or bytes, and never more than the cap`(coding: Coding) throws {
    let coded = try coding.encode(Self.plain)
    let limits = DecodingLimits(maximumSize: 10_000, maximumRatio: 10_000)
    for bit in 0..<coded.count * 8 {
      var damaged = coded
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      for pieces in [1, Int.max] {
        guard let decoded = try? coding.decode(damaged, pieces: pieces, limits: limits) else { continue }
        #expect(decoded.count <= 10_000)
      }
    }
  }

  @Test func `a flipped bit behind the header of gzip data never goes unnoticed`() throws {
    let coded = try Coding.gzip.encode(Self.plain)
    for bit in 10 * 8..<coded.count * 8 {
      var damaged = coded
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      // The padding bits before the CRC have no meaning: if the body still decodes, its content must be unchanged.
      let decoded = try? Coding.gzip.decode(damaged)
      #expect(decoded == nil || decoded == Self.plain)
    }
  }

  @Test(arguments: Coding.allCases)
  func `noise is an error or bytes, never a crash`(coding: Coding) {
    var generator = SplitMix(seed: 11)
    for _ in 0..<300 {
      let noise = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let decoded = try? coding.decode(noise, limits: DecodingLimits(maximumSize: 10_000, maximumRatio: 10_000))
      #expect(decoded?.count ?? 0 <= 10_000)
    }
  }

  @Test(arguments: Coding.allCases, [1, Int.max])
  func `bytes after the end are an error`(coding: Coding, pieces: Int) throws {
    let coded = try coding.encode(Self.plain)
    for tail: [UInt8] in [Array("garbage".utf8), [0x1f], [0x28, 0xb5], [0, 0, 0x20], [0x0D, 0x0A, 0x61], [0xFF]] {
      #expect(kind { _ = try coding.decode(coded + tail, pieces: pieces) } == .contentDecodingFailed)
    }
  }

  @Test(
    arguments: Coding.allCases,
    [[0], [0x0A], [0x0D, 0x0A], [0, 0, 0x0D, 0x0A, 0], [UInt8](repeating: 0, count: 1_024)] as [[UInt8]])
  func `zeros and line ends after the end are ignored, wherever the body is split`(coding: Coding, tail: [UInt8]) throws
  {
    let body = try coding.encode(Self.plain) + tail
    #expect(try coding.decode(body, pieces: 1) == Self.plain)
    for split in 0...body.count {
      let decoder = try coding.coding.makeDecoder(limits: .generous)
      var outcome = Outcome()
      try feed(decoder, body[..<split]) { outcome.add($0) }
      try feed(decoder, body[split...]) { outcome.add($0) }
      try decoder.finish { outcome.add($0) }
      #expect(outcome.joined == Self.plain, "\(split)")
    }
  }

  @Test(arguments: [Coding.gzip, .zstd], [1, Int.max])
  func `a further member may follow padding`(coding: Coding, pieces: Int) throws {
    let coded = try coding.encode(Self.plain)
    let body = coded + [0, 0, 0x0A] + coded + [0x0A]
    #expect(try coding.decode(body, pieces: pieces) == Self.plain + Self.plain)
    for length in coded.count + 4..<body.count - 1 {
      #expect(kind { _ = try coding.decode(Array(body.prefix(length)), pieces: pieces) } == .contentDecodingFailed)
    }
  }

  @Test(arguments: Coding.allCases, [1, Int.max])
  func `padding before the data, and padding without an end, are errors`(coding: Coding, pieces: Int) throws {
    let coded = try coding.encode(Self.plain)
    #expect(kind { _ = try coding.decode([0x0D, 0x0A] + coded, pieces: pieces) } == .contentDecodingFailed)
    let full = coded + [UInt8](repeating: 0, count: 64 << 10)
    #expect(try coding.decode(full, pieces: pieces) == Self.plain)
    #expect(kind { _ = try coding.decode(full + [0], pieces: pieces) } == .contentDecodingFailed)
  }

  @Test(arguments: Coding.allCases)
  func `the error of bytes after the end names the reason`(coding: Coding) throws {
    let coded = try coding.encode(Self.plain)
    let error = #expect(throws: LupineError.self) { try coding.decode(coded + [0x20]) }
    #expect(error?.message.contains("follow its end") == true)
  }

  @Test func `the error has the library's own text`() {
    let error = #expect(throws: LupineError.self) { try Coding.gzip.decode(Array("plain text".utf8)) }
    #expect(error?.message.contains("incorrect header check") == true)
  }

  @Test(arguments: Coding.allCases)
  func `after an error every further call gives it again`(coding: Coding) throws {
    let decoder = try coding.coding.makeDecoder(limits: .generous)
    let bad = try coding.encode(Self.plain) + Array("garbage".utf8)
    #expect(kind { try feed(decoder, bad[...]) { _ in } } == .contentDecodingFailed)
    #expect(kind { try feed(decoder, [1]) { _ in } } == .contentDecodingFailed)
    #expect(kind { try decoder.finish { _ in } } == .contentDecodingFailed)
  }

  @Test(arguments: Coding.allCases)
  func `an error of the receiver comes through and ends the decoding`(coding: Coding) throws {
    let coded = try coding.encode(Self.plain)
    let decoder = try coding.coding.makeDecoder(limits: .generous)
    let refusal: BodyTransformer.Output = { (_) throws(LupineError) in throw LupineError(.cancelled, "Enough.") }
    #expect(kind { try feed(decoder, coded[...], into: refusal) } == .cancelled)
    #expect(kind { try decoder.finish { _ in } } == .cancelled)
  }
}

/// The kind of the error that `body` throws: `other` if it is not a `LupineError`, `nil` if there is no error.
func kind(_ body: () throws -> Void) -> LupineError.Kind? {
  do {
    try body()
    return nil
  } catch {
    return (error as? LupineError)?.kind ?? .other
  }
}
