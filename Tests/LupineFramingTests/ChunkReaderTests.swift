import LupineCore
import LupineStreams
import LupineFraming
import Testing

/// The reader of chunked bodies, whose result must not depend on the pieces in which a body arrives.
///
/// Most bodies are read in one piece, in two pieces with a cut at every position, and byte by byte.
@Suite struct ChunkReaderTests {
  @Test(arguments: [
    ("0\r\n\r\n", "", "", ""),
    ("5\r\nhello\r\n0\r\n\r\n", "hello", "", ""),
    ("5\r\nhello\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n", "hello", "", "HTTP/1.1 200 OK\r\n"),
    ("5\r\nhello\r\n0\r\n\r\n\r\n", "hello", "", "\r\n"),
    ("0000000000000009\r\nhello\r\n\0\u{1}\r\n6\r\n world\r\n00\r\n\r\n", "hello\r\n\0\u{1} world", "", ""),
    ("a\r\n0123456789\r\nB\r\n0123456789A\r\n0\r\n\r\n", "01234567890123456789A", "", ""),
    ("1;a\r\nh\r\n1;a=b\r\ni\r\n0;a=\"\"\r\n\r\n", "hi", "", ""),
    ("1;a;b=c\r\nh\r\n1 ; a = \"x \u{E9}\t\\\";=\" \t;b\r\ni\r\n0;last\r\n\r\n", "hi", "", ""),
    ("1\r\na\r\n0\r\nX-A: 1\r\nX-B: 2\r\n\r\nrest", "a", "X-A: 1\r\nX-B: 2\r\n", "rest"),
  ])
  func `chunks are taken apart`(text: String, content: String, trailers: String, rest: String) throws {
    let found = try Reading.theSame(of: text)
    #expect(found.failure == nil)
    #expect(found.content == Array(content.utf8))
    #expect(found.trailers == Array(trailers.utf8))
    #expect(found.rest == Array(rest.utf8))
    #expect(found.isFinished)
  }

  @Test(arguments: [
    "", "\r\n", "\n", " 5\r\n", "-5\r\n", "+5\r\n", "0x5\r\n", "5_0\r\n", "5g\r\n", "5 \r\n", "5\t\r\n", "5 g\r\n",
    "g\r\n",
    ";a\r\n", "5\n", "5\r\r\n", "5\r\r;a\r\n", "5\rX", "5;\r\n", "5;;a\r\n", "5; \r\n", "5;a \r\n", "5;a=\r\n",
    "5;a= \r\n",
    "5;=b\r\n", "5;a b\r\n", "5;a=b c\r\n", "5;a=b=c\r\n", "5;a\u{0}\r\n", "5;a=\"\u{0}\"\r\n", "5;a=\"b\r\n",
    "5;a=\"\\\r\n",
    "5;a=\"b\"c\r\n", "5;a\rb\r\n", "5;a\n", "5;a=\"\n\"\r\n", "5;\u{E9}\r\n", "5;a=\u{7F}\r\n", "5;a=\"\u{7F}\"\r\n",
    "00000000000000005\r\n", "8000000000000000\r\n", "FFFFFFFFFFFFFFFF\r\n", "10000000000000005\r\n",
    "5\r\nhello\n", "5\r\nhello\r0\r\n", "5\r\nhelloX\r\n", "5\r\nhell\r\n0\r\n", "5\r\nhello0\r\n\r\n",
    "5\r\nhello\r\n\r\n",
    "5\r\nhello\r\n0x5\r\n", "5\r\nhello\r\n0\n", "5\r\nhello\r\n0\r\n\n", "5\r\nhello\r\n0\r\nX-A: 1\n", "0\rX",
  ])
  func `malformed chunks are refused`(text: String) throws {
    // The appended bytes complete the body for a lenient reader, so that only a strict one fails.
    let found = try Reading.theSame(of: text.isEmpty ? "\r\n" : text + "hello\r\n0\r\n\r\n")
    #expect(found.failure == .malformedResponse)
    #expect(!found.isFinished)
  }

  @Test(arguments: [
    "", "5", "5;a", "5\r", "5\r\n", "5\r\nhell", "5\r\nhello", "5\r\nhello\r\n", "0", "0\r\n", "0\r\nX", "0\r\n\r",
  ])
  func `a body that ends before its last chunk does is not finished`(text: String) throws {
    let found = try Reading.theSame(of: text)
    #expect(found.failure == nil)
    #expect(!found.isFinished)
  }

  @Test func `extensions may exceed the content by the limit`() throws {
    var limits = Limits()
    limits.chunkExtensions = 10
    let line = "1;23456789\r\na\r\n"
    #expect(
      try Reading.theSame(of: line + "0;\(Self.letters(2))\r\n\r\n", limits).failure == .limitExceeded(.chunkExtensions)
    )
    #expect(try Reading.theSame(of: "1;2345678901\r\n", limits).failure == .limitExceeded(.chunkExtensions))
    #expect(try Reading.theSame(of: "5;2345678\r\nhello\r\n5;2345\r\nhello\r\n0\r\n\r\n", limits).isFinished)
    #expect(
      try Reading.theSame(of: "5;2345678\r\nhello\r\n5;2345678\r\n", limits).failure == .limitExceeded(.chunkExtensions)
    )
  }

  @Test func `by default extensions may exceed the content by 16 KiB`() {
    let name = Self.letters((16 << 10) - 1)
    #expect(Reading("5;\(name)\r\nhello\r\n0\r\n\r\n").isFinished)
    #expect(Reading("5;\(name)a\r\nhello\r\n0\r\n\r\n").failure == .limitExceeded(.chunkExtensions))
    #expect(Reading("5;a=\"\(name)").failure == .limitExceeded(.chunkExtensions))
    // An extension before each single byte of content.
    let chunks = String(repeating: "1;abcdefgh\r\na\r\n", count: 4_000)
    #expect(Reading(chunks).failure == .limitExceeded(.chunkExtensions))
    // A stream that is signed chunk by chunk has a long extension in each chunk, and stays within the limit.
    let signed = "4000;chunk-signature=\(Self.letters(64))\r\n\(Self.letters(0x4000))\r\n"
    #expect(Reading(String(repeating: signed, count: 500) + "0\r\n\r\n").isFinished)
  }

  @Test func `the limit of trailers holds`() throws {
    var limits = Limits()
    limits.trailers = 8
    #expect(try Reading.theSame(of: "0\r\nX-A: 1\r\n\r\n", limits).isFinished)
    #expect(try Reading.theSame(of: "0\r\nX-A: 12\r\n\r\n", limits).failure == .limitExceeded(.trailers))
    #expect(try Reading.theSame(of: "0\r\nX-A: 1\r\nX\r\n", limits).failure == .limitExceeded(.trailers))
    #expect(try Reading.theSame(of: "0\r\nX-A: 12345678", limits).failure == .limitExceeded(.trailers))
    limits.trailers = 0
    #expect(try Reading.theSame(of: "0\r\n\r\n", limits).isFinished)
  }

  @Test func `content is returned as ranges of the input`() throws {
    let text = Array("5\r\nhello\r\n3\r\nyou\r\n0\r\n\r\n".utf8)
    var reader = ChunkReader(Limits())
    var position = 0
    var elements: [ChunkReader.Element] = []
    try text.withUnsafeBytes {
      while let element = try reader.next(in: $0, from: &position) { elements.append(element) }
    }
    #expect(elements == [.content(3..<8), .content(13..<16), .end])
    #expect(position == text.count)
  }

  private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }
}
