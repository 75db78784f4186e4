import HTTPTypes
import LupineFraming
import Testing

/// RFC 9112 section 6: Transfer-Encoding, Content-Length and the length of a body.
@Suite struct BodyTests {
  private static let ok = "HTTP/1.1 200 OK⏎"
  private static let chunks = "2⏎ok⏎0⏎⏎"
  private static let coding = "Transfer-Encoding is not exactly chunked"
  private static let length = "Content-Length is not one decimal number"
  private static let different = "Content-Length values differ"
  private static let equal = "Content-Length is repeated"
  private static let both = "both Content-Length and Transfer-Encoding"
  private static let smallHead = HTTPRequest.Method(rawValue: "head") ?? .get

  static let codings: [ResponseCase] = [
    .init("6.1 chunked", "\(ok)Transfer-Encoding: chunked⏎⏎\(chunks)", .reads("ok", .chunked)),
    .init("7 coding names ignore case", "\(ok)Transfer-Encoding: CHUNKED⏎⏎\(chunks)", .reads("ok", .chunked)),
    .init("6.1 mixed case", "\(ok)Transfer-Encoding: cHuNkEd⏎⏎\(chunks)", .reads("ok", .chunked)),
    .init("6.1 white space around chunked", "\(ok)Transfer-Encoding: \t chunked \t⏎⏎\(chunks)", .reads("ok", .chunked)),
    .init("6.1 gzip before chunked", "\(ok)Transfer-Encoding: gzip, chunked⏎⏎\(chunks)", .refused(coding)),
    .init(
      "6.1 gzip before chunked in two lines", "\(ok)Transfer-Encoding: gzip⏎Transfer-Encoding: chunked⏎⏎",
      .refused(coding)),
    .init("6.1 gzip after chunked", "\(ok)Transfer-Encoding: chunked, gzip⏎⏎", .refused(coding)),
    .init(
      "6.1 gzip after chunked in two lines", "\(ok)Transfer-Encoding: chunked⏎Transfer-Encoding: gzip⏎⏎",
      .refused(coding)),
    .init("6.1 chunked twice", "\(ok)Transfer-Encoding: chunked, chunked⏎⏎", .refused("names chunked more than once")),
    .init(
      "6.1 chunked twice in two lines", "\(ok)Transfer-Encoding: chunked⏎Transfer-Encoding: chunked⏎⏎",
      .refused("names chunked more than once")),
    .init("6.1 gzip alone", "\(ok)Transfer-Encoding: gzip⏎⏎", .refused(coding)),
    .init("6.1 deflate alone", "\(ok)Transfer-Encoding: deflate⏎⏎", .refused(coding)),
    .init("6.1 identity", "\(ok)Transfer-Encoding: identity⏎⏎", .refused("Transfer-Encoding is identity")),
    .init("6.1 identity before chunked", "\(ok)Transfer-Encoding: identity, chunked⏎⏎", .refused(coding)),
    .init("6.1 an unknown coding", "\(ok)Transfer-Encoding: x⏎⏎", .refused(coding)),
    .init("6.1 a prefix of chunked", "\(ok)Transfer-Encoding: chunke⏎⏎", .refused(coding)),
    .init("6.1 chunked and a letter", "\(ok)Transfer-Encoding: chunkedx⏎⏎", .refused(coding)),
    .init("6.1 a letter before chunked", "\(ok)Transfer-Encoding: xchunked⏎⏎", .refused(coding)),
    .init("6.1 seven letters", "\(ok)Transfer-Encoding: chonked⏎⏎", .refused(coding)),
    .init(
      "6.1 a byte that differs in the case's bit", "\(ok)Transfer-Encoding: chun\u{4B}e\u{04}⏎⏎",
      .refused("control byte")),
    .init("6.1 chunked in quotes", "\(ok)Transfer-Encoding: \"chunked\"⏎⏎", .refused(coding)),
    .init("6.1 chunked in single quotes", "\(ok)Transfer-Encoding: 'chunked'⏎⏎", .refused(coding)),
    .init("6.1 chunked with a parameter", "\(ok)Transfer-Encoding: chunked;q=1⏎⏎", .refused(coding)),
    .init("6.1 chunked with a semicolon", "\(ok)Transfer-Encoding: chunked;⏎⏎", .refused(coding)),
    .init("6.1 chunked and a comma", "\(ok)Transfer-Encoding: chunked,⏎⏎", .refused(coding)),
    .init("6.1 a comma and chunked", "\(ok)Transfer-Encoding: ,chunked⏎⏎", .refused(coding)),
    .init("6.1 no coding", "\(ok)Transfer-Encoding:⏎⏎", .refused(coding)),
    .init("6.1 a comma alone", "\(ok)Transfer-Encoding: ,⏎⏎", .refused(coding)),
    .init("6.1 a no-break space after chunked", "\(ok)Transfer-Encoding: chunked\u{A0}⏎⏎", .refused(coding)),
    .init("6.1 chunked of wide letters", "\(ok)Transfer-Encoding: \u{EF}\u{BD}\u{83}hunked⏎⏎", .refused(coding)),
    .init("6.1 the Kelvin sign in chunked", "\(ok)Transfer-Encoding: chun\u{E2}\u{84}\u{AA}ed⏎⏎", .refused(coding)),
    .init("6.1 chunked in HTTP/1.0", "HTTP/1.0 200 OK⏎Transfer-Encoding: chunked⏎⏎\(chunks)", .refused(coding)),
    .init(
      "6.1 chunked in HTTP/1.0 to HEAD", "HTTP/1.0 200 OK⏎Transfer-Encoding: chunked⏎⏎", .refused(coding), to: .head),
    .init("6.1 gzip in HTTP/1.0", "HTTP/1.0 200 OK⏎Transfer-Encoding: gzip⏎⏎", .refused(coding)),
    .init("6.1 TE is no Transfer-Encoding", "\(ok)TE: chunked⏎⏎ok", .reads("ok", .untilClose, keeps: false)),
    .init(
      "6.1 Content-Encoding is no Transfer-Encoding", "\(ok)Content-Encoding: chunked⏎⏎ok",
      .reads("ok", .untilClose, keeps: false)),
    .init(
      "6.1 chunked in an interim head", "HTTP/1.1 103 Hints⏎Transfer-Encoding: chunked⏎⏎\(ok)Content-Length: 2⏎⏎ok",
      .reads("ok", .length(2))),
    .init("6.1 an invalid coding in an interim head", "HTTP/1.1 103 Hints⏎Transfer-Encoding: gzip⏎⏎", .refused(coding)),
  ]

  static let lengths: [ResponseCase] = [
    .init("6.2 a length", "\(ok)Content-Length: 2⏎⏎ok", .reads("ok", .length(2))),
    .init("6.2 zero", "\(ok)Content-Length: 0⏎⏎", .reads("", .length(0))),
    .init("6.2 zero and more bytes", "\(ok)Content-Length: 0⏎⏎ok", .reads("", .length(0), rest: "ok")),
    .init("6.2 two zeros", "\(ok)Content-Length: 00⏎⏎", .reads("", .length(0))),
    .init("6.2 a leading zero is decimal", "\(ok)Content-Length: 010⏎⏎0123456789", .reads("0123456789", .length(10))),
    .init(
      "6.2 thirty leading zeros", "\(ok)Content-Length: 0000000000000000000000000000002⏎⏎ok", .reads("ok", .length(2))),
    .init("6.2 63 bits", "\(ok)Content-Length: 9223372036854775807⏎⏎", .reads("", .none), to: .head),
    .init("6.2 64 bits", "\(ok)Content-Length: 9223372036854775808⏎⏎", .refused(length)),
    .init("6.2 65 bits", "\(ok)Content-Length: 18446744073709551618⏎⏎", .refused(length)),
    .init("6.2 65 bits to HEAD", "\(ok)Content-Length: 18446744073709551618⏎⏎", .refused(length), to: .head),
    .init("6.2 a hundred digits", "\(ok)Content-Length: \(String(repeating: "9", count: 100))⏎⏎", .refused(length)),
    .init("6.2 no digit", "\(ok)Content-Length:⏎⏎", .refused(length)),
    .init("6.2 a plus sign", "\(ok)Content-Length: +2⏎⏎ok", .refused(length)),
    .init("6.2 a minus sign", "\(ok)Content-Length: -2⏎⏎ok", .refused(length)),
    .init("6.2 minus zero", "\(ok)Content-Length: -0⏎⏎", .refused(length)),
    .init("6.2 a hexadecimal number", "\(ok)Content-Length: 0x2⏎⏎ok", .refused(length)),
    .init("6.2 a hexadecimal digit", "\(ok)Content-Length: a⏎⏎0123456789", .refused(length)),
    .init("6.2 a fraction", "\(ok)Content-Length: 2.0⏎⏎ok", .refused(length)),
    .init("6.2 an exponent", "\(ok)Content-Length: 2e0⏎⏎ok", .refused(length)),
    .init("6.2 a space within", "\(ok)Content-Length: 1 2⏎⏎", .refused(length)),
    .init("6.2 an underscore", "\(ok)Content-Length: 1_0⏎⏎", .refused(length)),
    .init("6.2 a unit", "\(ok)Content-Length: 2B⏎⏎", .refused(length)),
    .init("6.2 quotes", "\(ok)Content-Length: \"2\"⏎⏎", .refused(length)),
    .init("6.2 a semicolon", "\(ok)Content-Length: 2;⏎⏎", .refused(length)),
    .init("6.2 a trailing comma", "\(ok)Content-Length: 2,⏎⏎", .refused(length)),
    .init("6.2 a leading comma", "\(ok)Content-Length: ,2⏎⏎", .refused(length)),
    .init("6.2 a superscript digit", "\(ok)Content-Length: \u{B2}⏎⏎", .refused(length)),
    .init("6.2 an Arabic digit", "\(ok)Content-Length: \u{D9}\u{A2}⏎⏎", .refused(length)),
    .init("6.2 the byte below 0", "\(ok)Content-Length: /⏎⏎", .refused(length)),
    .init("6.2 the byte above 9", "\(ok)Content-Length: 2:⏎⏎", .refused(length)),
    .init("6.3 the same length twice", "\(ok)Content-Length: 2⏎Content-Length: 2⏎⏎ok", .refused(equal)),
    .init("6.3 two lengths", "\(ok)Content-Length: 2⏎Content-Length: 3⏎⏎ok!", .refused(different)),
    .init("6.3 two lengths apart", "\(ok)Content-Length: 2⏎A: b⏎content-length: 3⏎⏎ok!", .refused(different)),
    .init("6.3 the same length in a list", "\(ok)Content-Length: 2, 2⏎⏎ok", .refused(equal)),
    .init("6.3 two lengths in a list", "\(ok)Content-Length: 2, 3⏎⏎ok", .refused(different)),
    .init(
      "6.3 two equal numbers with a leading zero", "\(ok)Content-Length: 2⏎Content-Length: 02⏎⏎ok", .refused(equal)),
    .init("6.3 two lengths to HEAD", "\(ok)Content-Length: 2⏎Content-Length: 3⏎⏎", .refused(different), to: .head),
    .init(
      "6.3 a length in an interim head", "HTTP/1.1 100 Continue⏎Content-Length: 5⏎⏎\(ok)Content-Length: 2⏎⏎ok",
      .reads("ok", .length(2))),
    .init(
      "6.3 lengths of an interim and a final head", "HTTP/1.1 103 Hints⏎Content-Length: 2⏎⏎\(ok)⏎ok",
      .reads("ok", .untilClose, keeps: false)),
    .init("6.3 a body longer than its length", "\(ok)Content-Length: 2⏎⏎okay", .reads("ok", .length(2), rest: "ay")),
    .init("6.3 another response follows", "\(ok)Content-Length: 2⏎⏎ok\(ok)", .reads("ok", .length(2), rest: ok)),
    .init("6.3 a line end follows", "\(ok)Content-Length: 2⏎⏎ok⏎", .reads("ok", .length(2), rest: "⏎")),
  ]

  static let framings: [ResponseCase] = [
    .init("6.3 length, then chunked", "\(ok)Content-Length: 2⏎Transfer-Encoding: chunked⏎⏎\(chunks)", .refused(both)),
    .init("6.3 chunked, then length", "\(ok)Transfer-Encoding: chunked⏎Content-Length: 2⏎⏎\(chunks)", .refused(both)),
    .init(
      "6.3 chunked and length to HEAD", "\(ok)Transfer-Encoding: chunked⏎Content-Length: 2⏎⏎", .refused(both), to: .head
    ),
    .init(
      "6.3 chunked and length with 304", "HTTP/1.1 304 None⏎Transfer-Encoding: chunked⏎Content-Length: 2⏎⏎",
      .refused(both)),
    .init("6.3 chunked and zero", "\(ok)Transfer-Encoding: chunked⏎Content-Length: 0⏎⏎\(chunks)", .refused(both)),
    .init("6.3 HEAD and a length", "\(ok)Content-Length: 2⏎⏎", .reads("", .none), to: .head),
    .init("6.3 HEAD and a body", "\(ok)Content-Length: 2⏎⏎ok", .reads("", .none, rest: "ok"), to: .head),
    .init("6.3 HEAD and chunked", "\(ok)Transfer-Encoding: chunked⏎⏎", .reads("", .none), to: .head),
    .init("6.3 HEAD and neither", "\(ok)⏎", .reads("", .none), to: .head),
    .init("6.3 HEAD and an error", "HTTP/1.1 500 Error⏎Content-Length: 5⏎⏎", .reads("", .none), to: .head),
    .init("6.3 204", "HTTP/1.1 204 None⏎⏎", .reads("", .none)),
    .init("6.3 204 with zero", "HTTP/1.1 204 None⏎Content-Length: 0⏎⏎", .reads("", .none)),
    .init("6.3 204 with a length", "HTTP/1.1 204 None⏎Content-Length: 2⏎⏎", .reads("", .none, keeps: false)),
    .init(
      "6.3 204 with a body", "HTTP/1.1 204 None⏎Content-Length: 2⏎⏎ok", .reads("", .none, keeps: false, rest: "ok")),
    .init(
      "6.3 204 with chunks", "HTTP/1.1 204 None⏎Transfer-Encoding: chunked⏎⏎0⏎⏎",
      .reads("", .none, keeps: false, rest: "0⏎⏎")),
    .init("6.3 304 with a length", "HTTP/1.1 304 Not Modified⏎Content-Length: 2⏎⏎", .reads("", .none)),
    .init("6.3 304 with chunked", "HTTP/1.1 304 Not Modified⏎Transfer-Encoding: chunked⏎⏎", .reads("", .none)),
    .init("6.3 304 and another head", "HTTP/1.1 304 Not Modified⏎⏎\(ok)", .reads("", .none, rest: ok)),
    .init("6.3 205 has a length", "HTTP/1.1 205 Reset⏎Content-Length: 2⏎⏎ok", .reads("ok", .length(2))),
    .init("6.3 203 has a body", "HTTP/1.1 203 Other⏎⏎ok", .reads("ok", .untilClose, keeps: false)),
    .init("6.3 303 has a body", "HTTP/1.1 303 Other⏎Content-Length: 2⏎⏎ok", .reads("ok", .length(2))),
    .init("6.3 305 has a body", "HTTP/1.1 305 Other⏎Content-Length: 2⏎⏎ok", .reads("ok", .length(2))),
    .init("6.3 POST", "\(ok)Content-Length: 2⏎⏎ok", .reads("ok", .length(2)), to: .post),
    .init("6.3 OPTIONS", "\(ok)Content-Length: 0⏎⏎", .reads("", .length(0)), to: .options),
    .init("6.3 the method `head` is not HEAD", "\(ok)Content-Length: 2⏎⏎ok", .reads("ok", .length(2)), to: smallHead),
    .init("6.3 CONNECT and 200", "\(ok)⏎tunnel", .reads("", .none, keeps: false, rest: "tunnel"), to: .connect),
    .init(
      "6.3 CONNECT and 200 with a length", "\(ok)Content-Length: 2⏎⏎ok", .reads("", .none, keeps: false, rest: "ok"),
      to: .connect),
    .init(
      "6.3 CONNECT and 299 with chunked", "HTTP/1.1 299 Yes⏎Transfer-Encoding: chunked⏎⏎x",
      .reads("", .none, keeps: false, rest: "x"), to: .connect),
    .init("6.3 CONNECT and 407", "HTTP/1.1 407 No⏎Content-Length: 2⏎⏎ok", .reads("ok", .length(2)), to: .connect),
    .init("6.3 CONNECT and 300", "HTTP/1.1 300 No⏎Content-Length: 2⏎⏎ok", .reads("ok", .length(2)), to: .connect),
    .init("6.3 neither", "\(ok)⏎ok", .reads("ok", .untilClose, keeps: false)),
    .init("6.3 neither and an empty body", "\(ok)⏎", .reads("", .untilClose, keeps: false)),
    .init("6.3 neither in HTTP/1.0", "HTTP/1.0 200 OK⏎⏎ok", .reads("ok", .untilClose, keeps: false)),
    .init("6.3 neither, with keep-alive", "\(ok)Connection: keep-alive⏎⏎ok", .reads("ok", .untilClose, keeps: false)),
    .init("6.3 neither, and another head", "\(ok)⏎\(ok)⏎", .reads("\(ok)⏎", .untilClose, keeps: false)),
    .init("6.3 neither, and bytes like chunks", "\(ok)⏎\(chunks)", .reads(chunks, .untilClose, keeps: false)),
    .init(
      "6.3 multipart does not delimit itself", "\(ok)Content-Type: multipart/byteranges; boundary=b⏎⏎--b--",
      .reads("--b--", .untilClose, keeps: false)),
  ]

  @Test(arguments: codings) func `only chunked is a transfer coding`(test: ResponseCase) throws { try test.check() }

  @Test(arguments: lengths) func `a length is one decimal number`(test: ResponseCase) throws { try test.check() }

  @Test(arguments: framings) func `one rule decides the end of a body`(test: ResponseCase) throws { try test.check() }
}
