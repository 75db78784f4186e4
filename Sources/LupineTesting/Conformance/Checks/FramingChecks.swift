import LupineCore

extension ConformanceKit {
  /// Checks of responses with ambiguous framing, which allow response smuggling (RFC 9112 section 6.3).
  static let framingChecks: [ConformanceCheck] =
    ambiguous.map { malformed($0, $1, needs: .framingChecks) }
    + loose.map { malformed($0, $1, needs: [.framingChecks, .strictFraming]) }

  private static let ambiguous: [(String, ScriptedReply)] = [
    ("a length beside chunks", .contentLengthWithChunked),
    ("two lengths that differ", .doubledContentLength(5, 6)),
    ("two lengths that agree", .doubledContentLength(5, 5)),
    ("a length of +5", .contentLength("+5")),
    ("a length of -5", .contentLength("-5")),
    ("a length of 0x5", .contentLength("0x5")),
    ("a length of 5,5", .contentLength("5,5")),
    ("a length of 5 a", .contentLength("5 a")),
    ("an empty length", .contentLength("")),
    ("a length beyond 64 bits", .contentLength("99999999999999999999")),
    ("lines that end in a line feed alone", .bareLineFeeds),
    ("a folded field", .obsoleteFold),
    ("a field folded at once", head("X-A: 1\r\n X-B: 2")),
    ("a space before the colon", head("X-A : 1")),
    ("a field without a colon", head("X-A")),
    ("a field without a name", head(": 1")),
    ("a NUL in a value", head("X-A: 1\0")),
    ("a carriage return in a value", head("X-A: 1\r2")),
    (
      "an unknown transfer coding",
      .verbatim("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    ),
    (
      "chunks twice over",
      .verbatim("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    ),
    ("a chunk size that is no number", .malformedChunk()),
    ("bytes that are no HTTP", .garbage),
    ("a version that is none", .verbatim("HTTP/9.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")),
    ("a status of two digits", .verbatim("HTTP/1.1 20 OK\r\nContent-Length: 5\r\n\r\nhello")),
  ]

  private static let loose: [(String, ScriptedReply)] =
    ["0x5", "5 g", "+5", "-5", "", "5_0", "5g", "5 ", "00000000000000005", "8000000000000000"].map { size in
      ("a chunk size of “\(size)”", .malformedChunk(size: size))
    } + [
      ("a chunk whose size ends in a line feed alone", chunks("5\nhello\r\n0\r\n\r\n")),
      ("a chunk whose content ends in a line feed alone", chunks("5\r\nhello\n0\r\n\r\n")),
      ("a last chunk that is followed by a line feed alone", chunks("5\r\nhello\r\n0\r\n\n")),
      ("a last chunk of size 0x5", chunks("5\r\nhello\r\n0x5\r\n\r\nhello\r\n0\r\n\r\n")),
      ("a carriage return behind a chunk's size", .malformedChunk(size: "5\r\r;a")),
      ("a carriage return in an extension of a chunk", .malformedChunk(size: "5;a\rb")),
      ("a NUL in an extension of a chunk", .malformedChunk(size: "5;a=\0")),
      ("an extension of a chunk without a name", .malformedChunk(size: "5;")),
    ]

  private static func chunks(_ text: String) -> ScriptedReply {
    .verbatim("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + text)
  }

  private static func head(_ line: String) -> ScriptedReply {
    .verbatim("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 5\r\n\r\nhello")
  }

  private static func malformed(
    _ what: String, _ reply: ScriptedReply, needs: TransportCapabilities
  ) -> ConformanceCheck {
    ConformanceCheck(
      "a response with \(what) is refused, and its connection with it", needs: needs.union(.networking)
    ) { stage in
      try stage.play { $0.target == "/next" ? .text("next") : .wire(reply) }
      try await stage.expect(error: .malformedResponse, "The response") { _ = try await stage.fetch() }
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      try stage.expect(stage.peer.connectionCount, 2, "The connections made")
    }
  }
}
