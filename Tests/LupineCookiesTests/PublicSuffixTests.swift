import LupineCore
import Testing

@testable import LupineCookies

/// The tests that are published with the Public Suffix List: the registrable domain of each name.
///
/// Lupine passes the host of a URL, which is lower-case ASCII without an empty label. The published names in Unicode
/// are therefore here only in their ASCII form.
@Suite struct PublicSuffixTests {
  @Test(
    arguments: [
      ("COM", nil), ("example.COM", "example.com"), ("WwW.example.COM", "example.com"), (".com", nil),
      (".example", nil), (".example.com", nil), (".example.example", nil),
      ("example", nil), ("example.example", "example.example"), ("b.example.example", "example.example"),
      ("a.b.example.example", "example.example"),
      ("biz", nil), ("domain.biz", "domain.biz"), ("b.domain.biz", "domain.biz"), ("a.b.domain.biz", "domain.biz"),
      ("com", nil), ("example.com", "example.com"), ("b.example.com", "example.com"),
      ("a.b.example.com", "example.com"), ("uk.com", nil), ("example.uk.com", "example.uk.com"),
      ("b.example.uk.com", "example.uk.com"), ("a.b.example.uk.com", "example.uk.com"), ("test.ac", "test.ac"),
      ("mm", nil), ("c.mm", nil), ("b.c.mm", "b.c.mm"), ("a.b.c.mm", "b.c.mm"),
      ("jp", nil), ("test.jp", "test.jp"), ("www.test.jp", "test.jp"), ("ac.jp", nil), ("test.ac.jp", "test.ac.jp"),
      ("www.test.ac.jp", "test.ac.jp"), ("kyoto.jp", nil), ("test.kyoto.jp", "test.kyoto.jp"), ("ide.kyoto.jp", nil),
      ("b.ide.kyoto.jp", "b.ide.kyoto.jp"), ("a.b.ide.kyoto.jp", "b.ide.kyoto.jp"), ("c.kobe.jp", nil),
      ("b.c.kobe.jp", "b.c.kobe.jp"), ("a.b.c.kobe.jp", "b.c.kobe.jp"), ("city.kobe.jp", "city.kobe.jp"),
      ("www.city.kobe.jp", "city.kobe.jp"),
      ("ck", nil), ("test.ck", nil), ("b.test.ck", "b.test.ck"), ("a.b.test.ck", "b.test.ck"), ("www.ck", "www.ck"),
      ("www.www.ck", "www.ck"),
      ("us", nil), ("test.us", "test.us"), ("www.test.us", "test.us"), ("ak.us", nil), ("test.ak.us", "test.ak.us"),
      ("www.test.ak.us", "test.ak.us"), ("k12.ak.us", nil), ("test.k12.ak.us", "test.k12.ak.us"),
      ("www.test.k12.ak.us", "test.k12.ak.us"),
      ("xn--85x722f.com.cn", "xn--85x722f.com.cn"), ("xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
      ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
      ("shishi.xn--55qx5d.cn", "shishi.xn--55qx5d.cn"), ("xn--55qx5d.cn", nil),
      ("xn--85x722f.xn--fiqs8s", "xn--85x722f.xn--fiqs8s"), ("www.xn--85x722f.xn--fiqs8s", "xn--85x722f.xn--fiqs8s"),
      ("shishi.xn--fiqs8s", "shishi.xn--fiqs8s"), ("xn--fiqs8s", nil),
    ] as [(String, String?)])
  func `the public suffix of a name`(name: String, expected: String?) {
    let labels = (try? HTTPURL("http://\(name)/").host)?.split(separator: ".") ?? []
    let domains = labels.indices.reversed().map { labels[$0...].joined(separator: ".") }
    #expect(domains.first { !PublicSuffixes.contain($0) } == expected)
  }

  @Test(arguments: [
    "食狮.com.cn", "食狮.公司.cn", "www.食狮.公司.cn", "shishi.公司.cn", "公司.cn", "食狮.中国", "www.食狮.中国", "shishi.中国", "中国",
  ])
  func `a name in Unicode is no host`(name: String) {
    #expect(throws: LupineError.self) { try HTTPURL("http://\(name)/") }
  }
}
