import LupineCore
import LupineFixtures
import Testing

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
    var generator = SplitMix(seed: UInt64(seed))
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
