import LupineCore
import Testing

/// A small generator with a fixed seed (splitmix64), so that every run sees the same URLs.
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

@Suite struct HTTPURLIdempotenceTests {
  private static let heads = [
    "http://h", "HTTPS://Ex-A.mple.", "http://[::FFFF:1.2.3.4]:80", "https://1.2.3.4:65535", "http://a:080",
    "https://h:",
  ]
  private static let pieces = [
    "/", "/", ".", "..", "%2e", "%2E%2e", "a", "é", "%41", " ", "^", "#", "?", "&", "=", "@", ":", "{", "'", ";", "//",
    "|",
  ]

  @Test(arguments: 0..<20)
  func `parsing the normal form changes nothing`(seed: Int) throws {
    var generator = SeededGenerator(state: UInt64(seed))
    for _ in 0..<100 {
      let head = try #require(Self.heads.randomElement(using: &generator))
      let count = Int.random(in: 0...14, using: &generator)
      let tail = (0..<count).compactMap { _ in Self.pieces.randomElement(using: &generator) }.joined()
      let url = try HTTPURL(head + "/" + tail + "!")
      let again = try HTTPURL(url.description)
      #expect(again == url)
      #expect(again.string == url.string)
      #expect(again.host == url.host && again.port == url.port && again.path == url.path)
      #expect(again.query == url.query && again.fragment == url.fragment && again.hostKind == url.hostKind)
    }
  }
}
