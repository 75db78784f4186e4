import HTTPTypes
import LupineFraming
import Testing

/// RFC 9112 section 6.3: the eight rules for the length of a body, in their order; and sections 7.2 to 7.4.
@Suite struct BodyRuleTests {
  private static let ok = "HTTP/1.1 200 OK⏎"
  private static let coded = "Transfer-Encoding: chunked⏎⏎"
  private static let coding = "Transfer-Encoding is not exactly chunked"
  private static let length = "Content-Length is not one decimal number"
  private static let both = "both Content-Length and Transfer-Encoding"
  private static let query = HTTPRequest.Method(rawValue: "QUERY") ?? .get
  private static let smallConnect = HTTPRequest.Method(rawValue: "connect") ?? .get

  /// Rules 1 and 2: responses without a body.
  static let bodiless: [ResponseCase] = [
    .init("6.3 (1) HEAD and zero", "\(ok)Content-Length: 0⏎⏎", .reads("", .none), to: .head),
    .init("6.3 (1) HEAD and 301", "HTTP/1.1 301 Moved⏎Content-Length: 9⏎⏎", .reads("", .none), to: .head),
    .init("6.3 (1) HEAD and 404", "HTTP/1.1 404 No⏎\(coded)", .reads("", .none), to: .head),
    .init("6.3 (1) HEAD and 206", "HTTP/1.1 206 Part⏎Content-Length: 9⏎⏎", .reads("", .none), to: .head),
    .init("6.3 (1) HEAD and 304", "HTTP/1.1 304 None⏎Content-Length: 9⏎⏎", .reads("", .none), to: .head),
    .init("6.3 (1) HEAD and 204", "HTTP/1.1 204 None⏎⏎", .reads("", .none), to: .head),
    .init(
      "6.3 (1) HEAD after an interim head", "HTTP/1.1 103 A⏎⏎\(ok)Content-Length: 9⏎⏎", .reads("", .none), to: .head),
    .init("6.3 (1) 204 to POST", "HTTP/1.1 204 None⏎⏎", .reads("", .none), to: .post),
    .init("6.3 (1) 204 to DELETE", "HTTP/1.1 204 None⏎⏎", .reads("", .none), to: .delete),
    .init("6.3 (1) 204 with ten zeros", "HTTP/1.1 204 None⏎Content-Length: 0000000000⏎⏎", .reads("", .none)),
    .init("6.3 (1) 204 after an interim head", "HTTP/1.1 100 A⏎⏎HTTP/1.1 204 None⏎⏎", .reads("", .none)),
    .init("6.3 (1) 304 to POST", "HTTP/1.1 304 None⏎Content-Length: 9⏎⏎", .reads("", .none), to: .post),
    .init("6.3 (1) 304 with zero", "HTTP/1.1 304 None⏎Content-Length: 0⏎⏎", .reads("", .none)),
    .init("6.3 (1) 100 has no body", "HTTP/1.1 100 A⏎\(coded)\(ok)Content-Length: 1⏎⏎a", .reads("a", .length(1))),
    .init(
      "6.3 (1) 199 has no body", "HTTP/1.1 199 A⏎Content-Length: 9⏎⏎\(ok)Content-Length: 1⏎⏎a", .reads("a", .length(1))),
    .init("6.3 (1) 205 has a body", "HTTP/1.1 205 Reset⏎\(coded)1⏎a⏎0⏎⏎", .reads("a", .chunked)),
    .init("6.3 (1) 205 with zero", "HTTP/1.1 205 Reset⏎Content-Length: 0⏎⏎", .reads("", .length(0))),
    .init("6.3 (1) 205 without a length", "HTTP/1.1 205 Reset⏎⏎", .reads("", .untilClose, keeps: false)),
    .init("6.3 (2) CONNECT and 201", "HTTP/1.1 201 A⏎Content-Length: 1⏎⏎a", tunnel("a"), to: .connect),
    .init("6.3 (2) CONNECT and 204", "HTTP/1.1 204 A⏎⏎", tunnel(""), to: .connect),
    .init("6.3 (2) CONNECT and 204 with a length", "HTTP/1.1 204 A⏎Content-Length: 1⏎⏎a", tunnel("a"), to: .connect),
    .init("6.3 (2) CONNECT and 200 with chunked", "\(ok)\(coded)0⏎⏎", tunnel("0⏎⏎"), to: .connect),
    .init("6.3 (2) CONNECT and 200 with keep-alive", "\(ok)Connection: keep-alive⏎⏎", tunnel(""), to: .connect),
    .init("6.3 (2) CONNECT after an interim head", "HTTP/1.1 100 A⏎⏎\(ok)⏎a", tunnel("a"), to: .connect),
    .init("6.3 (2) CONNECT and 407 with chunks", "HTTP/1.1 407 A⏎\(coded)1⏎a⏎0⏎⏎", .reads("a", .chunked), to: .connect),
    .init("6.3 (2) CONNECT and 502", "HTTP/1.1 502 A⏎⏎a", .reads("a", .untilClose, keeps: false), to: .connect),
    .init("6.3 (2) CONNECT and 304", "HTTP/1.1 304 A⏎Content-Length: 1⏎⏎", .reads("", .none), to: .connect),
    .init(
      "6.3 (2) the method `connect` is not CONNECT", "\(ok)Content-Length: 1⏎⏎a", .reads("a", .length(1)),
      to: smallConnect),
  ]

  /// Rules 3 to 8: responses with a body.
  static let bodies: [ResponseCase] = [
    .init("6.3 (3) both in HTTP/1.0", "HTTP/1.0 200 OK⏎Content-Length: 1⏎\(coded)", .refused(both)),
    .init("6.3 (3) both with 204", "HTTP/1.1 204 A⏎Content-Length: 0⏎\(coded)", .refused(both)),
    .init("6.3 (3) both to CONNECT", "\(ok)Content-Length: 0⏎\(coded)", .refused(both), to: .connect),
    .init("6.3 (3) both in an interim head", "HTTP/1.1 103 A⏎Content-Length: 0⏎\(coded)", .refused(both)),
    .init("6.3 (3) both, apart", "\(ok)Content-Length: 1⏎A: b⏎C: d⏎\(coded)", .refused(both)),
    .init("6.3 (3) an invalid length and chunked", "\(ok)Content-Length: x⏎\(coded)", .refused(length)),
    .init("6.3 (3) a length and an invalid coding", "\(ok)Content-Length: 1⏎Transfer-Encoding: x⏎⏎", .refused(coding)),
    .init("6.3 (4) chunked and 400", "HTTP/1.1 400 Bad⏎\(coded)1⏎a⏎0⏎⏎", .reads("a", .chunked)),
    .init("6.3 (4) chunked and 206", "HTTP/1.1 206 Part⏎\(coded)1⏎a⏎0⏎⏎", .reads("a", .chunked)),
    .init("6.3 (4) chunked to POST", "\(ok)\(coded)1⏎a⏎0⏎⏎", .reads("a", .chunked), to: .post),
    .init("6.3 (4) chunked to OPTIONS", "\(ok)\(coded)0⏎⏎", .reads("", .chunked), to: .options),
    .init("6.3 (4) chunked to an unregistered method", "\(ok)\(coded)0⏎⏎", .reads("", .chunked), to: query),
    .init("6.3 (4) chunked after an interim head", "HTTP/1.1 103 A⏎⏎\(ok)\(coded)1⏎a⏎0⏎⏎", .reads("a", .chunked)),
    .init("6.3 (4) compress with 304", "HTTP/1.1 304 None⏎Transfer-Encoding: compress⏎⏎", .refused(coding)),
    .init("6.3 (4) gzip to HEAD", "\(ok)Transfer-Encoding: gzip⏎⏎", .refused(coding), to: .head),
    .init("6.3 (4) gzip with 204", "HTTP/1.1 204 None⏎Transfer-Encoding: gzip⏎⏎", .refused(coding)),
    .init("6.3 (4) gzip and CONNECT", "\(ok)Transfer-Encoding: gzip⏎⏎", .refused(coding), to: .connect),
    .init("7.2 compress", "\(ok)Transfer-Encoding: compress⏎⏎", .refused(coding)),
    .init("7.2 x-compress", "\(ok)Transfer-Encoding: x-compress⏎⏎", .refused(coding)),
    .init("7.2 x-gzip before chunked", "\(ok)Transfer-Encoding: x-gzip, chunked⏎⏎", .refused(coding)),
    .init("7.2 deflate before chunked", "\(ok)Transfer-Encoding: deflate, chunked⏎⏎", .refused(coding)),
    .init("7.3 br before chunked", "\(ok)Transfer-Encoding: br, chunked⏎⏎", .refused(coding)),
    .init("7.3 trailers is no coding", "\(ok)Transfer-Encoding: trailers⏎⏎", .refused(coding)),
    .init("7.4 TE changes nothing", "\(ok)TE: trailers, chunked⏎Content-Length: 1⏎⏎a", .reads("a", .length(1))),
    .init("7.4 Trailer changes nothing", "\(ok)Trailer: A⏎Content-Length: 1⏎⏎a", .reads("a", .length(1))),
    .init("7.1.2 a trailer that Trailer does not name", "\(ok)Trailer: C⏎\(coded)0⏎A: b⏎⏎", .trailers(["a=b"])),
    .init("7.1.2 no trailer that Trailer names", "\(ok)Trailer: A⏎\(coded)0⏎⏎", .trailers([])),
    .init("6.3 (5) a letter to HEAD", "\(ok)Content-Length: a⏎⏎", .refused(length), to: .head),
    .init("6.3 (5) a letter with 204", "HTTP/1.1 204 None⏎Content-Length: a⏎⏎", .refused(length)),
    .init("6.3 (5) a letter with 304", "HTTP/1.1 304 None⏎Content-Length: a⏎⏎", .refused(length)),
    .init("6.3 (5) a letter and CONNECT", "\(ok)Content-Length: a⏎⏎", .refused(length), to: .connect),
    .init("6.3 (5) a letter in an interim head", "HTTP/1.1 103 A⏎Content-Length: a⏎⏎", .refused(length)),
    .init("6.3 (5) a letter in HTTP/1.0", "HTTP/1.0 200 OK⏎Content-Length: a⏎⏎", .refused(length)),
    .init(
      "6.3 (5) three equal lengths in a list", "\(ok)Content-Length: 1,1,1⏎⏎a", .refused("Content-Length is repeated")),
    .init(
      "6.3 (5) two lines of zero", "\(ok)Content-Length: 0⏎Content-Length: 0⏎⏎", .refused("Content-Length is repeated")),
    .init("6.3 (6) a length to POST", "\(ok)Content-Length: 1⏎⏎a", .reads("a", .length(1)), to: .post),
    .init("6.3 (6) a length to PUT", "HTTP/1.1 201 New⏎Content-Length: 1⏎⏎a", .reads("a", .length(1)), to: .put),
    .init("6.3 (6) a length and 302", "HTTP/1.1 302 Found⏎Content-Length: 1⏎⏎a", .reads("a", .length(1))),
    .init("6.3 (6) a length and 416", "HTTP/1.1 416 Range⏎Content-Length: 1⏎⏎a", .reads("a", .length(1))),
    .init("6.3 (6) a length and 999", "HTTP/1.1 999 Odd⏎Content-Length: 1⏎⏎a", .reads("a", .length(1))),
    .init(
      "6.3 (6) a length and Content-Range", "HTTP/1.1 206 Part⏎Content-Range: bytes 0-0/9⏎Content-Length: 1⏎⏎a",
      .reads("a", .length(1))),
    .init("6.3 (8) neither to POST", "\(ok)⏎a", .reads("a", .untilClose, keeps: false), to: .post),
    .init("6.3 (8) neither and 400", "HTTP/1.1 400 Bad⏎⏎a", .reads("a", .untilClose, keeps: false)),
    .init(
      "6.3 (8) neither and 206", "HTTP/1.1 206 Part⏎Content-Range: bytes 0-0/9⏎⏎a",
      .reads("a", .untilClose, keeps: false)),
    .init(
      "6.3 (8) neither after an interim head with both rules", "HTTP/1.1 103 A⏎\(coded)\(ok)⏎a",
      .reads("a", .untilClose, keeps: false)),
    .init("6.3 (8) neither, and line ends", "\(ok)⏎⏎⏎", .reads("⏎⏎", .untilClose, keeps: false)),
  ]

  private static func tunnel(_ rest: String) -> Expectation { .reads("", .none, keeps: false, rest: rest) }

  @Test(arguments: bodiless) func `some responses have no body, whatever they declare`(test: ResponseCase) throws {
    try test.check()
  }

  @Test(arguments: bodies) func `the first rule that applies decides the length of a body`(test: ResponseCase) throws {
    try test.check()
  }
}
