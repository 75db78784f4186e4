import LupineFraming
import Testing

/// RFC 9112 section 2: the form of a message, its line ends and its version.
@Suite struct MessageTests {
  private static let length = "HTTP/1.1 200 OK⏎Content-Length: 2⏎⏎ok"
  private static let noCR = "without a carriage return"
  private static let noVersion = "the status line is not valid"

  static let cases: [ResponseCase] = [
    .init("2.1 a head without fields and a body", "HTTP/1.1 200 OK⏎⏎ok", .reads("ok", .untilClose, keeps: false)),
    .init("2.1 a head, fields and a body", length, .reads("ok", .length(2))),
    .init("2.1 no body", "HTTP/1.1 204 No Content⏎⏎", .reads("", .none)),
    .init("2.1 a body with NUL", "HTTP/1.1 200 OK⏎Content-Length: 3⏎⏎a\0b", .reads("a\0b", .length(3))),
    .init("2.1 a body of line ends", "HTTP/1.1 200 OK⏎Content-Length: 4⏎⏎⏎⏎", .reads("⏎⏎", .length(4))),
    .init(
      "2.1 a body of bytes above ASCII", "HTTP/1.1 200 OK⏎Content-Length: 2⏎⏎\u{FF}\u{80}",
      .reads("\u{FF}\u{80}", .length(2))),
    .init(
      "2.1 a body that looks like a head", "HTTP/1.1 200 OK⏎Content-Length: 19⏎⏎HTTP/1.1 200 OK⏎⏎",
      .reads("HTTP/1.1 200 OK⏎⏎", .length(19))),
    .init("2.2 the status line ends with LF", "HTTP/1.1 200 OK\nContent-Length: 0⏎⏎", .refused(noCR)),
    .init("2.2 a field line ends with LF", "HTTP/1.1 200 OK⏎Content-Length: 0\n⏎", .refused(noCR)),
    .init("2.2 the head ends with LF", "HTTP/1.1 200 OK⏎Content-Length: 0⏎\n", .refused(noCR)),
    .init("2.2 the head ends with two LF", "HTTP/1.1 200 OK⏎Content-Length: 0\n\n", .refused(noCR)),
    .init("2.2 a line ends with LF CR", "HTTP/1.1 200 OK\n\rContent-Length: 0⏎⏎", .refused(noCR)),
    .init("2.2 a bare CR in the reason phrase", "HTTP/1.1 200 O\rK⏎⏎", .refused(noVersion)),
    .init("2.2 a bare CR before the reason phrase", "HTTP/1.1 200 \rOK⏎⏎", .refused(noVersion)),
    .init("2.2 a bare CR after the code", "HTTP/1.1 200\rOK⏎⏎", .refused(noVersion)),
    .init("2.2 CR CR LF after the status line", "HTTP/1.1 200 OK\r⏎⏎", .refused(noVersion)),
    .init("2.2 a bare CR in a field value", "HTTP/1.1 200 OK⏎A: b\rC: d⏎⏎", .refused("control byte")),
    .init("2.2 CR CR LF after a field", "HTTP/1.1 200 OK⏎A: b\r⏎⏎", .refused("control byte")),
    .init("2.2 a bare CR in a field name", "HTTP/1.1 200 OK⏎A\rB: c⏎⏎", .refused("field's name")),
    .init("2.2 a bare CR before a field name", "HTTP/1.1 200 OK⏎\rA: c⏎⏎", .refused("field's name")),
    .init("2.2 CR CR LF ends the head", "HTTP/1.1 200 OK⏎\r⏎", .refused("field's name")),
    .init("2.2 a line end before the status line", "⏎\(length)", .refused(noVersion)),
    .init("2.2 LF before the status line", "\n\(length)", .refused(noVersion)),
    .init("2.2 a space before the status line", " \(length)", .refused(noVersion)),
    .init("2.2 a byte order mark before the status line", "\u{EF}\u{BB}\u{BF}\(length)", .refused(noVersion)),
    .init("2.2 NUL before the status line", "\0\(length)", .refused(noVersion)),
    .init("2.2 a blank line after the status line's end", "HTTP/1.1 200 OK⏎ ⏎⏎", .refused("folded")),
    .init("2.2 white space before the first field", "HTTP/1.1 200 OK⏎ A: b⏎⏎", .refused("folded")),
    .init("2.2 a tab before the first field", "HTTP/1.1 200 OK⏎\tA: b⏎⏎", .refused("folded")),
    .init("2.3 version 1.1", length, .reads("ok", .length(2))),
    .init("2.3 version 1.0", "HTTP/1.0 200 OK⏎Content-Length: 2⏎⏎ok", .reads("ok", .length(2), keeps: false)),
    .init("2.3 version 1.2", "HTTP/1.2 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version 1.9", "HTTP/1.9 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version 0.9", "HTTP/0.9 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version 2", "HTTP/2 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version 2.0", "HTTP/2.0 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version 3", "HTTP/3 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version 11.1", "HTTP/11.1 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version 1.10", "HTTP/1.10 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version 1.01", "HTTP/1.01 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version 01.1", "HTTP/01.1 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version 1", "HTTP/1 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version 1.", "HTTP/1. 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 version .1", "HTTP/.1 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 a comma in the version", "HTTP/1,1 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 a negative version", "HTTP/-1.1 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 a letter as version", "HTTP/1.x 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 a small name", "http/1.1 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 a mixed name", "Http/1.1 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 no slash", "HTTP1.1 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 a space in the version", "HTTP/ 1.1 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 a space before the slash", "HTTP /1.1 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 another protocol", "ICY 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 another protocol of the same length", "RTSP/1.0 200 OK⏎⏎", .refused(noVersion)),
    .init("2.3 the banner of SSH", "SSH-2.0-OpenSSH⏎", .refused(noVersion)),
    .init("2.3 the greeting of SMTP", "220 mail ESMTP⏎", .refused(noVersion)),
    .init("2.3 an alert of TLS", "\u{15}\u{03}\u{01}\0\u{02}\u{02}\u{28}", .refused(noVersion)),
    .init("2.3 a frame of HTTP/2", "\0\0\u{12}\u{04}\0", .refused(noVersion)),
    .init("2.3 HTML without a head", "<html>", .refused(noVersion)),
    .init("2.3 a request", "GET / HTTP/1.1⏎⏎", .refused(noVersion)),
    .init("2.3 a digit that is not ASCII", "HTTP/1.\u{B9} 200 OK⏎⏎", .refused(noVersion)),
  ]

  @Test(arguments: cases) func `the form of a message is strict`(test: ResponseCase) throws { try test.check() }
}
