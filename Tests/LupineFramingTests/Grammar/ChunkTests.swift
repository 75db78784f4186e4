import LupineCore
import LupineFraming
import Testing

/// RFC 9112 section 7: the chunked coding and its trailers.
@Suite struct ChunkTests {
  private static let start = "HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎⏎"
  private static let size = "size of a chunk is not a hexadecimal number"
  private static let large = "more than 16 digits or more than 63 bits"
  private static let end = "content of a chunk is not followed by CRLF"
  private static let line = "line among the chunks does not end with CRLF"
  private static let lineFeed = "line of the trailer section ends with LF alone"
  private static let ext = "extension of a chunk violates"
  private static let space = "white space follows the size of a chunk"

  static let sizes: [ResponseCase] = [
    .init("7.1 no chunk", "\(start)0⏎⏎", .reads("", .chunked)),
    .init("7.1 one chunk", "\(start)2⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1 two chunks", "\(start)1⏎o⏎1⏎k⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1 a small hexadecimal digit", "\(start)a⏎0123456789⏎0⏎⏎", .reads("0123456789", .chunked)),
    .init("7.1 a capital hexadecimal digit", "\(start)A⏎0123456789⏎0⏎⏎", .reads("0123456789", .chunked)),
    .init("7.1 two digits", "\(start)10⏎0123456789abcdef⏎0⏎⏎", .reads("0123456789abcdef", .chunked)),
    .init("7.1 a leading zero", "\(start)02⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1 sixteen digits", "\(start)0000000000000002⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1 seventeen digits", "\(start)00000000000000002⏎ok⏎0⏎⏎", .refused(large)),
    .init("7.1 many zeros at the end", "\(start)0000⏎⏎", .reads("", .chunked)),
    .init("7.1 64 bits", "\(start)8000000000000000⏎", .refused(large)),
    .init("7.1 64 bits of ones", "\(start)ffffffffffffffff⏎", .refused(large)),
    .init("7.1 65 bits", "\(start)10000000000000002⏎ok⏎0⏎⏎", .refused(large)),
    .init("7.1 63 bits", "\(start)7fffffffffffffff⏎a", .lost("last chunk")),
    .init("7.1 content with CRLF", "\(start)4⏎a⏎b⏎0⏎⏎", .reads("a⏎b", .chunked)),
    .init("7.1 content like the last chunk", "\(start)5⏎0⏎⏎⏎0⏎⏎", .reads("0⏎⏎", .chunked)),
    .init("7.1 bytes after the end", "\(start)0⏎⏎more", .reads("", .chunked, rest: "more")),
    .init(
      "7.1 a response after the end", "\(start)0⏎⏎HTTP/1.1 200 OK⏎⏎", .reads("", .chunked, rest: "HTTP/1.1 200 OK⏎⏎")),
    .init("7.1 a line end after the end", "\(start)0⏎⏎⏎", .reads("", .chunked, rest: "⏎")),
    .init("7.1 no size", "\(start)⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 a space before the size", "\(start) 2⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 a tab before the size", "\(start)\t2⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 a space within the size", "\(start)1 0⏎", .refused(ext)),
    .init("7.1 a space after the size", "\(start)2 ⏎ok⏎0⏎⏎", .refused(space)),
    .init("7.1 a tab after the size", "\(start)2\t⏎ok⏎0⏎⏎", .refused(space)),
    .init("7.1 a plus sign", "\(start)+2⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 a minus sign", "\(start)-2⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 0x", "\(start)0x2⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 h", "\(start)2h⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 an underscore", "\(start)0_2⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 a fraction", "\(start)2.0⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 a comma", "\(start)2,2⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 g", "\(start)g⏎", .refused(size)),
    .init("7.1 NUL after the size", "\(start)2\0⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 a superscript digit", "\(start)\u{B2}⏎ok⏎0⏎⏎", .refused(size)),
    .init("7.1 LF after the size", "\(start)2\nok⏎0⏎⏎", .refused(size)),
    .init("7.1 CR after the size", "\(start)2\rok⏎0⏎⏎", .refused(line)),
    .init("7.1 CR CR LF after the size", "\(start)2\r⏎ok⏎0⏎⏎", .refused(line)),
    .init("7.1 LF CR after the size", "\(start)2\n\rok⏎0⏎⏎", .refused(size)),
    .init("7.1 LF after the content", "\(start)2⏎ok\n0⏎⏎", .refused(end)),
    .init("7.1 CR after the content", "\(start)2⏎ok\r0⏎⏎", .refused(end)),
    .init("7.1 CR CR LF after the content", "\(start)2⏎ok\r⏎0⏎⏎", .refused(end)),
    .init("7.1 no line end after the content", "\(start)2⏎ok0⏎⏎", .refused(end)),
    .init("7.1 content longer than its size", "\(start)2⏎okay⏎0⏎⏎", .refused(end)),
    .init("7.1 content shorter than its size", "\(start)3⏎ok⏎0⏎⏎", .refused(end)),
    .init("7.1 spaces after the content", "\(start)2⏎ok ⏎0⏎⏎", .refused(end)),
    .init("7.1 two line ends after the content", "\(start)2⏎ok⏎⏎0⏎⏎", .refused(size)),
    .init("7.1 LF after the last chunk", "\(start)0\n⏎", .refused(size)),
    .init("7.1 LF after the trailers", "\(start)0⏎\n", .refused(lineFeed)),
    .init("7.1 CR after the trailers", "\(start)0⏎\r\r\n", .refused("field's name")),
    .init("7.1 no chunked coding", "\(start)hello", .refused(size)),
  ]

  static let extensions: [ResponseCase] = [
    .init("7.1.1 a name", "\(start)2;a⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1.1 a name and a value", "\(start)2;a=b⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1.1 a quoted value", "\(start)2;a=\"b c\"⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1.1 an empty quoted value", "\(start)2;a=\"\"⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1.1 an escaped quote", "\(start)2;a=\"\\\"\"⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1.1 a semicolon in quotes", "\(start)2;a=\"b;c\"⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1.1 two extensions", "\(start)2;a;b=c⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1.1 white space around the semicolon", "\(start)2 ; a⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1.1 white space around the equal sign", "\(start)2;a = b⏎ok⏎0⏎⏎", .reads("ok", .chunked)),
    .init("7.1.1 at the last chunk", "\(start)0;a=b⏎⏎", .reads("", .chunked)),
    .init("7.1.1 no name", "\(start)2;⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 no name before the equal sign", "\(start)2;=b⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 no value", "\(start)2;a=⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 two semicolons", "\(start)2;;a⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 two equal signs", "\(start)2;a==b⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 two names", "\(start)2;a b⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 white space at the end", "\(start)2;a ⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 a quote that is not closed", "\(start)2;a=\"b⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 a line end in quotes", "\(start)2;a=\"⏎ok⏎0⏎⏎\"⏎", .refused(ext)),
    .init("7.1.1 bytes after the quotes", "\(start)2;a=\"b\"c⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 LF", "\(start)2;a\nok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 LF and a size", "\(start)2;\n5⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 CR", "\(start)2;a\rb⏎ok⏎0⏎⏎", .refused(line)),
    .init("7.1.1 NUL", "\(start)2;a\0⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 NUL in quotes", "\(start)2;a=\"\0\"⏎ok⏎0⏎⏎", .refused(ext)),
    .init("7.1.1 a byte above ASCII in a name", "\(start)2;\u{E9}⏎ok⏎0⏎⏎", .refused(ext)),
  ]

  static let trailers: [ResponseCase] = [
    .init("7.1.2 a field", "\(start)0⏎A: b⏎⏎", .trailers(["a=b"])),
    .init("7.1.2 two fields", "\(start)2⏎ok⏎0⏎A: b⏎C: d⏎⏎", .trailers(["a=b", "c=d"])),
    .init("7.1.2 equal fields", "\(start)0⏎A: b⏎A: b⏎⏎", .trailers(["a=b", "a=b"])),
    .init("7.1.2 an empty value", "\(start)0⏎A:⏎⏎", .trailers(["a="])),
    .init("7.1.2 a field without chunks", "\(start)0⏎⏎", .trailers([])),
    .init(
      "7.1.2 Content-Length changes nothing", "\(start)0⏎Content-Length: 5⏎⏎hello", .reads("", .chunked, rest: "hello")),
    .init("7.1.2 Transfer-Encoding changes nothing", "\(start)0⏎Transfer-Encoding: gzip⏎⏎", .reads("", .chunked)),
    .init("7.1.2 Connection changes nothing", "\(start)0⏎Connection: close⏎⏎", .reads("", .chunked)),
    .init("7.1.2 a name with a space", "\(start)0⏎A : b⏎⏎", .refused("field's name")),
    .init("7.1.2 no colon", "\(start)0⏎A⏎⏎", .refused("field's name")),
    .init("7.1.2 no name", "\(start)0⏎: b⏎⏎", .refused("field's name")),
    .init("7.1.2 NUL in a value", "\(start)0⏎A: \0⏎⏎", .refused("control byte")),
    .init("7.1.2 CR in a value", "\(start)0⏎A: b\rC: d⏎⏎", .refused("control byte")),
    .init("7.1.2 a line that ends with LF", "\(start)0⏎A: b\n⏎", .refused(lineFeed)),
    .init("7.1.2 a folded line", "\(start)0⏎A: b⏎ c⏎⏎", .refused("folded")),
    .init("7.1.2 a blank line", "\(start)0⏎ ⏎⏎", .refused("folded")),
    .init("7.1.2 another head", "\(start)0⏎HTTP/1.1 200 OK⏎⏎", .refused("second final head")),
    .init("7.1.2 the next chunk", "\(start)0⏎2⏎ok⏎0⏎⏎", .refused("field's name")),
  ]

  @Test(arguments: sizes) func `chunks are strict`(test: ResponseCase) throws { try test.check() }

  @Test(arguments: extensions) func `extensions of chunks are strict`(test: ResponseCase) throws { try test.check() }

  @Test(arguments: trailers) func `trailers are strict`(test: ResponseCase) throws { try test.check() }

  @Test(arguments: UInt8.min...UInt8.max)
  func `a size has hexadecimal digits`(byte: UInt8) throws {
    let digit = Character(Unicode.Scalar(byte)).hexDigitValue.flatMap { byte < 0x80 ? $0 : nil }
    let content = [UInt8](repeating: 0x61, count: digit ?? 0)
    let bytes = ResponseCase.bytes(Self.start) + Array("0".utf8) + [byte] + [13, 10] + content + [13, 10]
    let reading = try ResponseReading.theSame(of: bytes)
    // Without a digit, CR would be a line end that is followed by another CR.
    #expect((reading.failure == .malformedResponse) == (digit == nil))
    #expect(reading.content == content)
  }
}
