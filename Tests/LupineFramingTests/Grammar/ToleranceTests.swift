import LupineCore
import LupineFraming
import Testing

/// The tolerances of `ResponseTolerances`: what each accepts, and what none does.
@Suite struct ToleranceTests {
  /// Bytes that one tolerance accepts.
  struct Accepted: Sendable, CustomTestStringConvertible {
    let tolerance: ResponseTolerances
    let testDescription: String
    let text: String
    var content = "hello"
    var framing = ResponseFraming.length(5)
    /// Whether the connection may be used again.
    var keeps = false
    /// The fields or trailers, if the case is about them.
    var fields: [String]?

    var bytes: [UInt8] { ResponseCase.bytes(text) }
  }

  private static let ok = "HTTP/1.1 200 OK⏎"
  private static let coded = "\(ok)Transfer-Encoding: chunked⏎⏎"
  private static let chunks = "5⏎hello⏎0⏎⏎"

  static let accepted: [Accepted] = [
    .init(
      tolerance: .repeatedChunkedCoding, testDescription: "chunked twice in a list",
      text: "\(ok)Transfer-Encoding: chunked, Chunked⏎⏎\(chunks)", framing: .chunked),
    .init(
      tolerance: .repeatedChunkedCoding, testDescription: "chunked in two fields",
      text: "\(ok)Transfer-Encoding: chunked⏎A: b⏎Transfer-Encoding: chunked⏎⏎\(chunks)", framing: .chunked),
    .init(
      tolerance: .repeatedChunkedCoding, testDescription: "chunked four times",
      text: "\(ok)Transfer-Encoding: chunked ,\tchunked⏎Transfer-Encoding: chunked,chunked⏎⏎\(chunks)",
      framing: .chunked),
    .init(
      tolerance: .spaceAfterChunkSize, testDescription: "a space after each size",
      text: "\(coded)5 ⏎hello⏎0 ⏎⏎", framing: .chunked),
    .init(
      tolerance: .spaceAfterChunkSize, testDescription: "sizes of a fixed width, with tabs",
      text: "\(coded)2   \t⏎he⏎3    ⏎llo⏎0\t\t\t⏎A: b⏎⏎", framing: .chunked),
    .init(
      tolerance: .equalContentLengths, testDescription: "the same length in two fields",
      text: "\(ok)Content-Length: 5⏎content-length: 5⏎⏎hello", keeps: true),
    .init(
      tolerance: .equalContentLengths, testDescription: "the same length in a list",
      text: "\(ok)Content-Length: 5 ,5,\t5⏎⏎hello", keeps: true),
    .init(
      tolerance: .equalContentLengths, testDescription: "the same number with a leading zero",
      text: "\(ok)Content-Length: 5⏎Content-Length: 05⏎⏎hello", keeps: true),
    .init(
      tolerance: .bareLineFeeds, testDescription: "a head with LF alone",
      text: "HTTP/1.1 200 OK\nContent-Length: 5\nA: b\n\nhello", fields: ["content-length=5", "a=b"]),
    .init(
      tolerance: .bareLineFeeds, testDescription: "one line with LF alone",
      text: "\(ok)Content-Length: 5⏎A: b\n⏎hello", fields: ["content-length=5", "a=b"]),
    .init(
      tolerance: .bareLineFeeds, testDescription: "an empty line with LF alone",
      text: "\(ok)Content-Length: 5⏎\nhello"),
    .init(
      tolerance: .bareLineFeeds, testDescription: "an interim head with LF alone",
      text: "HTTP/1.1 103 Hints\nA: b\n\n\(ok)Content-Length: 5⏎⏎hello"),
    .init(
      tolerance: .bareLineFeeds, testDescription: "trailers with LF alone",
      text: "\(coded)5⏎hello⏎0⏎A: b\nC: d\n\n", framing: .chunked),
    .init(
      tolerance: .controlBytesInValues, testDescription: "control bytes",
      text: "\(ok)A: a\u{1}b\u{B}\u{C}\u{1B}c\u{7F}d⏎Content-Length: 5⏎⏎hello", keeps: true,
      fields: ["a=a b   c d", "content-length=5"]),
    .init(
      tolerance: .controlBytesInValues, testDescription: "a control byte among bytes that are not ASCII",
      text: "\(ok)Content-Length: 5⏎A: \u{C3}\u{BC}\u{1}b⏎⏎hello", keeps: true,
      fields: ["content-length=5", "a=ü b"]),
    .init(
      tolerance: .controlBytesInValues, testDescription: "a control byte in a trailer",
      text: "\(coded)5⏎hello⏎0⏎A: a\u{1}b⏎⏎", framing: .chunked, keeps: true),
    .init(
      tolerance: .identityCoding, testDescription: "identity with a length",
      text: "\(ok)Transfer-Encoding: Identity⏎Content-Length: 5⏎⏎hello"),
    .init(
      tolerance: .identityCoding, testDescription: "identity after a length",
      text: "\(ok)Content-Length: 5⏎Transfer-Encoding: identity⏎⏎hello"),
    .init(
      tolerance: .identityCoding, testDescription: "identity until the connection ends",
      text: "\(ok)Transfer-Encoding: identity⏎⏎hello", framing: .untilClose),
    .init(
      tolerance: .identityCoding, testDescription: "identity in HTTP/1.0",
      text: "HTTP/1.0 200 OK⏎Transfer-Encoding: identity⏎⏎hello", framing: .untilClose),
  ]

  @Test(arguments: accepted)
  func `a tolerance accepts its violation, in pieces of any size`(test: Accepted) throws {
    let reading = try ResponseReading.theSame(of: test.bytes, tolerating: test.tolerance)
    try #require(reading.failure == nil, "\(reading.message)")
    #expect(reading.isFinished)
    #expect(reading.content == Array(test.content.utf8))
    #expect(reading.framing == test.framing)
    #expect(reading.keepsConnection == test.keeps)
    #expect(reading.tolerated == test.tolerance)
    #expect(reading.rest.isEmpty)
    if let fields = test.fields { #expect(reading.fields.map { $0.lowercased() } == fields) }
  }

  @Test(arguments: accepted)
  func `without the tolerance the response is refused, and the error names the tolerance`(test: Accepted) throws {
    let strict = try ResponseReading.theSame(of: test.bytes)
    #expect(strict.failure == .malformedResponse)
    #expect(strict.message.contains("'.tolerating([.\(test.tolerance)], of: host)'"), "\(strict.message)")
    let others = try ResponseReading.theSame(of: test.bytes, tolerating: Self.all.subtracting(test.tolerance))
    #expect(others.failure == .malformedResponse)
    #expect(!others.keepsConnection)
  }

  /// A cache must not pass the decision of a tolerant reader on to a strict one.
  @Test(arguments: accepted)
  func `a reader with the cache of a tolerant one stays strict`(test: Accepted) throws {
    let cache = HeadCache()
    _ = try ResponseReading.theSame(of: test.bytes, tolerating: test.tolerance, cache: cache)
    #expect(try ResponseReading.theSame(of: test.bytes, cache: cache).failure == .malformedResponse)
  }

  @Test func `a valid response needs no tolerance, and keeps its connection`() throws {
    let bytes = ResponseCase.bytes("\(Self.coded)5;a=b⏎hello⏎0⏎A: b⏎⏎")
    let reading = try ResponseReading.theSame(of: bytes, tolerating: Self.all)
    #expect(reading.isFinished && reading.keepsConnection && reading.tolerated.isEmpty)
  }

  @Test func `two tolerances may be needed for one response`() throws {
    let bytes = ResponseCase.bytes("HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 5\n\nhello")
    let tolerances: ResponseTolerances = [.bareLineFeeds, .equalContentLengths]
    let reading = try ResponseReading.theSame(of: bytes, tolerating: tolerances)
    #expect(reading.isFinished && !reading.keepsConnection && reading.tolerated == tolerances)
  }

  private static let all: ResponseTolerances = [
    .repeatedChunkedCoding, .spaceAfterChunkSize, .equalContentLengths, .bareLineFeeds, .controlBytesInValues,
    .missingCloseNotify, .identityCoding,
  ]

  /// Readers find different ends of these, or another program does.
  static let refused: [ResponseCase] = [
    .init("6.3 two different lengths", "\(ok)Content-Length: 5⏎Content-Length: 6⏎⏎hello!", .refused("differ")),
    .init("6.3 two different lengths in a list", "\(ok)Content-Length: 5, 6⏎⏎hello!", .refused("differ")),
    .init("6.3 an empty element", "\(ok)Content-Length: 5,⏎⏎hello", .refused("decimal number")),
    .init(
      "6.3 a length beside chunks", "\(ok)Content-Length: 5⏎Transfer-Encoding: chunked⏎⏎\(chunks)", .refused("both")),
    .init(
      "6.3 equal lengths beside repeated chunks",
      "\(ok)Content-Length: 5⏎Content-Length: 5⏎Transfer-Encoding: chunked, chunked⏎⏎\(chunks)", .refused("both")),
    .init("5.2 a folded field", "\(ok)A: b⏎ c⏎Content-Length: 5⏎⏎hello", .refused("folded")),
    .init("5.2 a folded field after LF", "\(ok)A: b\n c⏎Content-Length: 5⏎⏎hello", .refused("folded")),
    .init("5.1 a space before the colon", "\(ok)Content-Length : 5⏎⏎hello", .refused("name")),
    .init("5.5 CR in a value", "\(ok)A: b\rContent-Length: 6⏎Content-Length: 5⏎⏎hello", .refused("no reader accepts")),
    .init("5.5 NUL in a value", "\(ok)A: b\0⏎Content-Length: 5⏎⏎hello", .refused("no reader accepts")),
    .init("2.2 CR CR LF", "\(ok)A: b\r⏎Content-Length: 5⏎⏎hello", .refused("no reader accepts")),
    .init("5.5 a control byte in a length", "\(ok)Content-Length: 5\u{B}⏎⏎hello", .refused("control byte")),
    .init(
      "5.5 a control byte before chunked", "\(ok)Transfer-Encoding: \u{B}chunked⏎⏎\(chunks)", .refused("control byte")),
    .init(
      "5.5 a control byte in close", "\(ok)Connection: close\u{1}⏎Content-Length: 5⏎⏎hello", .refused("control byte")),
    .init("5.1 a control byte in a name", "\(ok)A\u{1}: b⏎Content-Length: 5⏎⏎hello", .refused("name")),
    .init("4 a control byte in a reason", "HTTP/1.1 200 O\u{1}K⏎Content-Length: 5⏎⏎hello", .refused("status line")),
    .init("6.1 identity before chunked", "\(ok)Transfer-Encoding: identity, chunked⏎⏎\(chunks)", .refused("chunked")),
    .init(
      "6.1 identity and chunked in two fields",
      "\(ok)Transfer-Encoding: identity⏎Transfer-Encoding: chunked⏎⏎\(chunks)", .refused("chunked")),
    .init(
      "6.1 chunked and identity in two fields",
      "\(ok)Transfer-Encoding: chunked⏎Transfer-Encoding: identity⏎⏎\(chunks)", .refused("chunked")),
    .init("6.1 identity twice", "\(ok)Transfer-Encoding: identity, identity⏎⏎hello", .refused("chunked")),
    .init("6.1 gzip before chunked", "\(ok)Transfer-Encoding: gzip, chunked⏎⏎\(chunks)", .refused("chunked")),
    .init("6.1 chunked and gzip", "\(ok)Transfer-Encoding: chunked, chunked, gzip⏎⏎\(chunks)", .refused("chunked")),
    .init(
      "6.1 chunked in HTTP/1.0", "HTTP/1.0 200 OK⏎Transfer-Encoding: chunked, chunked⏎⏎\(chunks)", .refused("version")),
    .init("7.1 LF after a size", "\(coded)5\nhello⏎0⏎⏎", .refused("hexadecimal")),
    .init("7.1 a space and LF after a size", "\(coded)5 \nhello⏎0⏎⏎", .refused("extension")),
    .init("7.1 LF after the content", "\(coded)5⏎hello\n0⏎⏎", .refused("followed by CRLF")),
    .init("7.1.1 LF in an extension", "\(coded)5;a\nhello⏎0⏎⏎", .refused("extension")),
    .init("7.1.1 a space after an extension", "\(coded)5;a=b ⏎hello⏎0⏎⏎", .refused("extension")),
    .init("7.1 a space before a size", "\(coded) 5⏎hello⏎0⏎⏎", .refused("hexadecimal")),
    .init("7.1 a space within a size", "\(coded)1 0⏎hello⏎0⏎⏎", .refused("extension")),
    .init("7.1 0x", "\(coded)0x5⏎hello⏎0⏎⏎", .refused("hexadecimal")),
    .init("7.1.2 CR in a trailer", "\(coded)5⏎hello⏎0⏎A: b\rc⏎⏎", .refused("no reader accepts")),
  ]

  @Test(arguments: refused)
  func `no tolerance accepts what programs read in two ways`(test: ResponseCase) throws {
    var tolerant = test
    tolerant.tolerances = Self.all
    try tolerant.check()
    #expect(try !ResponseReading.theSame(of: test.bytes, tolerating: Self.all).message.contains("tolerating"))
  }

  @Test func `white space after a size counts against the limit of extensions`() throws {
    var limits = Limits()
    limits.chunkExtensions = 8
    let bytes = ResponseCase.bytes("\(Self.coded)5\(String(repeating: " ", count: 9))⏎hello⏎0⏎⏎")
    let reading = try ResponseReading.theSame(of: bytes, limits, tolerating: .spaceAfterChunkSize)
    #expect(reading.failure == .limitExceeded(.chunkExtensions))
  }
}
