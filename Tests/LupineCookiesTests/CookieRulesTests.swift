import FoundationEssentials
import LupineCore
import Testing

@testable import LupineCookies

@Suite struct CookieRulesTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private static func cookie(_ field: String, from url: String = "https://www.example.com/a/b") throws -> Cookie? {
    CookieRules(url: try HTTPURL(url), now: now).cookie(field)
  }

  /// Examples of the Public Suffix List: plain, wildcard and exception rules, private domains, and unlisted names.
  @Test(arguments: [
    // Domains whose hosts may share the cookie.
    ("www.example.com", "example.com", true), ("www.example.com", "www.example.com", true),
    ("www.example.co.uk", "example.co.uk", true), ("a.b.example.com", "b.example.com", true),
    ("www.city.kawasaki.jp", "city.kawasaki.jp", true), ("www.www.ck", "www.ck", true),
    ("a.b.c.mm", "b.c.mm", true), ("x.user.github.io", "user.github.io", true),
    ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn", true),
    ("www.example.unlisted", "example.unlisted", true),
    // Public suffixes.
    ("www.example.com", "com", false), ("www.example.co.uk", "co.uk", false), ("www.example.co.uk", "uk", false),
    ("www.example.co.uk", "CO.UK", false), ("www.example.co.uk", ".co.uk", false),
    ("www.example.co.uk", "co.uk.", false), ("www.example.co.uk.", "co.uk.", false),
    ("a.test.ck", "test.ck", false), ("a.b.kawasaki.jp", "b.kawasaki.jp", false), ("a.b.c.mm", "c.mm", false),
    ("user.github.io", "github.io", false), ("www.example.unlisted", "unlisted", false),
    ("www.xn--85x722f.xn--55qx5d.cn", "xn--55qx5d.cn", false),
    // Domains of other hosts, domains with a trailing dot or a letter outside ASCII, and IP addresses.
    ("www.example.com", "other.com", false), ("www.example.com", "ample.com", false),
    ("example.com", "www.example.com", false), ("www.example.com", "www.example.com.", false),
    ("www.example.com.", "example.com.", false), ("www.example.com", "ex\u{E4}mple.com", false),
    ("10.0.0.1", "0.0.1", false), ("[::1]", ":1", false), ("127.0.0.1", "1", false),
  ])
  func `whose hosts may share a cookie`(host: String, domain: String, isAllowed: Bool) throws {
    let cookie = try Self.cookie("a=b; Domain=\(domain)", from: "https://\(host)/")
    #expect((cookie?.isHostOnly == false) == isAllowed)
    if !isAllowed { #expect(cookie == nil) }
  }

  @Test(arguments: [
    ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"), ("github.io", "github.io"), ("www.example.com", ""),
    ("www.example.com", "."),
  ])
  func `a cookie whose Domain is a public suffix, an address or empty stays with its host`(host: String, domain: String)
    throws
  {
    let cookie = try Self.cookie("a=b; Domain=\(domain)", from: "https://\(host)/")
    #expect(cookie?.isHostOnly == true)
    #expect(cookie?.domain == host)
  }

  @Test(arguments: [
    ("__Host-a=b; Secure; Path=/", true), ("__Host-a=b; Secure", false), ("__Host-a=b; Path=/", false),
    ("__Host-a=b; Secure; Path=/; Domain=example.com", false), ("__Host-a=b; Secure; Path=/a", false),
    ("__host-a=b; Path=/", false), ("__Secure-a=b; Secure", true), ("__Secure-a=b", false), ("__SECURE-a=b", false),
    ("__Secure-a=b; Secure; Domain=example.com", true), ("=__Host-a=b; Secure; Path=/", false), ("__Secure-a", false),
  ])
  func `a prefix is a promise`(field: String, isTaken: Bool) throws {
    #expect((try Self.cookie(field) != nil) == isTaken)
  }

  @Test func `a secure cookie comes over https alone`() throws {
    #expect(try Self.cookie("a=b; Secure", from: "http://www.example.com/") == nil)
    #expect(try Self.cookie("a=b; SameSite=None", from: "https://www.example.com/") == nil)
    #expect(try Self.cookie("a=b; SameSite=None; Secure")?.sameSite == Cookie.SameSite.none)
  }

  @Test(arguments: [
    ("", "/a"), ("; Path=/", "/"), ("; Path=/x/y", "/x/y"), ("; Path=x", "/a"), ("; Path=", "/a"),
    ("; Path=\"/x\"", "/a"),
  ])
  func `an invalid path is replaced by the folder of the request`(attribute: String, path: String) throws {
    #expect(try Self.cookie("a=b" + attribute)?.path == path)
  }

  @Test(arguments: [
    ("https://e.com", "/"), ("https://e.com/a", "/"), ("https://e.com/a/", "/a"), ("https://e.com/a/b?c/d", "/a"),
  ])
  func `the folder of a request`(url: String, path: String) throws {
    #expect(try Self.cookie("a=b", from: url)?.path == path)
  }

  @Test(
    arguments: [
      ("; Max-Age=60", 60.0), ("; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 60),
      ("; Max-Age=99999999999999999999999999", 34_560_000),
      ("; Max-Age=" + String(repeating: "9", count: 1_000), 34_560_000),
      ("; Expires=Fri, 31 Dec 9999 23:59:59 GMT", 34_560_000), ("; Expires=Fri, 15 Jan 2027 08:00:10 GMT", 10),
    ] as [(String, Double)])
  func `an end is within 400 days, and no number overflows`(attribute: String, seconds: Double) throws {
    #expect(try Self.cookie("a=b" + attribute)?.expires == Self.now.addingTimeInterval(seconds))
  }

  @Test(arguments: ["; Max-Age=0", "; Max-Age=-99999999999999999999", "; Expires=Thu, 01 Jan 1970 00:00:00 GMT"])
  func `a cookie with an expiry date in the past is expired`(attribute: String) throws {
    #expect(try Self.cookie("a=b" + attribute)?.isExpired(at: Self.now) == true)
  }

  @Test func `without an end a cookie lasts as long as the session`() throws {
    #expect(try Self.cookie("a=b; Expires=whenever")?.isSessionCookie == true)
  }
}
