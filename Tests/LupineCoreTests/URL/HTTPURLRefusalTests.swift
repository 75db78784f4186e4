import LupineCore
import Testing

@Suite struct HTTPURLRefusalTests {
  static let long = String(repeating: "a", count: 64)

  @Test(arguments: [
    ("", "no scheme"), ("example.com/x", "no scheme"), ("/x", "no scheme"), ("//h/x", "no scheme"),
    ("ftp://h/", "“ftp”"), ("file:///etc/passwd", "“file”"), ("javascript:alert(1)", "“javascript”"),
    ("localhost:8080/x", "“localhost”"), ("httpss://h/", "“httpss”"),
    ("http:h", "needs “//”"), ("http:/h", "needs “//”"), ("http:", "needs “//”"),
    ("http:///h", "no host"), ("http://", "no host"), ("http://:80/", "no host"), ("http://?x", "no host"),
    (" http://h/", "space"), ("http://h/ ", "space"), ("http://h h/", "space in its host"),
    ("http://a@b#@c/", "authenticate"), ("http://user:secret@h/", "authenticate"), ("http://@h/", "authenticate"),
    ("http://h\\@evil/", "backslash"), ("http://h/a\\b", "backslash"), ("http://h/?a\\b", "backslash"),
    ("http:\\\\h/", "needs “//”"), ("http://h%41/", "percent-encoded"), ("http://bücher.example/", "xn--"),
    ("http://h。example/", "xn--"), ("http://a..b/", "empty label"), ("http://.a/", "empty label"),
    ("http://./", "empty label"), ("http://a../", "empty label"), ("http://a$b/", "no name may have"),
    ("http://a,b/", "no name may have"), ("http://a]/", "no name may have"), ("http://a[::1]/", "no name may have"),
    ("http://\(long)/", "63"),
    ("http://h/%", "hexadecimal"), ("http://h/%4", "hexadecimal"), ("http://h/?%4g", "hexadecimal"),
    ("http://h/#%x0", "hexadecimal"),
  ])
  func `an invalid URL is refused with the reason`(input: String, reason: String) {
    let error = #expect(throws: LupineError.self) { try HTTPURL(input) }
    #expect(error?.kind == .invalidURL)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    "127.0.0.01", "0177.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "0x7f000001", "1.2.3.4.5", "1.2.3", "256.1.1.1",
    "1.2.3.4.", "a.1", "a.0x1", "0x", "1.2.3.0X4", "1.2..4", "a.08",
  ])
  func `an address in another form than four decimals is refused`(host: String) {
    #expect(throws: LupineError.self) { try HTTPURL("http://\(host)/") }
  }

  @Test(arguments: [
    ("[fe80::1%eth0]", "zone"), ("[::1", "no “]”"), ("[]", "not contain an IPv6"),
    ("[::g]", "not contain an IPv6"), ("[1::2::3]", "not contain an IPv6"), ("[1:2:3]", "not contain an IPv6"),
    ("[127.0.0.1]", "not contain an IPv6"),
    ("[v1.x]", "not contain an IPv6"),
    ("[::1]x", "no name may have"), ("[::ffff:1.2.3.256]", "not contain an IPv6"),
  ])
  func `an invalid IPv6 address in brackets is refused`(host: String, reason: String) {
    let error = #expect(throws: LupineError.self) { try HTTPURL("http://\(host)/") }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: ["0", "00", "65536", "99999", "123456", "-1", "+80", "8a", "80:80", " 80", "٣"])
  func `a port outside 1 to 65535 is refused`(port: String) {
    #expect(throws: LupineError.self) { try HTTPURL("http://h:\(port)/") }
  }

  @Test(arguments: [UInt8](0...0x1F) + [0x7F])
  func `a control byte is refused wherever it stands`(byte: UInt8) {
    let control = String(Unicode.Scalar(byte))
    let places = [
      "*http://h/", "ht*tp://h/", "http:*//h/", "http://*h/", "http://h*h/", "http://h:8*0/", "http://h/a*b",
      "http://h/?a*b", "http://h/#a*b", "http://h/*",
    ]
    for place in places {
      #expect(throws: LupineError.self) { try HTTPURL(place.replacing("*", with: control)) }
    }
  }

  @Test(arguments: [
    "http://user:hunter2@h/", "hunter2:x@h/", "hunter2:x/y@h/", "http://u:hunter2#x@h/", "http://h/%?token=hunter2",
    "hunter2@h",
    "http://h/\\?token=hunter2", "http://h/?token=hunter2%",
  ])
  func `an error never quotes a secret`(input: String) {
    let error = #expect(throws: LupineError.self) { try HTTPURL(input) }
    #expect(error?.description.contains("hunter2") == false)
  }

  @Test func `a URL over 64 KiB is refused, before or after encoding`() throws {
    let room = HTTPURL.maximumLength - "http://h/".utf8.count
    #expect(try HTTPURL("http://h/" + String(repeating: "a", count: room)).path.utf8.count == room + 1)
    #expect(throws: LupineError.self) { try HTTPURL("http://h/" + String(repeating: "a", count: room + 1)) }
    #expect(throws: LupineError.self) { try HTTPURL("http://h/" + String(repeating: "^", count: room / 2)) }
  }

  @Test func `a name of 254 bytes is refused`() {
    let name = Array(repeating: String(repeating: "a", count: 50), count: 5).joined(separator: ".")
    #expect(throws: Never.self) { try HTTPURL("http://\(name.dropLast())/") }
    #expect(throws: LupineError.self) { try HTTPURL("http://\(name)/") }
  }
}
