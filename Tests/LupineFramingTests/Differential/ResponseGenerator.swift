import HTTPTypes
import LupineFixtures

/// Makes responses from the grammar of HTTP/1.1 and of its usual violations, with random changes of few bytes.
struct ResponseGenerator {
  private static let statuses = [
    "HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found", "HTTP/1.1 204 None",
    "HTTP/1.1 304 Not Modified", "HTTP/1.0 200 OK", "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.1 999 Odd",
    "HTTP/1.1 299 a\tb", "HTTP/2.0 200 OK", "HTTP/1.2 200 OK", "HTTP/1.1 20 OK", "HTTP/1.1  200 OK", "http/1.1 200 OK",
  ]
  private static let lines = [
    "Server: a", "Date: Tue, 24 Nov 2026 17:00:00 GMT", "A:b", "A: \t b \t", "A:", "X_y!#$%&'*+-.^`|~: z", "A: b: c",
    "Connection: close", "Connection: keep-alive", "Connection: x, Close", "Set-Cookie: a=b", "Keep-Alive: timeout=5",
    "TE: chunked", "Content-Type: text/plain",
  ]
  private static let framings = [
    "Content-Length: 5", "Content-Length: 5", "Content-Length: 5", "Content-Length: 0", "Content-Length: 7",
    "Content-Length: 05", "Content-Length: 5, 5", "Content-Length: +5", "Content-Length: 5 5", "Content-Length : 5",
    "Content-Length:", "content-length:5", "Content-Length: 99999999999999999999999", "Transfer-Encoding: chunked",
    "Transfer-Encoding: chunked", "Transfer-Encoding: chunked", "transfer-encoding:CHUNKED",
    "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: identity",
    "Transfer-Encoding : chunked", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding:\u{0B}chunked",
    "Transfer-Encoding: chunked;a", "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6",
  ]
  private static let bodies = [
    "hello", "hello", "hello!", "", "5\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\nrest",
    "2\r\nhe\r\n3\r\nllo\r\n0\r\nA: b\r\n\r\n", "5;a=b\r\nhello\r\n0;c\r\n\r\n", "5 ;a\r\nhello\r\n0\r\n\r\n",
    "05\r\nhello\r\n00\r\n\r\n", "5\nhello\n0\n\n", "5\r\nhello\r\n0\r\n", "5\r\nhel", "0x5\r\nhello\r\n0\r\n\r\n",
    "5 \r\nhello\r\n0\r\n\r\n", "5;\r\nhello\r\n0\r\n\r\n", "5;a=\"b;\r\nhello\r\n0\r\n\r\n",
    "0\r\nContent-Length: 5\r\n\r\nhello", "0\r\nTransfer-Encoding: gzip\r\n\r\n",
    "A\r\n0123456789\r\n0\r\nA : b\r\n\r\n",
    "ffffffffffffffff1\r\n", "0\r\n a: b\r\n\r\n",
  ]
  private static let interim = [
    "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", "HTTP/1.1 101 Switch\r\n\r\n",
    "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n", "\r\n", "HTTP/1.0 199 Odd\r\n\r\n",
  ]
  /// Framings with a body that they announce.
  private static let valid = [
    ("Content-Length: 5", "hello"), ("Content-Length: 0", ""), ("Transfer-Encoding: chunked", "0\r\n\r\n"),
    ("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n"),
    ("Transfer-Encoding: chunked", "2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nA: b\r\n\r\n"),
  ]
  /// Bytes that decide how a message is parsed.
  private static let special =
    Array("\r\n\r\n :;,=\"\\\t\0 0123456789aAfFxX+-_\u{0B}\u{0C}\u{7F}".utf8) + [0x80, 0xA0, 0xFF]
  static let methods: [HTTPRequest.Method] = [.get, .get, .get, .get, .head, .post, .connect]

  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// Makes a response, and the method of its request.
  mutating func next() -> (method: HTTPRequest.Method, bytes: [UInt8]) {
    var text = ""
    while chance(12) { text += pick(Self.interim) }
    text += (chance(2) ? pick(Self.statuses) : "HTTP/1.1 200 OK") + "\r\n"
    while chance(2) { text += pick(Self.lines) + "\r\n" }
    let (framing, body) = chance(2) ? (pick(Self.framings), pick(Self.bodies)) : pick(Self.valid)
    if !chance(8) { text += framing + "\r\n" }
    while chance(3) { text += pick(Self.lines) + "\r\n" }
    if chance(20) { text += pick(Self.framings) + "\r\n" }
    text += "\r\n" + body
    var bytes = Array(text.utf8)
    if chance(2) { for _ in 0..<Int.random(in: 1...3, using: &random) { change(&bytes) } }
    if chance(10) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
    return (pick(Self.methods), bytes)
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: bytes.insert(pick(Self.special), at: place)
    case 1 where place < bytes.count: bytes.remove(at: place)
    case 2 where place < bytes.count: bytes[place] = pick(Self.special)
    default:
      let end = min(bytes.count, place + Int.random(in: 0...12, using: &random))
      bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
    }
  }

  private mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }
}
