import HTTPTypes
import LupineCore
import LupineMultipart
import Testing

/// A part as the parser returned it.
struct ParsedPart: Equatable {
  var headers: HTTPFields
  var content: [UInt8] = []
  var isComplete = false

  init(_ headers: HTTPFields, _ content: String) {
    self.init(headers: headers)
    self.content = Array(content.utf8)
    isComplete = true
  }

  init(headers: HTTPFields) { self.headers = headers }
}

/// Passes chunks to a parser and collects the parts.
func parse(
  _ chunks: [[UInt8]], boundary: String = "b", limits: MultipartLimits = MultipartLimits()
) throws(LupineError) -> [ParsedPart] {
  var parser = try MultipartParser(boundary: boundary, limits: limits)
  var parts: [ParsedPart] = []
  for chunk in chunks {
    var chunk = chunk[...]
    while let event = try parser.next(in: &chunk) {
      switch event {
      case .partBegan(let headers): parts.append(ParsedPart(headers: headers))
      case .content(let bytes): parts[parts.count - 1].content += bytes
      case .partEnded: parts[parts.count - 1].isComplete = true
      case .ended: break
      }
    }
  }
  try parser.finish()
  return parts
}

func parse(_ text: String, limits: MultipartLimits = MultipartLimits()) throws(LupineError) -> [ParsedPart] {
  try parse([Array(text.utf8)], limits: limits)
}

@Suite struct MultipartParserTests {
  static let sample =
    "preamble\r\n--b\r\nContent-Type: text/plain\r\nX-Folded: one\r\n two\r\n\r\nHello\r\n--bc\r\n--b  \r\n\r\n"
    + "\r\n--b\r\n\r\n\r\n\r\r\n-\r\n--\r\n--b --\r\n--b\t\r\nA: \r\n\r\n\r\n--b--epilogue\r\n--b\r\n\r\nnot a part"

  static let parts = [
    ParsedPart([.contentType: "text/plain", .folded: "one two"], "Hello\r\n--bc"),
    ParsedPart([:], ""),
    ParsedPart([:], "\r\n\r\r\n-\r\n--\r\n--b --"),
    ParsedPart([.single: ""], ""),
  ]

  @Test func `parts come out as they stand`() throws {
    #expect(try parse(Self.sample) == Self.parts)
  }

  @Test func `every split into two chunks gives the same parts`() throws {
    let bytes = Array(Self.sample.utf8)
    for split in 0...bytes.count {
      #expect(try parse([Array(bytes[..<split]), Array(bytes[split...])]) == Self.parts, "split at \(split)")
    }
  }

  @Test func `every small chunk between two others gives the same parts`() throws {
    let bytes = Array(Self.sample.utf8)
    for first in 0...bytes.count {
      for second in first...min(first + 8, bytes.count) {
        let chunks = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
        let parts = try parse(chunks)
        if parts != Self.parts { Issue.record("split at \(first) and \(second): \(parts)") }
      }
    }
  }

  @Test(arguments: 1...9) func `chunks of one size give the same parts`(size: Int) throws {
    let bytes = Array(Self.sample.utf8)
    let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    #expect(try parse(chunks) == Self.parts)
  }

  @Test func `a multipart without parts has none`() throws {
    #expect(try parse("--b--") == [])
    #expect(try parse("preamble\r\n--b--\r\nepilogue") == [])
  }

  @Test(arguments: [
    "", "--b", "--b\r\n", "--b\r\n\r\n", "--b\r\n\r\ncontent", "--b\r\n\r\ncontent\r\n--b",
    "--b\r\n\r\ncontent\r\n--b-",
    "--b\r\n\r\ncontent\r\n--b\r\n", "no multipart", "--c--", "--b\r\nA: b",
  ]) func `a multipart that ends too early is an error`(text: String) async throws {
    #expect(try await failure { _ = try parse(text) }.kind == .serializationFailed)
  }

  @Test(arguments: [
    "A\r\n\r\n", ": b\r\n\r\n", "A : b\r\n\r\n", " folded: first\r\n\r\n", "A: b\nC: d\r\n\r\n", "A: b\u{0}\r\n\r\n",
    "A: b\rC: d\r\n\r\n", "ü: b\r\n\r\n",
  ]) func `malformed fields are an error that names the part`(fields: String) async throws {
    let error = try await failure { _ = try parse("--b\r\n\(fields)content\r\n--b--") }
    #expect(error.kind == .serializationFailed)
    #expect(error.message.contains("part 1"))
  }

  @Test(arguments: [
    ("bytes 0-4/9", "hello", true), ("bytes 0-4/9", "hell", false), ("bytes 0-4/*", "hello!", false),
    ("bytes 0-4/9", "", false), ("items 0-4/9", "hell", true), ("nonsense", "hell", true),
  ])
  func `a part whose length differs from its Content-Range is an error that names the part`(
    range: String, content: String, fits: Bool
  ) async throws {
    let text = "--b\r\nContent-Range: \(range)\r\n\r\n\(content)\r\n--b--"
    if fits {
      #expect(try parse(text).map(\.content) == [Array(content.utf8)])
      return
    }
    let error = try await failure { _ = try parse(text) }
    #expect(error.kind == .serializationFailed)
    #expect(error.message.contains("part 1"))
  }

  @Test func `a boundary of the server's may have any printable characters`() throws {
    let parts = try parse([Array("--a@b{}ü\r\n\r\nx\r\n--a@b{}ü--".utf8)], boundary: "a@b{}ü")
    #expect(parts == [ParsedPart([:], "x")])
  }

  @Test(arguments: ["", "a\r\nb", String(repeating: "b", count: 201)]) func `a boundary that cannot be one is an error`(
    boundary: String
  ) async throws {
    #expect(try await failure { _ = try MultipartParser(boundary: boundary) }.kind == .serializationFailed)
  }
}
