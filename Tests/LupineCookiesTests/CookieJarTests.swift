import FoundationEssentials
import Glibc
import LupineCore
import LupineMock
import Testing

@testable import LupineCookies

@Suite struct CookieJarTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private let jar = CookieJar()

  private func set(_ fields: String..., from url: String, after seconds: Double = 0) throws {
    jar.store(fields, from: try HTTPURL(url), now: Self.now.addingTimeInterval(seconds))
  }

  private func sent(to url: String, after seconds: Double = 0) throws -> [String] {
    jar.cookies(for: try HTTPURL(url), now: Self.now.addingTimeInterval(seconds)).map { "\($0.name)=\($0.value)" }
  }

  @Test(arguments: [
    ("https://www.example.com/", ["host=1", "all=1"]), ("https://example.com/", ["all=1"]),
    ("https://a.www.example.com/", ["all=1"]), ("https://WWW.example.com:8443/", ["host=1", "all=1"]),
    ("http://www.example.com/", ["host=1", "all=1"]), ("https://notexample.com/", []), ("https://example.org/", []),
    ("https://www.example.com./", []),
  ])
  func `a cookie goes to its host, or to all of its domain`(url: String, expected: [String]) throws {
    try set("host=1; Path=/", "all=1; Path=/; Domain=example.com", from: "https://www.example.com/")
    #expect(try sent(to: url) == expected)
  }

  @Test(arguments: [
    ("/docs", true), ("/docs/", true), ("/docs/a", true), ("/docsets", false), ("/", false), ("/Docs", false),
  ])
  func `a path matches the paths below it`(path: String, isSent: Bool) throws {
    try set("a=b; Path=/docs", from: "https://example.com/")
    #expect(try sent(to: "https://example.com" + path).isEmpty == !isSent)
  }

  @Test func `longer paths come first, then older cookies`() throws {
    try set("a=1; Path=/", "b=2; Path=/x", "c=3; Path=/", from: "https://example.com/")
    try set("a=4; Path=/", from: "https://example.com/")
    #expect(try sent(to: "https://example.com/x") == ["b=2", "a=4", "c=3"])
  }

  @Test func `a secure cookie goes over https alone`() throws {
    try set("a=b; Secure; Path=/", from: "https://example.com/")
    #expect(try sent(to: "http://example.com/").isEmpty)
    #expect(try sent(to: "https://example.com/") == ["a=b"])
  }

  @Test(arguments: [
    ("a=evil; Path=/", "http://www.example.com/"), ("a=evil; Path=/; Domain=example.com", "http://www.example.com/"),
    ("a=evil; Path=/login/x", "http://www.example.com/login/x"),
  ])
  func `plain http does not take a secure cookie's place`(field: String, url: String) throws {
    try set("a=good; Secure; Path=/", from: "https://www.example.com/")
    try set(field, from: url)
    #expect(jar.cookies.map(\.value) == ["good"])
  }

  @Test func `a cookie is removed by an expiry date in the past, and at its expiry date`() throws {
    try set("a=b; Path=/", "c=d; Max-Age=10; Path=/", from: "https://example.com/")
    try set("a=; Max-Age=0; Path=/", from: "https://example.com/")
    #expect(try sent(to: "https://example.com/", after: 9) == ["c=d"])
    #expect(try sent(to: "https://example.com/", after: 10).isEmpty)
    #expect(jar.cookies.isEmpty)
  }

  @Test func `a flood fills 50 places of a domain, with the newest`() throws {
    for number in 0..<500 { try set("c\(number)=x; Path=/", from: "https://example.com/") }
    #expect(jar.cookies.map(\.name) == (450..<500).map { "c\($0)" })
  }

  @Test func `a flood of insecure cookies does not drive out a secure one`() throws {
    try set("session=s; Secure; Path=/", from: "https://example.com/")
    for number in 0..<100 { try set("c\(number)=x; Path=/", from: "http://example.com/") }
    #expect(try sent(to: "https://example.com/").contains("session=s"))
  }

  @Test func `a flood over many hosts fills 3,000 places`() throws {
    for number in 0..<3_100 { try set("a=x", from: "https://h\(number).example.com/") }
    #expect(jar.cookies.count == 3_000)
    #expect(try sent(to: "https://h0.example.com/").isEmpty)
    #expect(try sent(to: "https://h3099.example.com/") == ["a=x"])
  }

  @Test func `the cookies of a request stay within a field that servers accept`() throws {
    for number in 0..<50 {
      try set("c\(number)=\(String(repeating: "x", count: 1_000)); Path=/", from: "https://example.com/")
    }
    let size = try sent(to: "https://example.com/").reduce(0) { $0 + $1.utf8.count + 2 }
    #expect(size <= 8_190)
    #expect(size > 7_000)
  }

  @Test func `a program sets and removes cookies`() throws {
    try jar.set("theme=dark; Path=/", for: "https://example.com", now: Self.now)
    #expect(try sent(to: "https://example.com/a") == ["theme=dark"])
    #expect(throws: LupineError.self) { try jar.set("a=b; Domain=com", for: "https://example.com") }
    #expect(throws: LupineError.self) { try jar.set("a=b\r\nX: y", for: "https://example.com") }
    jar.remove(try #require(jar.cookies.first))
    #expect(jar.cookies.isEmpty)
  }

  @Test func `neither a cookie nor a pair shows its value`() throws {
    try set("a=secretRw4uPz8nYc", from: "https://example.com/")
    #expect(!"\(jar.cookies)".contains("secretRw4uPz8nYc"))
    #expect(!"\(jar.cookies(for: try HTTPURL("https://example.com/"), now: Self.now))".contains("secretRw4uPz8nYc"))
  }
}
