import FoundationEssentials
import LupineCore
import LupineSupport
import Testing

@testable import LupineCookies

@Suite struct SetCookieTests {
  @Test(arguments: [
    ("a=b", "a", "b"), (" a = b ", "a", "b"), ("a=b=c", "a", "b=c"), ("a=", "a", ""), ("=b", "", "b"), ("b", "", "b"),
    ("a=\"b c\"", "a", "\"b c\""), ("a=%41", "a", "%41"), ("a=b;", "a", "b"), ("a=b\t", "a", "b"),
    ("a=1,2", "a", "1,2"),
  ])
  func `a name and a value, as they stand`(field: String, name: String, value: String) {
    let cookie = SetCookie(field)
    #expect(cookie?.name == name)
    #expect(cookie?.value == value)
  }

  @Test(arguments: ["", " ", "=", ";a=b", "; Secure"])
  func `nothing is no cookie`(field: String) {
    #expect(SetCookie(field) == nil)
  }

  @Test(arguments: (Array(0..<0x20) + [0x7F]).filter { $0 != 0x09 })
  func `a control byte anywhere drops the cookie`(byte: UInt8) {
    let control = String(UnicodeScalar(byte))
    for field in ["a\(control)=b", "a=\(control)b", "a=b; Path=/\(control)", "a=b; \(control)"] {
      #expect(SetCookie(field) == nil)
    }
  }

  @Test(arguments: ["@", ";", ",", "\t", "%", "{", "=", "\"", "\\", " ", "a=", "a;", "; ", " =", "=;"])
  func `each byte of a cookie is looked at a fixed number of times`(unit: String) {
    for start in ["", "a=", "a=b; ", "a=b; Expires=", "a=b; Domain="] {
      let field = start + String(repeating: unit, count: (16 << 10) / unit.utf8.count)
      var cursor = FieldCursor(field)
      _ = SetCookie(&cursor, limit: 8 << 20)
      #expect(cursor.steps > 0)
      #expect(cursor.steps <= 3 * field.utf8.count + 16)
    }
  }

  @Test func `a cookie of 4 KiB is taken, a longer one is not`() {
    #expect(SetCookie("a=" + String(repeating: "x", count: 4_095)) != nil)
    #expect(SetCookie("a=" + String(repeating: "x", count: 4_096)) == nil)
    #expect(SetCookie("a=b; Path=/" + String(repeating: "x", count: 10_000))?.path == nil)
  }

  @Test(
    arguments: [
      ("60", 60.0), ("0", 0), ("-1", -1), ("007", 7), ("9007199254740992", 9_007_199_254_740_992),
    ] as [(String, Double)])
  func `Max-Age is a whole number of any length`(text: String, seconds: Double) {
    #expect(SetCookie("a=b; max-age=\(text)")?.maxAge == seconds)
  }

  @Test(arguments: ["", "1.5", "1e9", "+1", "x", "-", "1 2"])
  func `another Max-Age is passed over`(text: String) {
    #expect(SetCookie("a=b; Max-Age=\(text)")?.maxAge == nil)
  }

  @Test func `attributes in any order and case; the last of a kind counts`() {
    let cookie = SetCookie("a=b; SECURE; httponly; SameSite=Lax; domain=.Example.COM; PATH=/x; path=/y; Unknown=1")
    #expect(cookie?.isSecure == true)
    #expect(cookie?.isHTTPOnly == true)
    #expect(cookie?.sameSite == .lax)
    #expect(cookie?.domain == "example.com")
    #expect(cookie?.path == "/y")
  }

  @Test(
    arguments: [("Strict", .strict), ("LAX", .lax), ("none", Cookie.SameSite.none), ("other", nil)]
      as [(String, Cookie.SameSite?)])
  func `SameSite is read`(text: String, value: Cookie.SameSite?) {
    #expect(SetCookie("a=b; SameSite=\(text)")?.sameSite == value)
  }
}
