import HTTPTypes
import LupineCore
import LupineFraming
import Testing

/// RFC 9112 section 9: the persistence of connections; and RFC 9110 section 7.6.1: the connection options.
@Suite struct PersistenceTests {
  private static let ok = "HTTP/1.1 200 OK⏎"
  private static let old = "HTTP/1.0 200 OK⏎"
  private static let end = "Content-Length: 0⏎⏎"
  private static let chunked = "Transfer-Encoding: chunked⏎⏎"
  /// A response without content, after which the connection is kept.
  private static let kept = Expectation.reads("", .length(0))
  /// A response without content, after which the connection is closed.
  private static let closed = Expectation.reads("", .length(0), keeps: false)

  static let versions: [ResponseCase] = [
    .init("9.3 HTTP/1.1", "\(ok)\(end)", kept),
    .init("9.3 HTTP/1.1 and content", "\(ok)Content-Length: 1⏎⏎a", .reads("a", .length(1))),
    .init("9.3 HTTP/1.1 and chunks", "\(ok)\(chunked)1⏎a⏎0⏎⏎", .reads("a", .chunked)),
    .init("9.3 HTTP/1.1 and trailers", "\(ok)\(chunked)1⏎a⏎0⏎A: b⏎⏎", .reads("a", .chunked)),
    .init("9.3 HTTP/1.1 to HEAD", "\(ok)Server: a⏎⏎", .reads("", .none), to: .head),
    .init("9.3 HTTP/1.1 and 204", "HTTP/1.1 204 None⏎Server: a⏎⏎", .reads("", .none)),
    .init("9.3 HTTP/1.1 and 304", "HTTP/1.1 304 None⏎Server: a⏎⏎", .reads("", .none)),
    .init("9.3 HTTP/1.1 and 400", "HTTP/1.1 400 Bad⏎\(end)", kept),
    .init("9.3 HTTP/1.1 and 408", "HTTP/1.1 408 Late⏎\(end)", kept),
    .init("9.3 HTTP/1.1 and 500", "HTTP/1.1 500 Error⏎\(end)", kept),
    .init("9.3 HTTP/1.1 and a refused tunnel", "HTTP/1.1 407 No⏎\(end)", kept, to: .connect),
    .init("9.3 a body that ends with the connection", "\(ok)Server: a⏎⏎a", .reads("a", .untilClose, keeps: false)),
    .init("9.3 HTTP/1.1 and a tunnel", "\(ok)Server: a⏎⏎", .reads("", .none, keeps: false), to: .connect),
    .init("9.3 HTTP/1.0", "\(old)\(end)", closed),
    .init("9.3 HTTP/1.0 and content", "\(old)Content-Length: 1⏎⏎a", .reads("a", .length(1), keeps: false)),
    .init("9.3 HTTP/1.0 to HEAD", "\(old)Content-Length: 1⏎⏎", .reads("", .none, keeps: false), to: .head),
    .init("9.3 HTTP/1.0 and 204", "HTTP/1.0 204 None⏎⏎", .reads("", .none, keeps: false)),
    .init("9.3 HTTP/1.0 and 304", "HTTP/1.0 304 None⏎⏎", .reads("", .none, keeps: false)),
    .init("9.3 HTTP/1.0 and a refused tunnel", "HTTP/1.0 407 No⏎\(end)", closed, to: .connect),
    .init("9.3 HTTP/1.0 and a tunnel", "HTTP/1.0 200 OK⏎⏎a", .reads("", .none, keeps: false, rest: "a"), to: .connect),
    .init("9.3 HTTP/1.0 with keep-alive", "\(old)Connection: keep-alive⏎\(end)", closed),
    .init("9.3 HTTP/1.0 with Keep-Alive", "\(old)Connection: Keep-Alive⏎Keep-Alive: timeout=5⏎\(end)", closed),
    .init("9.3 HTTP/1.0 with a field Keep-Alive alone", "\(old)Keep-Alive: timeout=5⏎\(end)", closed),
    .init("9.3 HTTP/1.0 with Proxy-Connection", "\(old)Proxy-Connection: keep-alive⏎\(end)", closed),
    .init("9.3 HTTP/1.0 with close", "\(old)Connection: close⏎\(end)", closed),
    .init("9.3 HTTP/1.0 with keep-alive and close", "\(old)Connection: keep-alive, close⏎\(end)", closed),
    .init(
      "9.3 HTTP/1.0 with keep-alive to HEAD", "\(old)Connection: keep-alive⏎\(end)", .reads("", .none, keeps: false),
      to: .head),
    .init("9.3 HTTP/1.0 after an interim head of HTTP/1.1", "HTTP/1.1 103 A⏎⏎\(old)\(end)", closed),
    .init("9.3 HTTP/1.1 after an interim head of HTTP/1.0", "HTTP/1.0 100 A⏎⏎\(ok)\(end)", kept),
    .init("9.3 keep-alive in an interim head of HTTP/1.0", "HTTP/1.0 100 A⏎Connection: keep-alive⏎⏎\(ok)\(end)", kept),
    .init("9.3 close in an interim head", "HTTP/1.1 103 A⏎Connection: close⏎⏎\(ok)\(end)", kept),
    .init(
      "9.3 close in one of two interim heads", "HTTP/1.1 100 A⏎Connection: close⏎⏎HTTP/1.1 103 B⏎⏎\(ok)\(end)", kept),
    .init("9.3 close in the head after an interim head", "HTTP/1.1 103 A⏎⏎\(ok)Connection: close⏎\(end)", closed),
    .init("9.3 close in both heads", "HTTP/1.1 103 A⏎Connection: close⏎⏎\(ok)Connection: close⏎\(end)", closed),
  ]

  static let options: [ResponseCase] = [
    .init("9.3 close", "\(ok)Connection: close⏎\(end)", closed),
    .init("9.6 close in the last field", "\(ok)Content-Length: 0⏎Connection: close⏎⏎", closed),
    .init("9.6 close before other fields", "\(ok)Connection: close⏎Server: a⏎Date: b⏎\(end)", closed),
    .init(
      "9.6 close and content", "\(ok)Connection: close⏎Content-Length: 1⏎⏎a", .reads("a", .length(1), keeps: false)),
    .init("9.6 close and chunks", "\(ok)Connection: close⏎\(chunked)0⏎⏎", .reads("", .chunked, keeps: false)),
    .init("9.6 close and trailers", "\(ok)Connection: close⏎\(chunked)0⏎A: b⏎⏎", .reads("", .chunked, keeps: false)),
    .init("9.6 close and neither", "\(ok)Connection: close⏎⏎a", .reads("a", .untilClose, keeps: false)),
    .init("9.6 close to HEAD", "\(ok)Connection: close⏎⏎", .reads("", .none, keeps: false), to: .head),
    .init("9.6 close and 204", "HTTP/1.1 204 None⏎Connection: close⏎⏎", .reads("", .none, keeps: false)),
    .init("9.6 close and 304", "HTTP/1.1 304 None⏎Connection: close⏎⏎", .reads("", .none, keeps: false)),
    .init("9.6 close and 404", "HTTP/1.1 404 No⏎Connection: close⏎\(end)", closed),
    .init("9.6 close and a refused tunnel", "HTTP/1.1 407 No⏎Connection: close⏎\(end)", closed, to: .connect),
    .init("9.6 close in a trailer", "\(ok)\(chunked)0⏎Connection: close⏎⏎", .reads("", .chunked)),
    .init("9110 5.1 a small name", "\(ok)connection: close⏎\(end)", closed),
    .init("9110 5.1 a capital name", "\(ok)CONNECTION:close⏎\(end)", closed),
    .init("9110 7.6.1 options ignore case", "\(ok)Connection: CloSe⏎\(end)", closed),
    .init("9110 7.6.1 capital letters", "\(ok)Connection: CLOSE⏎\(end)", closed),
    .init("9110 5.6.1 close at the end of a list", "\(ok)Connection: upgrade, close⏎\(end)", closed),
    .init("9110 5.6.1 close at the start of a list", "\(ok)Connection: close, upgrade⏎\(end)", closed),
    .init("9110 5.6.1 close without a space", "\(ok)Connection: a,close,b⏎\(end)", closed),
    .init("9110 5.6.1 close between tabs", "\(ok)Connection: a,\tclose\t,b⏎\(end)", closed),
    .init("9110 5.6.1 close after an empty element", "\(ok)Connection: ,,close⏎\(end)", closed),
    .init("9110 5.6.1 close before an empty element", "\(ok)Connection: close,⏎\(end)", closed),
    .init("9110 5.6.1 close between empty elements", "\(ok)Connection: , ,close, ,⏎\(end)", closed),
    .init("9110 5.6.1 close twice", "\(ok)Connection: close, close⏎\(end)", closed),
    .init("9110 5.6.1 close after a hundred options", "\(ok)Connection: \(hundred)close⏎\(end)", closed),
    .init("9110 5.6.1 close between spaces", "\(ok)Connection:    close    ⏎\(end)", closed),
    .init("9110 5.3 close on a second line", "\(ok)Connection: keep-alive⏎Connection: close⏎\(end)", closed),
    .init("9110 5.3 close on the first line", "\(ok)Connection: close⏎Connection: keep-alive⏎\(end)", closed),
    .init("9110 5.3 close on lines apart", "\(ok)Connection: a⏎Server: b⏎connection: close⏎\(end)", closed),
    .init("9110 5.3 close after an empty line of options", "\(ok)Connection:⏎Connection: close⏎\(end)", closed),
    .init("9.3 close overrides keep-alive", "\(ok)Connection: keep-alive, close⏎\(end)", closed),
    .init("9.3 close overrides a later keep-alive", "\(ok)Connection: close, keep-alive⏎\(end)", closed),
    .init("9.3 two options without a comma", "\(ok)Connection: upgrade close⏎\(end)", closed),
    .init("9.3 keep-alive", "\(ok)Connection: keep-alive⏎\(end)", kept),
    .init("9.3 keep-alive in capital letters", "\(ok)Connection: KEEP-ALIVE⏎\(end)", kept),
    .init("9.3 an empty Connection", "\(ok)Connection:⏎\(end)", kept),
    .init("9.3 a Connection of commas", "\(ok)Connection: , ,⏎\(end)", kept),
    .init("9.3 another option", "\(ok)Connection: upgrade⏎\(end)", kept),
    .init("9110 7.6.1 the option Content-Length", "\(ok)Connection: content-length⏎Content-Length: 1⏎⏎a", oneByte),
    .init(
      "9110 7.6.1 the option Transfer-Encoding", "\(ok)Connection: transfer-encoding⏎\(chunked)0⏎⏎",
      .reads("", .chunked)),
    .init("9110 7.8 Upgrade without 101", "\(ok)Connection: upgrade⏎Upgrade: h2c⏎\(end)", kept),
    .init("9110 7.8 426 names protocols", "HTTP/1.1 426 No⏎Connection: upgrade⏎Upgrade: h2⏎\(end)", kept),
  ]

  /// Texts that look like the option `close` and are not.
  static let lookalikes: [ResponseCase] = [
    .init("9.6 an option that begins with close", "\(ok)Connection: closed⏎\(end)", kept),
    .init("9.6 an option that ends with close", "\(ok)Connection: disclose⏎\(end)", kept),
    .init("9.6 an option with a hyphen", "\(ok)Connection: close-me⏎\(end)", kept),
    .init("9.6 a prefix of close", "\(ok)Connection: clos⏎\(end)", kept),
    .init("9.6 a space in close", "\(ok)Connection: clo se⏎\(end)", kept),
    .init("9.6 close in quotes", "\(ok)Connection: \"close\"⏎\(end)", kept),
    .init("9.6 close in single quotes", "\(ok)Connection: 'close'⏎\(end)", kept),
    .init("9.6 close in parentheses", "\(ok)Connection: (close)⏎\(end)", kept),
    .init("9.6 close with a parameter", "\(ok)Connection: close;q=1⏎\(end)", kept),
    .init("9.6 close with a value", "\(ok)Connection: close=1⏎\(end)", kept),
    .init("9.6 close and a no-break space", "\(ok)Connection: close\u{A0}⏎\(end)", kept),
    .init("9.6 close with the long s", "\(ok)Connection: clo\u{C5}\u{BF}e⏎\(end)", kept),
    .init("9.6 close of wide letters", "\(ok)Connection: \u{EF}\u{BD}\u{83}lose⏎\(end)", kept),
    .init("9.6 five other letters", "\(ok)Connection: chose⏎\(end)", kept),
    .init("9.6 NUL after close", "\(ok)Connection: close\0⏎\(end)", .refused("control byte")),
    .init("9.6 NUL within close", "\(ok)Connection: clo\0se⏎\(end)", .refused("control byte")),
    .init("9.6 a space after the name", "\(ok)Connection : close⏎\(end)", .refused("field's name")),
    .init("9.6 close on a folded line", "\(ok)Connection: a,⏎ close⏎\(end)", .refused("folded")),
    .init("9.6 Proxy-Connection is no Connection", "\(ok)Proxy-Connection: close⏎\(end)", kept),
    .init("9.6 Keep-Alive is no Connection", "\(ok)Keep-Alive: close⏎\(end)", kept),
    .init("9.6 Keep-Alive without requests left", "\(ok)Keep-Alive: timeout=0, max=0⏎\(end)", kept),
    .init("9.6 a longer name", "\(ok)Connections: close⏎\(end)", kept),
    .init("9.6 a shorter name", "\(ok)Connectio: close⏎\(end)", kept),
    .init("9.6 an extension field", "\(ok)X-Connection: close⏎\(end)", kept),
    .init("9.6 close in the reason phrase", "HTTP/1.1 200 Connection: close⏎\(end)", kept),
    .init(
      "9.6 close in the content", "\(ok)Content-Length: 17⏎⏎Connection: close", .reads("Connection: close", .length(17))
    ),
    .init("9.6 close in an extension of a chunk", "\(ok)\(chunked)0;Connection=close⏎⏎", .reads("", .chunked)),
  ]

  private static let hundred = String(repeating: "a, ", count: 100)
  private static let oneByte = Expectation.reads("a", .length(1))

  @Test(arguments: versions)
  func `the last head's version decides whether a connection is kept`(test: ResponseCase) throws { try test.check() }

  @Test(arguments: options)
  func `the option close ends a connection, and no other option does`(test: ResponseCase) throws { try test.check() }

  @Test(arguments: lookalikes)
  func `only the option close of Connection ends a connection`(test: ResponseCase) throws { try test.check() }
}
