import HTTPTypes
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
      "the chunked coding applied twice",
      .verbatim("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    ),
    ("a chunk size that is no number", .malformedChunk()),
    ("bytes that are no HTTP", .garbage),
    ("an invalid version", .verbatim("HTTP/9.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")),
    ("chunks in HTTP/1.0", .verbatim("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")),
    (
      "a switch of protocols that the request did not ask for",
      .verbatim(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    ),
    ("a status below 100", .verbatim("HTTP/1.1 099 OK\r\nContent-Length: 5\r\n\r\nhello")),
    ("a control byte in its reason phrase", .verbatim("HTTP/1.1 200 O\u{1}K\r\nContent-Length: 5\r\n\r\nhello")),
    ("a status of two digits", .verbatim("HTTP/1.1 20 OK\r\nContent-Length: 5\r\n\r\nhello")),
  ]

  private static let loose: [(String, ScriptedReply)] =
    ["0x5", "5 g", "+5", "-5", "", "5_0", "5g", "5 ", "00000000000000005", "8000000000000000"].map { size in
      ("a chunk size of “\(size)”", .malformedChunk(size: size))
    } + [
      ("a chunk whose size ends in a line feed alone", chunks("5\nhello\r\n0\r\n\r\n")),
      ("a chunk that is longer than its size", chunks("5\r\nhelloXX0\r\n\r\n")),
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

extension ConformanceKit {
  /// Checks that bytes after the end of a response never become the next response.
  static let surplusChecks: [ConformanceCheck] = ends.flatMap { [surplus($0, $1, $2), begun($0, $1, $2)] } + [late]

  /// Responses that end for the client before the surplus bytes, and the methods of their requests.
  private static let ends: [(String, String, HTTPRequest.Method)] = [
    ("a 204 with a body", "HTTP/1.1 204 No Content\r\nContent-Length: \(forged.utf8.count)\r\n\r\n", .get),
    ("a 304 with a body", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n", .get),
    ("a HEAD answered with a body", "HTTP/1.1 200 OK\r\nContent-Length: \(forged.utf8.count)\r\n\r\n", .head),
    ("a HEAD answered with chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .head),
    ("a length of 0 with a body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .get),
    ("a response longer than its length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", .get),
    ("bytes after the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", .get),
  ]

  private static let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

  private static func surplus(_ what: String, _ head: String, _ method: HTTPRequest.Method) -> ConformanceCheck {
    ConformanceCheck("\(what) does not answer the next request", needs: .networking) { stage in
      try stage.play { $0.target == "/next" ? .text("next") : .wire(.verbatim(head + forged)) }
      do {
        let response = try await stage.fetch(method: method)
        try stage.expect(response.text.contains("forged"), false, "Whether the surplus is part of the body")
      } catch let error as LupineError {
        try stage.expect(error.kind, .malformedResponse, "The kind of the error")
      }
      try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
    }
  }

  /// The surplus is the start of a response, and the rest follows after the next request.
  private static func begun(_ what: String, _ head: String, _ method: HTTPRequest.Method) -> ConformanceCheck {
    ConformanceCheck("\(what) does not begin the answer to the next request", needs: .networking) { stage in
      for place in [1, 9, 17, 30, forged.utf8.count - 1] {
        try stage.play { request in
          if request.target != "/next" { return .wire(.verbatim(head + forged.prefix(place))) }
          return request.index > 0 ? .wire(.verbatim(String(forged.dropFirst(place)))) : .text("next")
        }
        _ = try? await stage.fetch(method: method)
        try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
      }
    }
  }

  private static let late = ConformanceCheck(
    "bytes that arrive late on an idle connection do not answer the next request",
    needs: [.networking, .connectionReuse]
  ) { stage in
    let (goOn, sent) = (Gate(), Gate())
    try stage.play { request in
      guard request.target != "/next" else { return .text("next") }
      return .wire(
        ScriptedReply(
          [.head(status: 204), .wait(goOn), .raw(text: forged), .signal(sent)], connection: .keep))
    }
    try stage.expect(try await stage.fetch().status, 204, "The status")
    goOn.open()
    try await sent.opened()
    try stage.expect(try await stage.fetch("/next").text, "next", "The next response")
  }
}

extension ConformanceKit {
  /// Checks that an HTTP/2 body ends with END_STREAM only (RFC 9113 section 8.1).
  static let streamEndChecks: [ConformanceCheck] =
    [
      ("the end of the connection", []),
      ("DATA on an idle stream", HTTP2Frames.frame(0, stream: 7, [0x78])),
      ("garbage", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
      ("RST_STREAM with NO_ERROR", HTTP2Frames.frame(3, stream: 1, [0, 0, 0, 0])),
      ("GOAWAY and the end of the connection", HTTP2Frames.frame(7, [0, 0, 0, 1, 0, 0, 0, 0])),
    ].map { cutOff(by: $0, $1) } + [
      whole("the end of the connection", []),
      whole("GOAWAY", HTTP2Frames.frame(7, [0, 0, 0, 1, 0, 0, 0, 0])),
    ]

  private static let needs: TransportCapabilities = [.networking, .http2, .streamEndChecks]

  private static func cutOff(by what: String, _ frames: [UInt8]) -> ConformanceCheck {
    ConformanceCheck("an HTTP/2 body that \(what) cuts off is an error", needs: needs, about: "RFC 9113 section 8.1.") {
      stage in
      try stage.play(PeerScript(frames: HTTP2Frames.head + HTTP2Frames.data("hello", ends: false) + frames))
      do {
        _ = try await stage.fetch(multiplexed(stage))
        try stage.expect("a response", "an error", "What the request brings")
      } catch let error as LupineError {
        let isRight = error.kind == .connectionLost || error.kind == .malformedResponse
        try stage.expect(isRight, true, "Whether \(error.kind) is of a response that is not whole")
      }
    }
  }

  private static func whole(_ what: String, _ frames: [UInt8]) -> ConformanceCheck {
    ConformanceCheck("an HTTP/2 body that END_STREAM ends is whole before \(what)", needs: needs) { stage in
      try stage.play(PeerScript(frames: HTTP2Frames.head + HTTP2Frames.data("hello", ends: true) + frames))
      try stage.expect(try await stage.fetch(multiplexed(stage)).text, "hello", "The body")
    }
  }

  private static func multiplexed(_ stage: ConformanceStage) throws -> OutgoingRequest {
    var request = try stage.request()
    request.options.version = .http2
    return request
  }
}
