import Testing

@testable import LupineCookies

/// The tests that are published with the Public Suffix List: the shortest domain below a suffix that somebody can own.
@Suite struct PublicSuffixTests {
  @Test(
    arguments: [
      ("biz", nil), ("domain.biz", "domain.biz"), ("b.domain.biz", "domain.biz"), ("a.b.domain.biz", "domain.biz"),
      ("com", nil), ("example.com", "example.com"), ("b.example.com", "example.com"), ("uk.com", nil),
      ("example.uk.com", "example.uk.com"), ("a.b.example.uk.com", "example.uk.com"), ("test.ac", "test.ac"),
      ("mm", nil), ("c.mm", nil), ("b.c.mm", "b.c.mm"), ("a.b.c.mm", "b.c.mm"), ("jp", nil), ("www.test.jp", "test.jp"),
      ("ac.jp", nil), ("www.test.ac.jp", "test.ac.jp"), ("kyoto.jp", nil), ("test.kyoto.jp", "test.kyoto.jp"),
      ("ide.kyoto.jp", nil), ("a.b.ide.kyoto.jp", "b.ide.kyoto.jp"), ("c.kobe.jp", nil),
      ("a.b.c.kobe.jp", "b.c.kobe.jp"),
      ("city.kobe.jp", "city.kobe.jp"), ("www.city.kobe.jp", "city.kobe.jp"), ("ck", nil), ("test.ck", nil),
      ("a.b.test.ck", "b.test.ck"), ("www.ck", "www.ck"), ("www.www.ck", "www.ck"), ("us", nil), ("ak.us", nil),
      ("www.test.ak.us", "test.ak.us"), ("k12.ak.us", nil), ("www.test.k12.ak.us", "test.k12.ak.us"),
      ("www.xn--85x722f.com.cn", "xn--85x722f.com.cn"), ("xn--55qx5d.cn", nil),
      ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"), ("xn--fiqs8s", nil),
      ("www.xn--85x722f.xn--fiqs8s", "xn--85x722f.xn--fiqs8s"), ("example", nil),
      ("a.b.example.example", "example.example"),
    ] as [(String, String?)])
  func `S22 where the suffix of a name ends`(name: String, expected: String?) {
    let labels = name.split(separator: ".")
    let domains = labels.indices.reversed().map { labels[$0...].joined(separator: ".") }
    #expect(domains.first { !PublicSuffixes.contain($0) } == expected)
  }
}
