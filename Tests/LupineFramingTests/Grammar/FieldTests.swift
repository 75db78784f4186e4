import HTTPTypes
import LupineCore
import LupineFraming
import Testing

/// RFC 9112 section 5: the field syntax; and RFC 9110 section 5: names and values.
@Suite struct FieldTests {
  private static let name = "field's name"
  private static let value = "control byte"
  private static let start = "HTTP/1.1 204 None⏎"

  static let cases: [ResponseCase] = [
    .init("5 a name and a value", "\(start)A: b⏎⏎", .fields(["a=b"])),
    .init("5 no white space after the colon", "\(start)A:b⏎⏎", .fields(["a=b"])),
    .init("5.1 two spaces after the colon", "\(start)A:  b⏎⏎", .fields(["a=b"])),
    .init("5.1 a tab after the colon", "\(start)A:\tb⏎⏎", .fields(["a=b"])),
    .init("5.1 tabs and spaces around the value", "\(start)A: \t b \t ⏎⏎", .fields(["a=b"])),
    .init("5.1 white space within the value", "\(start)A: b \t c⏎⏎", .fields(["a=b \t c"])),
    .init("5.1 an empty value", "\(start)A:⏎⏎", .fields(["a="])),
    .init("5.1 a value of white space", "\(start)A: \t ⏎⏎", .fields(["a="])),
    .init("5.1 a space before the colon", "\(start)A : b⏎⏎", .refused(name)),
    .init("5.1 a tab before the colon", "\(start)A\t: b⏎⏎", .refused(name)),
    .init("5.1 a space before the colon of Content-Length", "HTTP/1.1 200 OK⏎Content-Length : 2⏎⏎ok", .refused(name)),
    .init(
      "5.1 a space before the colon of Transfer-Encoding", "HTTP/1.1 200 OK⏎Transfer-Encoding : chunked⏎⏎",
      .refused(name)),
    .init("5.1 a space within a name", "\(start)A B: c⏎⏎", .refused(name)),
    .init("5.1 no colon", "\(start)A⏎⏎", .refused(name)),
    .init("5.1 no colon but an equal sign", "\(start)A=b⏎⏎", .refused(name)),
    .init("5.1 no name", "\(start): b⏎⏎", .refused(name)),
    .init("5.1 only a colon", "\(start):⏎⏎", .refused(name)),
    .init("5.1 no colon in the last line", "\(start)A: b⏎C⏎⏎", .refused(name)),
    .init("5.2 a line that continues with a space", "\(start)A: b⏎ c⏎⏎", .refused("folded")),
    .init("5.2 a line that continues with a tab", "\(start)A: b⏎\tc⏎⏎", .refused("folded")),
    .init("5.2 a line that continues with a field", "\(start)A: b⏎ C: d⏎⏎", .refused("folded")),
    .init("5.2 a line of a space", "\(start)A: b⏎ ⏎⏎", .refused("folded")),
    .init(
      "5.2 Content-Length on the next line", "HTTP/1.1 200 OK⏎Content-Length:⏎ 2⏎⏎ok",
      .refused("not one decimal number")),
    .init(
      "5.2 chunked on the next line", "HTTP/1.1 200 OK⏎Transfer-Encoding:⏎ chunked⏎⏎", .refused("Transfer-Encoding")),
    .init("9110 5.1 names ignore case", "HTTP/1.1 200 OK⏎cOnTeNt-LeNgTh: 2⏎⏎ok", .reads("ok", .length(2))),
    .init("9110 5.1 a name of one digit", "\(start)1: b⏎⏎", .fields(["1=b"])),
    .init("9110 5.1 an underscore", "\(start)A_B: c⏎⏎", .fields(["a_b=c"])),
    .init(
      "9110 5.1 an underscore is no hyphen", "HTTP/1.1 200 OK⏎Content_Length: 2⏎⏎ok",
      .reads("ok", .untilClose, keeps: false)),
    .init("9110 5.1 all marks of a token", "\(start)!#$%&'*+-.^_`|~: b⏎⏎", .fields(["!#$%&'*+-.^_`|~=b"])),
    .init("9110 5.1 a name in brackets", "\(start)[A]: b⏎⏎", .refused(name)),
    .init("9110 5.1 a pseudo-field of HTTP/2", "\(start):status: 200⏎⏎", .refused(name)),
    .init("9110 5.1 a name in quotes", "\(start)\"A\": b⏎⏎", .refused(name)),
    .init("9110 5.1 a name above ASCII", "\(start)\u{C3}\u{A9}: b⏎⏎", .refused(name)),
    .init("9110 5.1 NUL at the end of a name", "HTTP/1.1 200 OK⏎Content-Length\0: 2⏎⏎ok", .refused(name)),
    .init("9110 5.1 NUL at the start of a name", "HTTP/1.1 200 OK⏎\0Content-Length: 2⏎⏎ok", .refused(name)),
    .init(
      "9110 5.1 a no-break space at the end of a name", "HTTP/1.1 200 OK⏎Content-Length\u{A0}: 2⏎⏎ok", .refused(name)),
    .init("9110 5.1 a vertical tab before a name", "HTTP/1.1 200 OK⏎\u{0B}Content-Length: 2⏎⏎ok", .refused(name)),
    .init("9110 5.3 the order of fields", "\(start)B: 1⏎A: 2⏎B: 3⏎⏎", .fields(["b=1", "a=2", "b=3"])),
    .init("9110 5.3 equal lines", "\(start)A: 1⏎A: 1⏎⏎", .fields(["a=1", "a=1"])),
    .init("9110 5.5 a colon in a value", "\(start)A: b:c⏎⏎", .fields(["a=b:c"])),
    .init("9110 5.5 a colon at the start of a value", "\(start)A::⏎⏎", .fields(["a=:"])),
    .init("9110 5.5 UTF-8 in a value", "\(start)A: \u{C3}\u{A9}⏎⏎", .fields(["a=\u{E9}"])),
    .init("9110 5.5 obs-text that is not UTF-8", "\(start)A: \u{E9}⏎⏎", .fields(["a=\u{FFFD}"])),
    .init("9110 5.5 a quote that is not closed", "\(start)A: \"b⏎⏎", .fields(["a=\"b"])),
    .init("9110 5.5 NUL in a value", "\(start)A: b\0c⏎⏎", .refused(value)),
    .init("9110 5.5 NUL after Content-Length", "HTTP/1.1 200 OK⏎Content-Length: 2\0⏎⏎ok", .refused(value)),
    .init("9110 5.5 DEL in a value", "\(start)A: \u{7F}⏎⏎", .refused(value)),
    .init("9110 5.5 a vertical tab before a value", "HTTP/1.1 200 OK⏎Content-Length: \u{0B}2⏎⏎ok", .refused(value)),
    .init("9110 5.5 a form feed after a value", "HTTP/1.1 200 OK⏎Transfer-Encoding: chunked\u{0C}⏎⏎", .refused(value)),
    .init("9110 5.5 ESC in a value", "\(start)A: \u{1B}[2J⏎⏎", .refused(value)),
    .init("9110 5.5 a control byte in an interim head", "HTTP/1.1 103 Hints⏎A: \u{01}⏎⏎", .refused(value)),
    .init(
      "9110 5.5 a no-break space around Content-Length", "HTTP/1.1 200 OK⏎Content-Length: \u{A0}2⏎⏎ok",
      .refused("Content-Length")),
  ]

  @Test(arguments: cases) func `field lines are strict`(test: ResponseCase) throws { try test.check() }

  @Test(arguments: UInt8.min...UInt8.max)
  func `a field's name is a token`(byte: UInt8) throws {
    let marks = Set("!#$%&'*+-.^_`|~".utf8)
    let isAllowed =
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || marks.contains(byte)
    // A colon ends the name, so the rest is the value.
    let isColon = byte == 0x3A
    let bytes = Array("HTTP/1.1 204 None\r\nX".utf8) + [byte] + Array("Y: z\r\n\r\n".utf8)
    let reading = try ResponseReading.theSame(of: bytes)
    #expect(reading.isFinished == (isAllowed || isColon))
    if isAllowed { #expect(reading.fields == ["x\(Character(Unicode.Scalar(byte)).lowercased())y=z"]) }
    if isColon { #expect(reading.fields == ["x=Y: z"]) }
  }

  @Test(arguments: UInt8.min...UInt8.max)
  func `a field's value has tabs, spaces, visible characters and obs-text`(byte: UInt8) throws {
    let isAllowed = byte == 0x09 || (0x20...0x7E).contains(byte) || byte >= 0x80
    let bytes = Array("HTTP/1.1 204 None\r\nX: y".utf8) + [byte] + Array("z\r\n\r\n".utf8)
    let reading = try ResponseReading.theSame(of: bytes)
    #expect(reading.isFinished == isAllowed)
    #expect(reading.failure == (isAllowed ? nil : .malformedResponse))
  }

  @Test(arguments: UInt8.min...UInt8.max)
  func `only tabs and spaces are removed around Content-Length`(byte: UInt8) throws {
    let isBlank = byte == 0x09 || byte == 0x20
    let isDigit = (0x30...0x39).contains(byte)
    for (before, after) in [([byte], [UInt8]()), ([], [byte])] {
      let bytes =
        Array("HTTP/1.1 200 OK\r\nContent-Length:".utf8) + before + Array("2".utf8) + after + Array("\r\n\r\n".utf8)
      let reading = try ResponseReading.theSame(of: bytes, to: .head)
      #expect(reading.isFinished == (isBlank || isDigit))
    }
  }
}
