import LupineCore
import LupineIDN
import Testing

@Suite struct IDNATests {
  private func url(_ text: String) async throws(LupineError) -> HTTPURL {
    try await HostNames.withConverter(.idna) { () async throws(LupineError) in try HTTPURL(text) }
  }

  /// The examples of UTS 46 (non-transitional), of RFC 5891 and of the names that were registered under both rules.
  @Test(
    arguments: [
      ("müller.example", "xn--mller-kva.example"), ("MÜLLER.Example", "xn--mller-kva.example"),
      ("mu\u{308}ller.example", "xn--mller-kva.example"), ("straße.example", "xn--strae-oqa.example"),
      ("faß.de", "xn--fa-hia.de"), ("βόλος.com", "xn--nxasmm1c.com"), ("ශ්‍රී.com", "xn--10cl1a0b660p.com"),
      ("نامه‌ای.com", "xn--mgba3gch31f060k.com"), ("日本語。ＪＰ", "xn--wgv71a119e.jp"),
      ("bücher.ü.example", "xn--bcher-kva.xn--tda.example"),
      ("ＡＢＣ.example", "abc.example"), ("ü.example.", "xn--tda.example."), ("ﬁx.example", "fix.example"),
      ("soft\u{AD}hyphen.example", "softhyphen.example"),
    ] as [(String, String)])
  func `a name is converted as published`(_ name: String, _ ascii: String) async throws {
    let url = try await url("https://\(name):8443/straße?a#b")
    #expect(url.host == ascii)
    #expect(url.string == "https://\(ascii):8443/stra%C3%9Fe?a#b")
    #expect(url.hostKind == .name)
    #expect(try HTTPURL(url.string) == url)
  }

  @Test(arguments: [
    "☃.example", "a_ü.example", "-ü.example", "ü-.example", "ü..example", ".ü.example", "\u{301}a.example",
    "a\u{200D}b.example", "xn--ü.example", "ü\u{2028}.example", "ab--ü.example", "ﷺ.example",
    "ü" + String(repeating: "a", count: 60) + ".example", String(repeating: "ü.", count: 130) + "example",
    "אb.example",
  ])
  func `a name that IDNA does not allow is refused`(_ name: String) async {
    await #expect(throws: LupineError.self) { try await url("https://\(name)/") }
  }

  @Test(arguments: [
    "exam／ple.ü", "a＠evil.ü", "ü：80.example", "ü？.example", "ü＃.example", "ü％41.example", "ü＼.example",
    "ü\u{0}.example", "ü.ex ample", "ⓤ [.ü", "℀.ü", "℆.example",
  ])
  func `no character becomes a delimiter of the URL`(_ name: String) async {
    await #expect(throws: LupineError.self) { try await url("https://\(name)/") }
  }

  @Test func `digits that are not ASCII are those of an address`() async throws {
    let url = try await url("http://１２７.０.０.１/")
    #expect(url.host == "127.0.0.1")
    #expect(url.hostKind == .ipv4)
    #expect(url.isLoopback)
    await #expect(throws: LupineError.self) { try await self.url("http://１２７.１/") }
    await #expect(throws: LupineError.self) { try await self.url("http://０ｘ７ｆ.1/") }
  }

  @Test func `bytes that are not UTF-8 are no name`() async {
    let base = try? HTTPURL("https://a.example/")
    await #expect(throws: LupineError.self) {
      try await HostNames.withConverter(.idna) { () async throws in
        try base?.resolving(location: "https://a%FC.example/")
      }
    }
  }

  @Test func `the error names the module if there is no converter`() async throws {
    try await HostNames.withConverter(nil) { () async throws in
      let error = #expect(throws: LupineError.self) { try HTTPURL("https://müller.example/") }
      #expect(error?.kind == .invalidURL)
      #expect(error?.message.contains("LupineIDN") == true)
      #expect(error?.message.contains("byte 9") == true)
    }
  }

  @Test func `the error of a name has the reason and its place`() async {
    let error = await #expect(throws: LupineError.self) { try await url("https://a_ü.example/") }
    #expect(error?.kind == .invalidURL)
    #expect(error?.message.hasPrefix("The URL's host, at byte 10, is not a valid name: ") == true)
  }

  @Test func `a redirect to such a name goes to its ASCII form`() async throws {
    let target = try await HostNames.withConverter(.idna) {
      try HTTPURL("https://a.example/").resolving(location: "//müller.example/straße")
    }
    #expect(target.string == "https://xn--mller-kva.example/stra%C3%9Fe")
  }
}
