import LupineCore
import LupineFraming
import Testing

/// RFC 9112 section 4: the status line; and RFC 9110 section 15: status codes.
@Suite struct StatusLineTests {
  private static let invalid = "the status line is not valid"
  private static let end = "⏎Content-Length: 0⏎⏎"

  static let cases: [ResponseCase] = [
    .init("4 a reason phrase", "HTTP/1.1 200 OK\(end)", .status("200 OK")),
    .init("4 a reason phrase of two words", "HTTP/1.1 404 Not Found\(end)", .status("404 Not Found")),
    .init("4 an empty reason phrase", "HTTP/1.1 200 \(end)", .status("200 ")),
    .init("4 no space after the code", "HTTP/1.1 200\(end)", .status("200 ")),
    .init("4 a reason phrase of a space", "HTTP/1.1 200  \(end)", .status("200  ")),
    .init("4 a reason phrase that begins with a space", "HTTP/1.1 200  OK\(end)", .status("200  OK")),
    .init("4 a reason phrase that ends with a space", "HTTP/1.1 200 OK \(end)", .status("200 OK ")),
    .init("4 a reason phrase with a tab", "HTTP/1.1 200 O\tK\(end)", .status("200 O\tK")),
    .init("4 a reason phrase of obs-text", "HTTP/1.1 200 caf\u{E9}\(end)", .status("200 café")),
    .init("4 a reason phrase with a colon", "HTTP/1.1 200 A: b\(end)", .status("200 A: b")),
    .init("4 a reason phrase of digits", "HTTP/1.1 200 404\(end)", .status("200 404")),
    .init("4 a reason phrase like a version", "HTTP/1.1 200 HTTP/1.0\(end)", .status("200 HTTP/1.0")),
    .init("4 another reason phrase than the registered one", "HTTP/1.1 404 OK\(end)", .status("404 OK")),
    .init("4 NUL in the reason phrase", "HTTP/1.1 200 O\0K\(end)", .refused(invalid)),
    .init("4 DEL in the reason phrase", "HTTP/1.1 200 O\u{7F}K\(end)", .refused(invalid)),
    .init("4 ESC in the reason phrase", "HTTP/1.1 200 \u{1B}[1m\(end)", .refused(invalid)),
    .init("4 VT in the reason phrase", "HTTP/1.1 200 O\u{0B}K\(end)", .refused(invalid)),
    .init("4 two spaces before the code", "HTTP/1.1  200 OK\(end)", .refused(invalid)),
    .init("4 a tab before the code", "HTTP/1.1\t200 OK\(end)", .refused(invalid)),
    .init("4 a tab after the space", "HTTP/1.1 \t200 OK\(end)", .refused(invalid)),
    .init("4 a tab after the code", "HTTP/1.1 200\tOK\(end)", .refused(invalid)),
    .init("4 FF between the parts", "HTTP/1.1\u{0C}200 OK\(end)", .refused(invalid)),
    .init("4 no code", "HTTP/1.1 OK\(end)", .refused(invalid)),
    .init("4 only the version", "HTTP/1.1\(end)", .refused(invalid)),
    .init("4 the version and a space", "HTTP/1.1 \(end)", .refused(invalid)),
    .init("4 one digit", "HTTP/1.1 2 OK\(end)", .refused(invalid)),
    .init("4 two digits", "HTTP/1.1 20 OK\(end)", .refused(invalid)),
    .init("4 two digits at the end", "HTTP/1.1 20\(end)", .refused(invalid)),
    .init("4 four digits", "HTTP/1.1 2000 OK\(end)", .refused(invalid)),
    .init("4 a letter after the code", "HTTP/1.1 200OK\(end)", .refused(invalid)),
    .init("4 a sign before the code", "HTTP/1.1 +20 OK\(end)", .refused(invalid)),
    .init("4 a negative code", "HTTP/1.1 -200 OK\(end)", .refused(invalid)),
    .init("4 a code with a fraction", "HTTP/1.1 200.1 OK\(end)", .refused(invalid)),
    .init("4 a hexadecimal code", "HTTP/1.1 0xC8 OK\(end)", .refused(invalid)),
    .init("4 a letter in the code", "HTTP/1.1 2O0 OK\(end)", .refused(invalid)),
    .init("4 a code of superscript digits", "HTTP/1.1 \u{B2}00 OK\(end)", .refused(invalid)),
    .init("4 a space in the code", "HTTP/1.1 2 0 OK\(end)", .refused(invalid)),
    .init("9110 15 code 000", "HTTP/1.1 000 None\(end)", .refused(invalid)),
    .init("9110 15 code 099", "HTTP/1.1 099 None\(end)", .refused(invalid)),
    .init("9110 15 code 299", "HTTP/1.1 299 Unknown\(end)", .status("299 Unknown")),
    .init("9110 15 code 399", "HTTP/1.1 399 Unknown\(end)", .status("399 Unknown")),
    .init("9110 15 code 499", "HTTP/1.1 499 Unknown\(end)", .status("499 Unknown")),
    .init("9110 15 code 599", "HTTP/1.1 599 Unknown\(end)", .status("599 Unknown")),
    .init("9110 15 code 600", "HTTP/1.1 600 Unknown\(end)", .status("600 Unknown")),
    .init("9110 15 code 999", "HTTP/1.1 999 Unknown\(end)", .status("999 Unknown")),
    .init("9110 15.2 an interim response", "HTTP/1.1 100 Continue⏎⏎HTTP/1.1 200 OK\(end)", .interim(["100 Continue"])),
    .init(
      "9110 15.2 two interim responses", "HTTP/1.1 102 Wait⏎⏎HTTP/1.1 103 Hints⏎Link: a⏎⏎HTTP/1.1 200 OK\(end)",
      .interim(["102 Wait", "103 Hints|link=a"])),
    .init("9110 15.2 an unknown interim response", "HTTP/1.1 199 Odd⏎⏎HTTP/1.1 200 OK\(end)", .interim(["199 Odd"])),
    .init(
      "9110 15.2 an interim response of another version", "HTTP/1.0 100 Continue⏎⏎HTTP/1.1 200 OK\(end)",
      .interim(["100 Continue"])),
    .init("9110 15.2 an interim response alone", "HTTP/1.1 100 Continue⏎⏎", .lost("The head is not complete")),
    .init("9110 15.2 the content of an interim response", "HTTP/1.1 100 Continue⏎⏎hello", .refused(invalid)),
    .init(
      "9110 15.2 a line end after an interim response", "HTTP/1.1 100 Continue⏎⏎⏎HTTP/1.1 200 OK⏎⏎", .refused(invalid)),
    .init(
      "9110 15.2.2 protocols are switched", "HTTP/1.1 101 Switching Protocols⏎Upgrade: h2c⏎⏎", .refused("switches")),
    .init(
      "9110 15.2.2 protocols are switched after 100", "HTTP/1.1 100 Continue⏎⏎HTTP/1.1 101 Switch⏎⏎",
      .refused("switches")),
  ]

  @Test(arguments: cases) func `the status line is strict`(test: ResponseCase) throws { try test.check() }

  @Test(arguments: UInt8.min...UInt8.max)
  func `a reason phrase has tabs, spaces, visible characters and obs-text`(byte: UInt8) throws {
    // reason-phrase = 1*( HTAB / SP / VCHAR / obs-text )
    let isAllowed = byte == 0x09 || byte == 0x20 || (0x21...0x7E).contains(byte) || byte >= 0x80
    let bytes = Array("HTTP/1.1 200 a".utf8) + [byte] + Array("b\r\nContent-Length: 0\r\n\r\n".utf8)
    let reading = try ResponseReading.theSame(of: bytes)
    #expect(reading.isFinished == isAllowed)
    #expect(reading.failure == (isAllowed ? nil : .malformedResponse))
  }
}
