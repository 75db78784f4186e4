import HTTPTypes
import LupineCore
import LupineFraming
import Testing

/// RFC 9112 sections 8 and 9: incomplete responses, and the persistence of connections; and the limits.
@Suite struct ConnectionTests {
  private static let ok = "HTTP/1.1 200 OK⏎"
  private static let end = "Content-Length: 0⏎⏎"
  private static let head = "The head is not complete"
  private static let chunk = "The last chunk"

  static let incomplete: [ResponseCase] = [
    .init("8 nothing", "", .lost(head)),
    .init("8 a part of the version", "HTT", .lost(head)),
    .init("8 a part of the status line", "HTTP/1.1 20", .lost(head)),
    .init("8 a status line without its end", "HTTP/1.1 200 OK", .lost(head)),
    .init("8 a status line with CR", "HTTP/1.1 200 OK\r", .lost(head)),
    .init("8 a status line", ok, .lost(head)),
    .init("8 a part of a field", "\(ok)Content-Le", .lost(head)),
    .init("8 a field", "\(ok)Content-Length: 2⏎", .lost(head)),
    .init("8 CR at the end of the head", "\(ok)Content-Length: 2⏎\r", .lost(head)),
    .init("8 an interim head", "HTTP/1.1 103 Hints⏎⏎", .lost(head)),
    .init("8 an interim head and a status line", "HTTP/1.1 103 Hints⏎⏎\(ok)", .lost(head)),
    .init("8 no byte of a body", "\(ok)Content-Length: 2⏎⏎", .lost("2 bytes of the body are missing")),
    .init("8 a part of a body", "\(ok)Content-Length: 2⏎⏎o", .lost("1 bytes of the body are missing")),
    .init(
      "8 a body of a long length", "\(ok)Content-Length: 9223372036854775807⏎⏎abc", .lost("9223372036854775804 bytes")),
    .init("8 no chunk", "\(ok)Transfer-Encoding: chunked⏎⏎", .lost(chunk)),
    .init("8 a size without its end", "\(ok)Transfer-Encoding: chunked⏎⏎2", .lost(chunk)),
    .init("8 a chunk without content", "\(ok)Transfer-Encoding: chunked⏎⏎2⏎", .lost(chunk)),
    .init("8 a part of a chunk", "\(ok)Transfer-Encoding: chunked⏎⏎2⏎o", .lost(chunk)),
    .init("8 a chunk without its line end", "\(ok)Transfer-Encoding: chunked⏎⏎2⏎ok", .lost(chunk)),
    .init("8 a chunk", "\(ok)Transfer-Encoding: chunked⏎⏎2⏎ok⏎", .lost(chunk)),
    .init("8 a zero without its end", "\(ok)Transfer-Encoding: chunked⏎⏎2⏎ok⏎0", .lost(chunk)),
    .init("8 the last chunk without the end", "\(ok)Transfer-Encoding: chunked⏎⏎2⏎ok⏎0⏎", .lost(chunk)),
    .init("8 CR after the last chunk", "\(ok)Transfer-Encoding: chunked⏎⏎2⏎ok⏎0⏎\r", .lost(chunk)),
    .init("8 a part of the trailers", "\(ok)Transfer-Encoding: chunked⏎⏎0⏎A: b⏎", .lost(chunk)),
  ]

  static let persistence: [ResponseCase] = [
    .init("9.3 HTTP/1.1", "\(ok)\(end)", .reads("", .length(0))),
    .init("9.3 HTTP/1.0", "HTTP/1.0 200 OK⏎\(end)", .reads("", .length(0), keeps: false)),
    .init(
      "9.3 HTTP/1.0 with keep-alive", "HTTP/1.0 200 OK⏎Connection: keep-alive⏎\(end)",
      .reads("", .length(0), keeps: false)),
    .init("9.3 HTTP/1.0 and 304", "HTTP/1.0 304 None⏎⏎", .reads("", .none, keeps: false)),
    .init("9.3 close", "\(ok)Connection: close⏎\(end)", .reads("", .length(0), keeps: false)),
    .init("9110 7.6.1 options ignore case", "\(ok)Connection: CloSe⏎\(end)", .reads("", .length(0), keeps: false)),
    .init(
      "9.3 close at the end of a list", "\(ok)Connection: upgrade, close⏎\(end)", .reads("", .length(0), keeps: false)),
    .init(
      "9.3 close at the start of a list", "\(ok)Connection: close, upgrade⏎\(end)", .reads("", .length(0), keeps: false)
    ),
    .init("9.3 close without a space", "\(ok)Connection: a,close,b⏎\(end)", .reads("", .length(0), keeps: false)),
    .init("9.3 close between tabs", "\(ok)Connection: a,\tclose\t,b⏎\(end)", .reads("", .length(0), keeps: false)),
    .init("9.3 close after an empty element", "\(ok)Connection: ,,close⏎\(end)", .reads("", .length(0), keeps: false)),
    .init(
      "9.3 close on a second line", "\(ok)Connection: keep-alive⏎Connection: close⏎\(end)",
      .reads("", .length(0), keeps: false)),
    .init(
      "9.3 close on the first line", "\(ok)Connection: close⏎Connection: keep-alive⏎\(end)",
      .reads("", .length(0), keeps: false)),
    .init(
      "9.3 close and keep-alive", "\(ok)Connection: keep-alive, close⏎\(end)", .reads("", .length(0), keeps: false)),
    .init("9.3 keep-alive", "\(ok)Connection: keep-alive⏎\(end)", .reads("", .length(0))),
    .init("9.3 an empty Connection", "\(ok)Connection:⏎\(end)", .reads("", .length(0))),
    .init("9.3 another option", "\(ok)Connection: upgrade⏎\(end)", .reads("", .length(0))),
    .init("9.3 an option that begins with close", "\(ok)Connection: closed⏎\(end)", .reads("", .length(0))),
    .init("9.3 an option that ends with close", "\(ok)Connection: disclose⏎\(end)", .reads("", .length(0))),
    .init("9.3 an option with a hyphen", "\(ok)Connection: close-me⏎\(end)", .reads("", .length(0))),
    .init("9.3 Proxy-Connection is no Connection", "\(ok)Proxy-Connection: close⏎\(end)", .reads("", .length(0))),
    .init("9.3 Keep-Alive is no Connection", "\(ok)Keep-Alive: close⏎\(end)", .reads("", .length(0))),
    .init(
      "9.3 close with chunks", "\(ok)Connection: close⏎Transfer-Encoding: chunked⏎⏎0⏎⏎",
      .reads("", .chunked, keeps: false)),
    .init("9.3 close to HEAD", "\(ok)Connection: close⏎⏎", .reads("", .none, keeps: false), to: .head),
    .init("9.3 close in an interim head", "HTTP/1.1 103 Hints⏎Connection: close⏎⏎\(ok)\(end)", .reads("", .length(0))),
    .init("9.3 close in an interim head of HTTP/1.0", "HTTP/1.0 100 Continue⏎⏎\(ok)\(end)", .reads("", .length(0))),
    .init("9.2 a pipelined response", "\(ok)\(end)\(ok)\(end)", .reads("", .length(0), rest: "\(ok)\(end)")),
  ]

  private static let five = "\(ok)A:1⏎B:2⏎C:3⏎D:4⏎\(end)"
  private static let chunks = "\(ok)Transfer-Encoding: chunked⏎⏎"

  static let limits: [ResponseCase] = [
    .init("3 the bytes of a head", "\(ok)\(end)", \.responseFields, 38, .reads("", .length(0))),
    .init("3 a byte more than the limit", "\(ok)\(end)", \.responseFields, 37, .exceeds(.responseFields)),
    .init("3 a status line of the limit", "\(ok)\(end)", \.responseFields, 17, .exceeds(.responseFields)),
    .init("3 a status line that exceeds the limit", "\(ok)\(end)", \.responseFields, 16, .exceeds(.responseFields)),
    .init(
      "3 a reason phrase that does not end", "HTTP/1.1 200 \(String(repeating: "a", count: 90))", \.responseFields, 99,
      .exceeds(.responseFields)),
    .init(
      "5 a name that does not end", "\(ok)\(String(repeating: "a", count: 90))", \.responseFields, 99,
      .exceeds(.responseFields)),
    .init(
      "5 a value that does not end", "\(ok)A: \(String(repeating: "a", count: 90))", \.responseFields, 99,
      .exceeds(.responseFields)),
    .init("5 the number of fields", five, \.responseFieldCount, 5, .reads("", .length(0))),
    .init("5 a field too many", five, \.responseFieldCount, 4, .exceeds(.responseFieldCount)),
    .init(
      "5 a field of an interim head too many", "HTTP/1.1 103 A⏎A:1⏎B:2⏎⏎\(ok)\(end)", \.responseFieldCount, 1,
      .exceeds(.responseFieldCount)),
    .init(
      "5 each head has its own count", "HTTP/1.1 103 A⏎A:1⏎⏎\(ok)\(end)", \.responseFieldCount, 1,
      .reads("", .length(0))),
    .init(
      "5 each head has its own bytes", "HTTP/1.1 103 A⏎A:1⏎B:2⏎⏎\(ok)\(end)", \.responseFields, 38,
      .reads("", .length(0))),
    .init(
      "5 an interim head that exceeds the limit", "HTTP/1.1 103 A⏎A:1⏎B:2⏎⏎\(ok)\(end)", \.responseFields, 20,
      .exceeds(.responseFields)),
    .init(
      "15.2 the number of interim heads", "HTTP/1.1 103 A⏎⏎HTTP/1.1 103 A⏎⏎\(ok)\(end)", \.informationalResponses, 2,
      .reads("", .length(0))),
    .init(
      "15.2 an interim head too many", "HTTP/1.1 103 A⏎⏎HTTP/1.1 103 A⏎⏎\(ok)\(end)", \.informationalResponses, 1,
      .exceeds(.informationalResponses)),
    .init(
      "15.2 no interim head", "HTTP/1.1 100 A⏎⏎\(ok)\(end)", \.informationalResponses, 0,
      .exceeds(.informationalResponses)),
    .init("7.1.2 the bytes of trailers", "\(chunks)0⏎A: b⏎⏎", \.trailers, 6, .trailers(["a=b"])),
    .init("7.1.2 a byte of trailers too many", "\(chunks)0⏎A: bc⏎⏎", \.trailers, 6, .exceeds(.trailers)),
    .init("7.1.2 a trailer that does not end", "\(chunks)0⏎A: bcdefgh", \.trailers, 6, .exceeds(.trailers)),
    .init("7.1.2 a trailer too many", "\(chunks)0⏎A:1⏎B:2⏎⏎", \.responseFieldCount, 1, .exceeds(.responseFieldCount)),
    .init("7.1.1 the bytes of extensions", "\(chunks)0;abc⏎⏎", \.chunkExtensions, 4, .reads("", .chunked)),
    .init("7.1.1 a byte of extensions too many", "\(chunks)0;abcd⏎⏎", \.chunkExtensions, 4, .exceeds(.chunkExtensions)),
    .init(
      "7.1.1 extensions of many chunks", "\(chunks)1;abc⏎o⏎1;abc⏎k⏎0⏎⏎", \.chunkExtensions, 6,
      .exceeds(.chunkExtensions)),
  ]

  @Test(arguments: incomplete) func `a response that is cut off is an error`(test: ResponseCase) throws {
    try test.check()
  }

  @Test(arguments: persistence) func `a connection is kept only if both sides know so`(test: ResponseCase) throws {
    try test.check()
  }

  @Test(arguments: limits) func `a limit is named in the error`(test: ResponseCase) throws { try test.check() }
}
