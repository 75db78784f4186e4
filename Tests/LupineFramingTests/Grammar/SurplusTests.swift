import HTTPTypes
import LupineFraming
import Testing

/// RFC 9112 sections 6.3 and 9.3.2: bytes after a response, which are never a part of it.
///
/// The caller sees them as `rest`, and closes the connection, because no request was pipelined.
@Suite struct SurplusTests {
  private static let ok = "HTTP/1.1 200 OK⏎"
  private static let end = "Content-Length: 0⏎⏎"
  private static let chunked = "\(ok)Transfer-Encoding: chunked⏎⏎"

  static let cases: [ResponseCase] = [
    .init("9.3.2 a pipelined response", "\(ok)\(end)\(ok)\(end)", empty("\(ok)\(end)")),
    .init("9.3.2 two pipelined responses", "\(ok)\(end)\(ok)\(end)\(ok)\(end)", empty("\(ok)\(end)\(ok)\(end)")),
    .init("9.3.2 a pipelined response after content", "\(ok)Content-Length: 1⏎⏎a\(ok)\(end)", one("\(ok)\(end)")),
    .init("9.3.2 a pipelined response after chunks", "\(chunked)1⏎a⏎0⏎⏎\(ok)\(end)", chunks("a", "\(ok)\(end)")),
    .init("9.3.2 a pipelined response after trailers", "\(chunked)0⏎A: b⏎⏎\(ok)\(end)", chunks("", "\(ok)\(end)")),
    .init("9.3.2 a pipelined response after 204", "HTTP/1.1 204 A⏎⏎\(ok)\(end)", none("\(ok)\(end)")),
    .init("9.3.2 a pipelined response after 304", "HTTP/1.1 304 A⏎Server: a⏎⏎\(ok)\(end)", none("\(ok)\(end)")),
    .init(
      "9.3.2 a pipelined response after HEAD", "\(ok)Content-Length: 5⏎⏎\(ok)\(end)", none("\(ok)\(end)"), to: .head),
    .init("9.3.2 a part of a pipelined response", "\(ok)\(end)HTTP/1.1 20", empty("HTTP/1.1 20")),
    .init("9.3.2 a letter of a pipelined response", "\(ok)\(end)H", empty("H")),
    .init("9.3.2 a pipelined interim head", "\(ok)\(end)HTTP/1.1 100 A⏎⏎", empty("HTTP/1.1 100 A⏎⏎")),
    .init("9.3.2 a pipelined response of HTTP/1.0", "\(ok)\(end)HTTP/1.0 200 OK⏎⏎", empty("HTTP/1.0 200 OK⏎⏎")),
    .init("9.3.2 a malformed response", "\(ok)\(end)HTTP/9.9 OK\n\n", empty("HTTP/9.9 OK\n\n")),
    .init("9.3.2 a request", "\(ok)\(end)GET / HTTP/1.1⏎⏎", empty("GET / HTTP/1.1⏎⏎")),
    .init("9.3.2 an alert of TLS", "\(ok)\(end)\u{15}\u{03}\u{03}\0", empty("\u{15}\u{03}\u{03}\0")),
    .init("9.3.2 NUL", "\(ok)\(end)\0", empty("\0")),
    .init("9.3.2 a space", "\(ok)\(end) ", empty(" ")),
    .init("9.3.2 LF", "\(ok)\(end)\n", empty("\n")),
    .init("9.3.2 CR", "\(ok)\(end)\r", empty("\r")),
    .init("9.3.2 a line end", "\(ok)\(end)⏎", empty("⏎")),
    .init("9.3.2 two line ends", "\(ok)\(end)⏎⏎", empty("⏎⏎")),
    .init("9.3.2 a line end after HEAD", "\(ok)\(end)⏎", none("⏎"), to: .head),
    .init("9.3.2 a line end after 204", "HTTP/1.1 204 A⏎⏎⏎", none("⏎")),
    .init("9.3.2 a line end after trailers", "\(chunked)0⏎A: b⏎⏎⏎", chunks("", "⏎")),
    .init("6.3 a byte after content", "\(ok)Content-Length: 1⏎⏎ab", one("b")),
    .init("6.3 a byte after chunks", "\(chunked)1⏎a⏎0⏎⏎b", chunks("a", "b")),
    .init("6.3 chunks after the last chunk", "\(chunked)0⏎⏎1⏎a⏎0⏎⏎", chunks("", "1⏎a⏎0⏎⏎")),
    .init("6.3 chunks after a length", "\(ok)Content-Length: 1⏎⏎a1⏎a⏎0⏎⏎", one("1⏎a⏎0⏎⏎")),
    .init("6.3 chunks after HEAD", "\(chunked)1⏎a⏎0⏎⏎", none("1⏎a⏎0⏎⏎"), to: .head),
    .init("6.3 chunks after 304", "HTTP/1.1 304 A⏎Transfer-Encoding: chunked⏎⏎0⏎⏎", none("0⏎⏎")),
    .init("6.3 content after 304", "HTTP/1.1 304 A⏎Content-Length: 1⏎⏎a", none("a")),
    .init("6.3 content after 204", "HTTP/1.1 204 A⏎⏎a", none("a")),
    .init("6.3 content of an error after HEAD", "HTTP/1.1 404 No⏎Content-Length: 1⏎⏎a", none("a"), to: .head),
    .init("6.3 fields after an empty line", "\(ok)\(end)Server: a⏎⏎", empty("Server: a⏎⏎")),
    .init(
      "9.6 a response after close", "\(ok)Connection: close⏎\(end)\(ok)\(end)",
      .reads("", .length(0), keeps: false, rest: "\(ok)\(end)")),
    .init(
      "9.6 a byte after close", "\(ok)Connection: close⏎Content-Length: 1⏎⏎ab",
      .reads("a", .length(1), keeps: false, rest: "b")),
    .init(
      "9.6 a response after HTTP/1.0", "HTTP/1.0 200 OK⏎\(end)\(ok)\(end)",
      .reads("", .length(0), keeps: false, rest: "\(ok)\(end)")),
    .init(
      "6.3 a response after a tunnel's head", "\(ok)⏎\(ok)\(end)", .reads("", .none, keeps: false, rest: "\(ok)\(end)"),
      to: .connect),
    .init("6.3 a byte after a refused tunnel", "HTTP/1.1 407 No⏎Content-Length: 1⏎⏎ab", one("b"), to: .connect),
  ]

  private static func empty(_ rest: String) -> Expectation { .reads("", .length(0), rest: rest) }
  private static func one(_ rest: String) -> Expectation { .reads("a", .length(1), rest: rest) }
  private static func none(_ rest: String) -> Expectation { .reads("", .none, rest: rest) }
  private static func chunks(_ content: String, _ rest: String) -> Expectation { .reads(content, .chunked, rest: rest) }

  @Test(arguments: cases) func `bytes after a response are no part of it`(test: ResponseCase) throws {
    try test.check()
  }
}
