import FoundationEssentials
import HTTPTypes
import LupineCore
@testable import LupineRecording
import Testing

/// The search for secrets at places that no rule names.
@Suite struct SecretScannerTests {
  private static let value = "pa55/wörd+x"

  private static let copies: [(String, [UInt8])] =
    [
      ("plain", Array(value.utf8)),
      ("percent-coded", Array(SecretPlace.percentCoded(value).utf8)),
      ("percent-coded in part", Array("pa55%2fw%C3%B6rd+x".utf8)),
      ("escaped", Array(SecretPlace.escaped(value).utf8)),
      ("escaped in part", Array(#"pa55\/w\u00f6rd+x"#.utf8)),
      ("after half of a character", Array(#"\ud83d\ud83d\ude00\"pa55\/wörd+x"#.utf8)),
      ("after a percent sign", Array("%%4%2pa55%2Fwörd+x".utf8)),
      ("escaped after a backslash", Array(#"\\u0070\u0061\u0035\u0035\/w\u00f6rd+x"#.utf8)),
      ("escaped after two backslashes", Array(#"\\\u0070a55\/wörd+x"#.utf8)),
    ]
    + (0..<4).map { offset in
      let text = Data(("xyz".prefix(offset) + value + "end").utf8).base64EncodedString()
      return ("in base64 after \(offset) bytes", Array(text.utf8))
    }
    + (0..<4).map { offset in
      let text = Data(("xyz".prefix(offset) + value + "end").utf8).base64EncodedString()
      let urlSafe = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      return ("in base64url after \(offset) bytes", Array(urlSafe.utf8))
    }

  private func patterns() -> SecretPatterns {
    var patterns = SecretPatterns()
    patterns.add(Array(Self.value.utf8), place: "the request's field Cookie")
    return patterns
  }

  private func finding(_ pieces: [[UInt8]], _ patterns: SecretPatterns, _ rules: SecretRules = SecretRules())
    -> SecretFinding?
  {
    var scanner = SecretScanner(patterns, rules)
    for piece in pieces { piece.withUnsafeBytes { scanner.feed($0) } }
    scanner.finish()
    return scanner.finding
  }

  @Test(arguments: copies) func `a copy is found, wherever a piece of the text ends`(name: String, copy: [UInt8]) {
    let patterns = patterns()
    let before = Array("{\"a\":\"first ".utf8)
    let text = before + copy + Array(" last\"}".utf8)
    for cut in 0...text.count {
      let found = finding([Array(text[..<cut]), Array(text[cut...])], patterns)
      #expect(found?.meaning.contains("the value of the request's field Cookie") == true, "\(name) cut at \(cut)")
    }
  }

  @Test func `the message has the first byte`() {
    let patterns = patterns()
    for (name, copy) in Self.copies.prefix(5) {
      #expect(finding([Array("0123456789".utf8) + copy], patterns)?.byte == 11, "\(name)")
    }
    #expect(finding([Array("ab\\ncd ghp_".utf8) + Array(repeating: 0x61, count: 36)], patterns)?.byte == 8)
  }

  @Test func `a copy is found after any number of bytes, and at the end of a long run`() {
    let patterns = patterns()
    for count in [0, 255, 256, 4095, 4096, 4097, 8191, 8192, 8193, 20_000] {
      let filler = [UInt8](repeating: 0x61, count: count)
      #expect(finding([filler + Array(Self.value.utf8)], patterns)?.byte == count + 1)
      #expect(finding([filler + Array("%61\\n".utf8) + Array(Self.value.utf8)], patterns)?.byte == count + 6)
      let token = Array(" ghp_".utf8) + [UInt8](repeating: 0x62, count: 36)
      #expect(finding([filler + token], patterns)?.meaning == "a token of GitHub")
    }
  }

  @Test func `the division into pieces has no effect`() {
    let patterns = patterns()
    let fragments =
      [[0x61], Array("%".utf8), Array("\\".utf8), Array("%25".utf8), Array(#"\u00e9"#.utf8), Array(#"\ud83d"#.utf8)]
      + [Array("x y".utf8), [UInt8](repeating: 0x62, count: 600), Array("ghp_".utf8), Array(#"\n"#.utf8)]
      + Self.copies.map(\.1).map { Array($0.dropLast(3)) } + Self.copies.map(\.1).prefix(1)
    var random = SeededNumbers(seed: 35)
    var found = 0
    for _ in 0..<100 {
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 1...12, using: &random) { text += fragments.randomElement(using: &random) ?? [] }
      let whole = finding([text], patterns)
      if whole != nil { found += 1 }
      // Of two copies that overlap, either may be found first.
      #expect((finding(text.map { [$0] }, patterns) == nil) == (whole == nil))
      for _ in 0..<5 {
        let cuts = [0, text.count] + (0..<3).map { _ in Int.random(in: 0...text.count, using: &random) }
        let pieces = zip(cuts.sorted(), cuts.sorted().dropFirst()).map { Array(text[$0..<$1]) }
        #expect((finding(pieces, patterns) == nil) == (whole == nil))
      }
    }
    #expect(found > 10 && found < 90)
  }

  @Test func `a long value is found by its beginning, a short one is not searched for`() {
    var patterns = SecretPatterns()
    let long = (0..<2000).map { UInt8(truncatingIfNeeded: 0x21 &+ $0 * 7 % 90) }
    patterns.add(long, place: "x")
    patterns.add(Array("12345".utf8), place: "y")
    #expect(finding([long], patterns) != nil)
    #expect(finding([Array("12345 12345".utf8)], patterns) == nil)
  }

  @Test(arguments: [
    ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2ln", "a JSON Web Token"),
    ("key=AKIAIOSFODNN7EXAMPLE;", "an access key of Amazon Web Services"),
    (#"a\nghp_0123456789abcdefghijklmnopqrstuvwxyz"#, "a token of GitHub"),
    ("x%3Dgithub_pat_0123456789abcdefghijklm", "a token of GitHub"),
    ("gho_0123456789abcdefghijklmnopqrstuvwxyz", "a token of GitHub"),
    ("sk-proj-abcdefghij0123456789", "a secret key (sk-…)"),
    ("sk_live_abcdefghij0123456789", "a secret key of Stripe"),
    ("xoxb-123456789012-abcdef", "a token of Slack"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIE", "a private key in PEM"),
  ]) func `tokens of known shapes are found, wherever a piece ends`(text: String, meaning: String) {
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      let found = finding([Array(bytes[..<cut]), Array(bytes[cut...])], SecretPatterns())
      #expect(found?.meaning == meaning, "cut at \(cut)")
    }
  }

  @Test(arguments: [
    "class=\"sk-fading-circle-of-dots-and-more\"", "AKIA", "xAKIAIOSFODNN7EXAMPLE", "ghp_short", "eyJhbGciOi.eyJ",
    "sk-1", "REDACTED-1", "-----BEGIN CERTIFICATE-----", "%", "\\", "\\u12", "%4", "\\ud83d",
  ]) func `other texts are not taken for tokens`(text: String) {
    #expect(finding([Array(text.utf8)], SecretPatterns()) == nil)
  }

  @Test func `a text that is named as harmless is no finding, and others after it are`() {
    let rules = SecretRules(Redaction().harmless("the example key AKIAIOSFODNN7EXAMPLE"))
    #expect(finding([Array("AKIAIOSFODNN7EXAMPLE".utf8)], SecretPatterns(), rules) == nil)
    #expect(finding([Array("AKIAIOSFODNN7EXAMPLE.AKIAIOSFODNN7OTHERKE".utf8)], SecretPatterns(), rules)?.byte == 22)
  }

  @Test(arguments: [
    (#"{"a":1,"token" : "abc"}"#, true), (#"{"token":"REDACTED-1"}"#, false), (#"{"token":null,"key":12}"#, false),
    (#"{"token":123456}"#, true), (#"{"session":{"a":1}}"#, true), (#"{"a\"token":"x"}"#, false),
    (#"Content-Disposition: form-data; name="password""#, true), (#"{"secret":"REDACTED-1 and more than that"}"#, true),
  ]) func `a body that is too long to be redacted may not have values with a secret name`(text: String, isFound: Bool) {
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      var scanner = SecretScanner(SecretPatterns(), SecretRules(), findsNames: true)
      for piece in [bytes[..<cut], bytes[cut...]] { Array(piece).withUnsafeBytes { scanner.feed($0) } }
      scanner.finish()
      #expect((scanner.finding != nil) == isFound, "cut at \(cut)")
    }
  }
}

/// Numbers that look random and are the same each time (SplitMix64).
private struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
