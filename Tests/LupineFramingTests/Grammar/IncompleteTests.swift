import HTTPTypes
import LupineCore
import LupineFraming
import Testing

/// RFC 9112 section 8: incomplete responses; and the limits of heads, interim heads, trailers and extensions.
@Suite struct IncompleteTests {
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
    .init("8 the first letter", "H", .lost(head)),
    .init("8 the version without its number", "HTTP/1.", .lost(head)),
    .init("8 the version", "HTTP/1.1", .lost(head)),
    .init("8 the version and a space", "HTTP/1.1 ", .lost(head)),
    .init("8 a code without its end", "HTTP/1.1 204", .lost(head)),
    .init("8 a status line of HTTP/1.0", "HTTP/1.0 200 OK⏎", .lost(head)),
    .init("8 a head of HTTP/1.0 without its end", "HTTP/1.0 200 OK⏎Content-Length: 2⏎", .lost(head)),
    .init("8 a name and a colon", "\(ok)Content-Length:", .lost(head)),
    .init("8 a length without its line end", "\(ok)Content-Length: 2", .lost(head)),
    .init("8 a length with CR", "\(ok)Content-Length: 0\r", .lost(head)),
    .init("8 a coding without its line end", "\(ok)Transfer-Encoding: chunked", .lost(head)),
    .init("8 close without the end of the head", "\(ok)Connection: close⏎", .lost(head)),
    .init("8 204 without the end of the head", "HTTP/1.1 204 None⏎", .lost(head)),
    .init("8 304 without the end of the head", "HTTP/1.1 304 None⏎ETag: a⏎", .lost(head)),
    .init("8 HEAD without the end of the head", "\(ok)Content-Length: 2⏎", .lost(head), to: .head),
    .init("8 CONNECT without the end of the head", ok, .lost(head), to: .connect),
    .init("8 a part of an interim head", "HTTP/1.1 103 Hints⏎Link: a", .lost(head)),
    .init("8 two interim heads", "HTTP/1.1 100 A⏎⏎HTTP/1.1 103 B⏎⏎", .lost(head)),
    .init("8 an interim head and a part of the next", "HTTP/1.1 100 A⏎⏎HTTP/1.1 1", .lost(head)),
    .init("8 an interim head with a length", "HTTP/1.1 103 A⏎Content-Length: 0⏎⏎", .lost(head)),
    .init("8 one byte of many", "\(ok)Content-Length: 1000⏎⏎o", .lost("999 bytes of the body are missing")),
    .init("8 the last byte of a body", "\(ok)Content-Length: 3⏎⏎ok", .lost("1 bytes of the body are missing")),
    .init("8 a length of HTTP/1.0", "HTTP/1.0 200 OK⏎Content-Length: 3⏎⏎ok", .lost("1 bytes")),
    .init("8 a length with close", "\(ok)Connection: close⏎Content-Length: 3⏎⏎ok", .lost("1 bytes")),
    .init("8 a length of an error", "HTTP/1.1 500 Error⏎Content-Length: 3⏎⏎ok", .lost("1 bytes")),
    .init("8 a length of a partial response", "HTTP/1.1 206 Part⏎Content-Length: 3⏎⏎ok", .lost("1 bytes")),
    .init("8 a length of a redirection", "HTTP/1.1 302 Found⏎Content-Length: 3⏎⏎ok", .lost("1 bytes")),
    .init("8 a length of a refused tunnel", "HTTP/1.1 407 No⏎Content-Length: 3⏎⏎ok", .lost("1 bytes"), to: .connect),
    .init(
      "8 a length after an interim head", "HTTP/1.1 100 Continue⏎⏎\(ok)Content-Length: 3⏎⏎ok", .lost("1 bytes")),
    .init("8 a body that looks like the next head", "\(ok)Content-Length: 99⏎⏎\(ok)\(end)", .lost("61 bytes")),
    .init("8 chunks with close", "\(ok)Connection: close⏎Transfer-Encoding: chunked⏎⏎2⏎ok⏎", .lost(chunk)),
    .init("8 a size with CR", "\(chunks)2\r", .lost(chunk)),
    .init("8 the name of an extension", "\(chunks)2;a", .lost(chunk)),
    .init("8 the quoted value of an extension", "\(chunks)2;a=\"b", .lost(chunk)),
    .init("8 a chunk with CR", "\(chunks)2⏎ok\r", .lost(chunk)),
    .init("8 the second chunk", "\(chunks)2⏎ok⏎2⏎", .lost(chunk)),
    .init("8 a part of the second chunk", "\(chunks)2⏎ok⏎3⏎ok", .lost(chunk)),
    .init("8 content that looks like the last chunk", "\(chunks)6⏎0⏎⏎", .lost(chunk)),
    .init("8 a zero with CR", "\(chunks)0\r", .lost(chunk)),
    .init("8 a zero with an extension", "\(chunks)0;a", .lost(chunk)),
    .init("8 the name of a trailer", "\(chunks)0⏎A", .lost(chunk)),
    .init("8 a trailer with CR", "\(chunks)0⏎A: b\r", .lost(chunk)),
    .init("8 trailers with CR at their end", "\(chunks)0⏎A: b⏎\r", .lost(chunk)),
    .init("8 an end without a length is complete", "\(ok)⏎o", .reads("o", .untilClose, keeps: false)),
    .init("8 an end of HTTP/1.0 is complete", "HTTP/1.0 200 OK⏎⏎", .reads("", .untilClose, keeps: false)),
  ]

  private static let five = "\(ok)A:1⏎B:2⏎C:3⏎D:4⏎\(end)"
  private static let chunks = "\(ok)Transfer-Encoding: chunked⏎⏎"

  static let limits: [ResponseCase] = [
    .init("9110 5.4 the bytes of a head", "\(ok)\(end)", \.responseFields, 38, .reads("", .length(0))),
    .init("9110 5.4 a byte more than the limit", "\(ok)\(end)", \.responseFields, 37, .exceeds(.responseFields)),
    .init("9110 5.4 a status line of the limit", "\(ok)\(end)", \.responseFields, 17, .exceeds(.responseFields)),
    .init(
      "9110 5.4 a status line that exceeds the limit", "\(ok)\(end)", \.responseFields, 16, .exceeds(.responseFields)),
    .init(
      "9110 5.4 a reason phrase that does not end", "HTTP/1.1 200 \(String(repeating: "a", count: 90))",
      \.responseFields, 99,
      .exceeds(.responseFields)),
    .init(
      "9110 5.4 a name that does not end", "\(ok)\(String(repeating: "a", count: 90))", \.responseFields, 99,
      .exceeds(.responseFields)),
    .init(
      "9110 5.4 a value that does not end", "\(ok)A: \(String(repeating: "a", count: 90))", \.responseFields, 99,
      .exceeds(.responseFields)),
    .init("9110 5.4 the number of fields", five, \.responseFieldCount, 5, .reads("", .length(0))),
    .init("9110 5.4 a field too many", five, \.responseFieldCount, 4, .exceeds(.responseFieldCount)),
    .init(
      "9110 5.4 a field of an interim head too many", "HTTP/1.1 103 A⏎A:1⏎B:2⏎⏎\(ok)\(end)", \.responseFieldCount, 1,
      .exceeds(.responseFieldCount)),
    .init(
      "9110 5.4 each head has its own count", "HTTP/1.1 103 A⏎A:1⏎⏎\(ok)\(end)", \.responseFieldCount, 1,
      .reads("", .length(0))),
    .init(
      "9110 5.4 each head has its own bytes", "HTTP/1.1 103 A⏎A:1⏎B:2⏎⏎\(ok)\(end)", \.responseFields, 38,
      .reads("", .length(0))),
    .init(
      "9110 5.4 an interim head that exceeds the limit", "HTTP/1.1 103 A⏎A:1⏎B:2⏎⏎\(ok)\(end)", \.responseFields, 20,
      .exceeds(.responseFields)),
    .init(
      "9110 15.2 the number of interim heads", "HTTP/1.1 103 A⏎⏎HTTP/1.1 103 A⏎⏎\(ok)\(end)", \.informationalResponses,
      2,
      .reads("", .length(0))),
    .init(
      "9110 15.2 an interim head too many", "HTTP/1.1 103 A⏎⏎HTTP/1.1 103 A⏎⏎\(ok)\(end)", \.informationalResponses, 1,
      .exceeds(.informationalResponses)),
    .init(
      "9110 15.2 no interim head", "HTTP/1.1 100 A⏎⏎\(ok)\(end)", \.informationalResponses, 0,
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

  @Test(arguments: limits) func `a limit is named in the error`(test: ResponseCase) throws { try test.check() }
}
