import HTTPTypes
import LupineCore
import LupineFoundation
import Testing

@testable import LupineCache

@Suite struct RulesTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func directives(_ values: String...) -> CacheDirectives {
    var fields = HTTPFields()
    fields[values: .cacheControl] = values
    return CacheDirectives(fields)
  }

  @Test(
    arguments: [
      ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("a, max-age=60, b", 60), ("max-age=007", 7),
      ("max-age=60, max-age=5", 60), ("max-age=99999999999", 2_147_483_648),
      ("max-age=99999999999999999999", 2_147_483_648), ("max-age", 0), ("max-age=", 0), ("max-age= 60", 0),
      ("max-age=-60", 0), ("max-age=60.5", 0), ("max-age='60'", 0), ("max-age=6a", 0), ("max-age=60 5", 0),
      ("max-age =60", 0), ("x=\"max-age=60\"", nil), ("x-max-age=60", nil), (",,", nil),
    ] as [(String, Double?)])
  func `seconds of a directive`(text: String, seconds: Double?) {
    #expect(directives(text).seconds("max-age") == seconds)
  }

  @Test func `each Cache-Control field is read by itself`() {
    let both = directives("x=\"open", "no-store")
    #expect(both.contains("no-store"))
    #expect(both.isMalformed)
  }

  @Test func `a list of fields restricts a directive, and an invalid list does not`() {
    #expect(directives("no-cache=\"a, b\"").fieldNames("no-cache") == ["a", "b"])
    #expect(directives("no-cache=\"a b\"").concernsAll("no-cache"))
    #expect(directives("no-cache").concernsAll("no-cache"))
    #expect(!directives("private=\"a\"").concernsAll("private"))
  }

  @Test func `a long field is read in linear time`() {
    for byte in ["\"", ",", "=", "a", " ", "\\", "a=\"\\"] {
      _ = directives(String(repeating: byte, count: 200_000))
    }
  }

  @Test(arguments: [
    ("Fri, 15 Jan 2027 08:00:00 GMT", true), ("fri, 15 JAN 2027 08:00:00 gmt", true),
    ("Friday, 15-Jan-27 08:00:00 GMT", true), ("Fri Jan 15 08:00:00 2027", true),
    ("Fri 15 Jan 2027 08:00:00 GMT", false), ("Fri, 15-Jan-2027 08:00:00 GMT", false),
    ("Fri, 15 Jan 2027 8:00:00 GMT", false), ("Fri, 15 Jan 2027 08:00:00 UTC", false),
    ("Fri, 15 Jan 2027 08.00.00 GMT", false), ("0", false), ("", false), ("Fri, 31 Feb 2027 08:00:00 GMT", false),
  ])
  func `dates of fields have an exact form`(text: String, isValid: Bool) {
    #expect(FieldDate.parse(text, now: Self.now) == (isValid ? Self.now : nil))
  }

  private func freshness(_ fields: HTTPFields, after seconds: Double = 0, isShared: Bool = false) -> Freshness {
    let metadata = EntryMetadata(
      url: "", requestTime: Self.now, responseTime: Self.now, connection: "0", variation: Variation(names: []),
      selector: KeyedHash.none, credentials: [])
    let head = HTTPResponse(status: .ok, headerFields: fields)
    return Freshness(
      of: head, metadata, control: ResponseControl(head, isShared: isShared), now: Self.now.addingTimeInterval(seconds))
  }

  private static let date = "Fri, 15 Jan 2027 08:00:00 GMT"

  @Test func `lifetimes come from s-maxage, max-age, Expires and Last-Modified, in this order`() {
    var fields: HTTPFields = [.date: Self.date, .lastModified: "Fri, 15 Jan 2027 07:58:20 GMT"]
    #expect(freshness(fields).lifetime == 10)
    fields[.expires] = "Fri, 15 Jan 2027 08:01:00 GMT"
    #expect(freshness(fields).lifetime == 60)
    fields[.cacheControl] = "max-age=5, s-maxage=7"
    #expect(freshness(fields).lifetime == 5)
    #expect(freshness(fields, isShared: true).lifetime == 7)
    fields[.cdnCacheControl] = "max-age=9"
    #expect(freshness(fields).lifetime == 5)
    #expect(freshness(fields, isShared: true).lifetime == 9)
  }

  @Test func `an invalid or repeated Expires is stale`() {
    #expect(freshness([.date: Self.date, .expires: "0"]).lifetime == 0)
    var fields: HTTPFields = [.date: Self.date]
    fields[values: .expires] = ["Fri, 15 Jan 2027 09:00:00 GMT", "Fri, 15 Jan 2027 09:00:00 GMT"]
    #expect(freshness(fields).lifetime == 0)
  }

  @Test(
    arguments: [
      ("30", 30), ("30, 60", 30), ("abc", 0), ("-5", 0), ("7.5", 0), ("99999999999", 2_147_483_648),
    ] as [(String, Double)])
  func `ages of a response`(text: String, age: Double) {
    #expect(freshness([.date: Self.date, .age: text]).age == age)
  }

  @Test func `the age counts from Date, and grows with time`() {
    #expect(freshness([.date: "Fri, 15 Jan 2027 07:59:00 GMT"], after: 5).age == 65)
    #expect(freshness([.date: "Fri, 15 Jan 2027 08:59:00 GMT"], after: 5).age == 5)
    #expect(freshness([.date: Self.date], after: -1).age == .infinity)
    // Metadata round the arrival to a millisecond.
    #expect(freshness([.date: Self.date], after: -0.0005).age == 0)
  }

  @Test func `HMAC-SHA-256 has the digest of RFC 4231`() {
    let digest = KeyedHash(key: [UInt8](repeating: 0x0B, count: 20)).digest(Array("Hi There".utf8))
    #expect(digest.prefix(4) == [0xB0, 0x34, 0x4C, 0x61])
    #expect(digest.suffix(4) == [0x2E, 0x32, 0xCF, 0xF7])
  }

  @Test func `hashes depend on the division into parts`() {
    let hash = KeyedHash(key: [1])
    #expect(hash.text(of: ["ab", "c"]) != hash.text(of: ["a", "bc"]))
    #expect(hash.text(of: ["ab"]) != KeyedHash(key: [2]).text(of: ["ab"]))
  }

  @Test(
    arguments: [
      ("bytes=0-1", 0..<2), ("bytes=3-", 3..<10), ("bytes=-2", 8..<10), ("bytes=-20", 0..<10), ("bytes=5-100", 5..<10),
      ("bytes=9-9223372036854775807", 9..<10), ("bytes=10-", nil), ("bytes=2-1", nil), ("bytes=-0", nil),
      ("bytes=-", nil), ("bytes=a-b", nil), ("items=0-1", nil), ("bytes=0-1,3-4", nil),
      ("bytes=99999999999999999999-", nil),
    ] as [(String, Range<Int64>?)])
  func `ranges of bytes`(text: String, bounds: Range<Int64>?) {
    #expect(ByteRange(text)?.bounds(of: 10) == bounds)
  }

  @Test func `stored heads have neither fields of the connection nor cookies`() {
    let head = HTTPResponse(
      status: .ok,
      headerFields: [
        .connection: "X-Own, close", HTTPField.Name("X-Own")!: "1", .setCookie: "a=b", .transferEncoding: "chunked",
        .server: "s", .cacheControl: "no-cache=\"X-Secret\"", HTTPField.Name("X-Secret")!: "2",
      ])
    let stored = StoredHead.storing(head, ResponseControl(head, isShared: false), arrival: Self.now)
    #expect(Set(stored.headerFields.map(\.name)) == [.server, .cacheControl, .date])
    #expect(stored.headerFields[.date] == Self.date)
  }

  @Test func `metadata survive their storage, and others are refused`() {
    let metadata = EntryMetadata(
      url: "https://example.com/", requestTime: Self.now, responseTime: Self.now.addingTimeInterval(1.5),
      connection: "3", variation: Variation(names: ["a", "b"]), selector: "x", credentials: ["c", "d"])
    #expect(EntryMetadata(metadata.data) == metadata)
    #expect(EntryMetadata(Data()) == nil)
    #expect(EntryMetadata(Data("1\n".utf8) + metadata.data.dropFirst(2)) == nil)
  }
}
